import asyncio

from workers import Account, countdown, evens, first_good, gathered, summed


def test_gathered():
    running, most = 0, 0

    def job(n):
        async def act():
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= 1
            return n * n

        return act

    assert asyncio.run(gathered([job(n) for n in range(5)], 2)) == [0, 1, 4, 9, 16]
    assert most == 2


def test_first_good():
    async def bad():
        raise ValueError

    async def good():
        return 7

    assert asyncio.run(first_good([bad, good])) == 7
    assert asyncio.run(first_good([bad, bad])) is None


def test_summed():
    assert asyncio.run(summed(5)) == 10
    assert asyncio.run(summed(0)) == 0


def test_account():
    async def both():
        account = Account(10)
        answers = await asyncio.gather(account.withdraw(6), account.withdraw(6))
        return answers, account.balance

    assert asyncio.run(both()) == ([True, False], 4)


def test_account_to_the_last():
    async def all_of_it():
        account = Account(5)
        return await account.withdraw(5), account.balance

    assert asyncio.run(all_of_it()) == (True, 0)


def test_evens():
    assert asyncio.run(evens(countdown(5))) == [4, 2]
    assert asyncio.run(evens(countdown(0))) == []
