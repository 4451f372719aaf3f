"""Use the programs of `held_out` on fresh inputs, so that a right and a repaired one can be compared.

Each play takes a program as a module and a source of chance, and returns what it saw: the same
chance gives the same inputs.
"""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

from bench.search.plays import Play, some_numbers, some_text


def _spans(chance: Random, count: int = 6) -> list[tuple[int, int]]:
    starts = (chance.randint(0, 20) for _ in range(chance.randint(0, count)))
    return [(start, start + chance.randint(1, 6)) for start in starts]


def _date(chance: Random) -> tuple[int, int, int]:
    return chance.randint(1600, 2400), chance.randint(1, 12), chance.randint(1, 28)


def _cipher(module: Any, chance: Random) -> Any:
    key = some_text(chance, "abcxyz", 4) or "k"
    return chance.choice((
        lambda: module.caesar(some_text(chance), chance.randint(-30, 30)),
        lambda: module.vigenere(some_text(chance), key),
        lambda: module.is_palindrome(some_text(chance, "aA1 ", 5)),
    ))()  # fmt: skip


def _dates(module: Any, chance: Random) -> Any:
    year, month, _ = _date(chance)
    last = module.days_in(year, month)
    written = f"{year}-{chance.randint(-1, 14)}-{chance.randint(-1, 32)}"
    return chance.choice((
        lambda: module.parse(written),
        lambda: module.following(year, month, chance.choice((1, 15, last))),
        lambda: module.weekday(year, month, chance.randint(1, last)),
        lambda: module.ago(chance.choice((1, 60, 3600, 86400)) * chance.randint(1, 90)),
        lambda: module.days_in(year, 2),
    ))()  # fmt: skip


def _term(chance: Random, depth: int = 3) -> str:
    if not depth or chance.random() < 0.2:
        return chance.choice(("1", "2", "3", "0.5", "12"))
    if chance.random() < 0.2:
        return f"{chance.choice(('-', ''))}({_term(chance, depth - 1)})"
    sign = chance.choice((" + ", "-", "*", "/"))
    return _term(chance, depth - 1) + sign + _term(chance, depth - 1)


def _calculator(module: Any, chance: Random) -> Any:
    if chance.random() < 0.2:
        return module.evaluate(
            f"{chance.choice('-(2')}{chance.randint(1, 3)}^-{chance.randint(0, 2)}"
        )
    return module.evaluate(_term(chance) + chance.choice(("", " ", ")", "^2", "^1^2")))


def _grid(module: Any, chance: Random) -> Any:
    size, width = chance.randint(1, 4), chance.randint(1, 4)
    table = [[chance.randint(-3, 5) for _ in range(width)] for _ in range(size)]
    square = [[chance.randint(-3, 5) for _ in range(size)] for _ in range(size)]
    land = [[chance.randint(0, 1) for _ in range(5)] for _ in range(size)]
    cells = {(chance.randint(0, 4), chance.randint(0, 4)) for _ in range(9)}
    return (
        module.spiral(table), module.determinant(square), sorted(module.generation(cells)),
        module.islands(land),
    )  # fmt: skip


def _graph(chance: Random) -> dict[int, dict[int, int]]:
    return {
        n: {m: chance.randint(1, 9) for m in chance.sample(range(6), chance.randint(0, 3))}
        for n in range(6)
    }


def _routes(module: Any, chance: Random) -> Any:
    graph = _graph(chance)
    both = {n: [m for m in graph if m in graph[n] or n in graph[m]] for n in graph}
    edges = [(length, n, m) for n, ends in graph.items() for m, length in ends.items()]
    sets = module.UnionFind(6)
    joined = [sets.union(chance.randrange(6), chance.randrange(6)) for _ in range(5)]
    later = {n: [m for m in ends if m > n] for n, ends in graph.items()}
    return (
        module.shortest(graph, 0, 5), module.components(both), module.has_cycle(graph),
        module.has_cycle(later), module.spanning(6, edges), joined, sets.sets,
    )  # fmt: skip


def _caches(module: Any, chance: Random) -> Any:
    cache, seen = module.LRU(chance.randint(1, 3)), []
    for _ in range(20):
        key = chance.choice("abcd")
        seen.append(cache.get(key) if chance.random() < 0.5 else cache.put(key, chance.random()))
    now = [0]
    expiring = module.Expiring(chance.randint(1, 5), lambda: now[0])
    for _ in range(20):
        now[0] += chance.randint(0, 2)
        key = chance.choice("ab")
        seen.append(expiring.get(key) if chance.random() < 0.7 else expiring.put(key, now[0]))
        seen.append(len(expiring))
    calls: list[int] = []

    def sum_of(a: int, b: int) -> int:
        calls.append(a)
        return a + b

    add = module.memoized(sum_of)
    seen.append([add(chance.randint(0, 2), chance.randint(0, 2)) for _ in range(8)])
    left = [ValueError, KeyError, ValueError][: chance.randint(0, 3)]

    def act() -> str:
        if left:
            raise left.pop()
        return "done"

    try:
        seen.append(module.retried(chance.randint(1, 4), (ValueError,))(act)())
    except (ValueError, KeyError) as error:
        seen.append(repr(error))
    return seen, calls, cache.hits, cache.misses, len(left)


def _chain(module: Any, chance: Random) -> Any:
    chain, seen = module.Chain(some_numbers(chance, 0, 3)), []
    for _ in range(6):
        value = chance.randint(0, 3)
        act = chance.choice(("append", "push", "remove", "reverse", "middle", "dedupe"))
        takes = act in {"append", "push", "remove"}
        seen.append(getattr(chain, act)(*[value] * takes))
        seen.append((list(chain), chain.size))
    return seen


def _nested(chance: Random, depth: int = 3) -> list[Any]:
    return [
        _nested(chance, depth - 1) if depth and chance.random() < 0.4 else chance.randint(0, 9)
        for _ in range(chance.randint(0, 4))
    ]


def _streams(module: Any, chance: Random) -> Any:
    items = some_numbers(chance, 0, 2)
    return (
        list(module.chunks(items, chance.randint(1, 4))),
        list(module.windows(items, chance.randint(1, 4))),
        list(module.alternating(items, some_numbers(chance), some_numbers(chance, length=3))),
        list(module.deep(_nested(chance))), list(module.changes(items)),
        list(module.changes([None, *items])), list(module.running_mean(items)),
    )  # fmt: skip


def _tallies(module: Any, chance: Random) -> Any:
    words = [some_text(chance, "abB", 3) for _ in range(8)]
    one, other = ({w: len(w) for w in chance.sample(words, 4)} for _ in range(2))
    merged = module.merged({**one, "in": dict(one)}, {**other, "in": dict(other)})
    values = some_numbers(chance, 0, 4)
    scores = {name: chance.randint(0, 3) for name in "abcdef"}
    return (
        module.anagrams(words), module.inverted(one), merged, one, module.mode(values),
        module.median(values or [1]), module.ranks(scores),
    )  # fmt: skip


def _choices(module: Any, chance: Random) -> Any:
    items = chance.sample(range(9), chance.randint(0, 4))
    coins = chance.sample(range(2, 9), chance.randint(1, 3))
    return (
        module.permutations(items), module.combinations(items, chance.randint(0, 3)),
        module.queens(chance.randint(0, 5)), module.partitions(chance.randint(0, 12)),
        module.fewest_coins(chance.randint(0, 30), coins), module.brackets(chance.randint(0, 4)),
    )  # fmt: skip


def _bits(module: Any, chance: Random) -> Any:
    number = chance.randrange(2**10)
    return (
        module.ones(number), module.is_power(chance.choice((number, 64, 0, -4))),
        module.turned(number, chance.randint(1, 12)), module.gray(number), module.ungray(number),
        module.lonely(some_numbers(chance, 0, 9)), module.subset_sums(some_numbers(chance, 0, 9, 5)),
    )  # fmt: skip


def _stock(module: Any, chance: Random) -> Any:
    stock, seen = module.Stock(), []
    for _ in range(10):
        name, count = chance.choice("abc"), chance.randint(-1, 8)
        try:
            if chance.random() < 0.6:
                stock.add(name, count, chance.choice((None, 0.5, 1.25)))
            else:
                seen.append(stock.take(name, abs(count)))
        except (ValueError, module.NotEnough) as error:
            seen.append(str(error))
        seen.append((dict(stock.items), stock.worth(), stock.low(), len(stock.log)))
    receipts = [stock.receipt(name, chance.randint(1, 9)) for name in stock.items]
    total = chance.randint(0, 200)
    return (
        seen,
        receipts,
        module.discounted(total, chance.randint(0, 130), chance.choice((0, 90, total))),
    )


def _paragraphs(module: Any, chance: Random) -> Any:
    text = some_text(chance, "ab  ", 40)
    words = text.split()[:4] or ["a"]
    lines = "\n".join(" " * chance.randint(0, 4) + some_text(chance, "a ", 3) for _ in range(4))
    name = "_".join(some_text(chance, "abc", 3) or "x" for _ in range(chance.randint(1, 3)))
    return (
        module.wrapped(text, chance.randint(3, 12)),
        module.justified(words, sum(map(len, words)) + len(words) + chance.randint(0, 7)),
        module.dedented(lines), module.shortened(text, chance.randint(4, 40)), module.camel(name),
        module.snake(module.camel(name)), module.snake("Ab" + name),
    )  # fmt: skip


def _spans_play(module: Any, chance: Random) -> Any:
    spans = _spans(chance)
    one, other = (sorted(chance.sample(range(20), 2)) for _ in range(2))
    return (
        module.overlap(one, other), module.gaps(spans, 0, chance.randint(1, 30)),
        module.rooms(spans), module.without(tuple(one), tuple(other)), module.most_meetings(spans),
    )  # fmt: skip


def _numerals(module: Any, chance: Random) -> Any:
    base, number = chance.randint(2, 36), chance.randint(-9999, 9999)
    written = some_text(chance, "0123456789", 12) or "0"
    return (
        module.to_base(number, base), module.from_base(module.to_base(number, base), base),
        module.spelled(chance.randrange(10 ** chance.randint(1, 6))),
        module.grouped(chance.randrange(10 ** chance.randint(1, 9))),
        module.ordinal(chance.randint(0, 230)), module.luhn(written),
    )  # fmt: skip


def _bst(module: Any, chance: Random) -> Any:
    tree = module.Tree(some_numbers(chance, 0, 20, 14))
    seen = [tree.levels(), module.balanced(tree.root), tree.floor(chance.randint(-1, 22))]
    for _ in range(4):
        key = chance.randint(0, 20)
        tree.delete(key)
        seen.append((key in tree, list(tree), tree.levels(), module.balanced(tree.root)))
        seen.append(tree.floor(key))
    return seen


def _machine(module: Any, chance: Random) -> Any:
    machine, seen = module.Vending(chance.randint(1, 12) * 10), []
    for _ in range(8):
        act = chance.choice(("insert", "insert", "push", "cancel"))
        given = [chance.choice((10, 20, 50, 25))] if act == "insert" else []
        seen.append((getattr(machine, act)(*given), machine.paid, machine.state))
    values = {"a": 1, "b": "x"}
    program = " ".join(chance.choice(("dup", "swap", "+", "-", "*", "4")) for _ in range(4))
    return (
        seen, module.fields(some_text(chance, 'ab,""', 9)),
        module.filled(some_text(chance, "ab ", 2) + "{{" + some_text(chance, "abc }", 5), values),
        module.runs(program, [*some_numbers(chance, 1, 9, 1), 1, 2, 3, 4, 5, 6]),
    )  # fmt: skip


def _workers(module: Any, chance: Random) -> Any:
    numbers = some_numbers(chance)

    async def job(number: int) -> int:
        await asyncio.sleep(0)
        if number < 0:
            raise ValueError
        return number

    async def play() -> Any:
        account = module.Account(chance.randint(1, 12))
        amounts = [chance.randint(1, 8) for _ in range(4)]
        taken = await asyncio.gather(*(account.withdraw(amount) for amount in amounts))
        good = [lambda n=n: job(abs(n)) for n in numbers]
        return (
            taken, account.balance, await module.gathered(good, chance.randint(1, 3)),
            await module.first_good([lambda n=n: job(n) for n in numbers]),
            await module.summed(chance.randint(0, 9)),
            await module.evens(module.countdown(chance.randint(0, 9))),
        )  # fmt: skip

    return asyncio.run(play())


def _trie(module: Any, chance: Random) -> Any:
    words = [some_text(chance, "ab", 4) for _ in range(6)]
    trie, asked = module.Trie(words), some_text(chance, "ab", 5)
    same = ["a" * chance.randint(0, 2) + word for word in words[: chance.randint(0, 3)]]
    return asked in trie, trie.beginning(asked[:2]), trie.longest(asked), module.common(same)


def _polynomial(module: Any, chance: Random) -> Any:
    one, other = (module.Polynomial(*some_numbers(chance, -2, 3, 4)) for _ in range(2))
    half, third = (module.Fraction(chance.randint(-9, 9), chance.randint(1, 9)) for _ in range(2))
    return (
        one(chance.randint(-3, 3)), (one + other).coefficients, (one * other).coefficients,
        one.derived().coefficients, str(one), repr(half + third), half < third,
        repr(half / third) if third.top else "", repr(module.Fraction(chance.randint(1, 9), -4)),
    )  # fmt: skip


def _emitter(module: Any, chance: Random) -> Any:
    emitter, heard, seen = module.Emitter(), [], []
    listeners = [lambda v, n=n: heard.append((n, v)) for n in range(3)]
    for number in range(12):
        act, listener = chance.choice(("on", "once", "off", "emit")), chance.choice(listeners)
        seen.append(emitter.emit("e", number) if act == "emit" else None)
        if act != "emit":
            getattr(emitter, act)("e", listener)
    tasks = module.Tasks()
    for number in range(6):
        tasks.add(f"t{number}", chance.randint(0, 2))
    tasks.drop(f"t{chance.randint(0, 5)}")
    seen.append([tasks.take() for _ in range(5)])
    document = module.Document()
    for number in range(12):
        act = chance.choice(("write", "undo", "redo"))
        seen.append(document.write(str(number)) if act == "write" else getattr(document, act)())
        seen.append(document.text)
    return heard, seen


PLAYS: dict[str, Play] = {
    "cipher": _cipher, "dates": _dates, "calculator": _calculator, "grid": _grid,
    "routes": _routes, "caches": _caches, "chain": _chain, "streams": _streams,
    "tallies": _tallies, "choices": _choices, "bits": _bits, "stock": _stock,
    "paragraphs": _paragraphs, "spans": _spans_play, "numerals": _numerals, "bst": _bst,
    "machine": _machine, "workers": _workers, "trie": _trie, "polynomial": _polynomial,
    "emitter": _emitter,
}  # fmt: skip
"""By program."""
