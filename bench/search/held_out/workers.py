"""Asynchronous work."""

import asyncio


async def gathered(jobs, most):
    """Results of all jobs in order; at most so many run at the same time."""
    gate = asyncio.Semaphore(most)

    async def run(job):
        async with gate:
            return await job()

    return await asyncio.gather(*(run(job) for job in jobs))


async def first_good(jobs):
    """The result of the first job in order that raises nothing; None when all do."""
    for job in jobs:
        try:
            return await job()
        except ValueError:
            continue
    return None


async def produced(count, queue):
    for number in range(count):
        await queue.put(number)
    await queue.put(None)


async def consumed(queue):
    total = 0
    while True:
        item = await queue.get()
        if item is None:
            return total
        total += item


async def summed(count):
    queue = asyncio.Queue(maxsize=2)
    producer = asyncio.create_task(produced(count, queue))
    total = await consumed(queue)
    await producer
    return total


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = asyncio.Lock()

    async def withdraw(self, amount):
        async with self.lock:
            if amount > self.balance:
                return False
            await asyncio.sleep(0)
            self.balance -= amount
            return True


async def countdown(start):
    """Numbers down to 1."""
    while start > 0:
        yield start
        start -= 1
        await asyncio.sleep(0)


async def evens(source):
    return [number async for number in source if number % 2 == 0]
