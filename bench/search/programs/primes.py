"""Prime numbers by a sieve."""


def primes_below(limit):
    """Return the primes smaller than `limit`."""
    is_prime = [True] * max(limit, 2)
    is_prime[0] = is_prime[1] = False
    number = 2
    while number * number < limit:
        if is_prime[number]:
            for multiple in range(number * number, limit, number):
                is_prime[multiple] = False
        number += 1
    return [n for n in range(limit) if is_prime[n]]
