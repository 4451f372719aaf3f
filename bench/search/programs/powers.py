"""Powers with a modulus."""


def power(base, exponent, modulus):
    """Return base to the exponent, modulo the modulus."""
    result = 1 % modulus
    base = base % modulus
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * base % modulus
        exponent = exponent // 2
        base = base * base % modulus
    return result
