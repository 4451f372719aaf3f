"""Use the programs of `drawn` on inputs that chance makes up: see `plays`."""

from __future__ import annotations

from random import Random
from typing import Any

from bench.search.plays import Play, some_numbers, some_text


def _pairs(chance: Random, most: int = 9, count: int = 5) -> list[tuple[int, int]]:
    starts = (chance.randint(0, 30) for _ in range(chance.randint(0, count)))
    return [(start, start + chance.randint(1, most)) for start in starts]


def _billing(module: Any, chance: Random) -> Any:
    lines = [
        (chance.randint(1, 3000), chance.randint(0, 4), chance.randint(0, 2500))
        for _ in range(chance.randint(0, 4))
    ]
    people = chance.sample("abcdef", chance.randint(0, 5))
    return (
        module.total_of(lines, chance.choice((0, 5, 15)), chance.choice((0, 3000, 9000))),
        module.shared(chance.randint(0, 60), people),
    )


def _versions(module: Any, chance: Random) -> Any:
    numbers = [chance.randint(0, 3) for _ in range(3)]
    written = ".".join(map(str, numbers[: chance.randint(1, 3)]))
    wanted = chance.choice(("^", "~", "")) + ".".join(str(chance.randint(0, 2)) for _ in range(3))
    return (
        module.parsed(chance.choice(("v", "")) + written + chance.choice(("", "-b", "-b-1"))),
        module.allowed(wanted, tuple(numbers)),
    )


def _tables(module: Any, chance: Random) -> Any:
    width = chance.randint(1, 3)
    rows = [
        [
            chance.choice((some_text(chance, "ab ", 4), chance.randint(0, 5000)))
            for _ in range(width)
        ]
        for _ in range(chance.randint(1, 4))
    ]
    return module.drawn(rows, chance.randint(0, 3)), module.fields(
        some_text(chance, 'ab,,;""'), chance.choice(",;")
    )


def _shifts(module: Any, chance: Random) -> Any:
    at, stamps = 0, []
    for _ in range(chance.randint(0, 7)):
        at += chance.randint(1, 90)
        stamps.append((chance.choice(("in", "out", "in", "out", "x")), at))
    hours = chance.randint(0, 14)
    return module.worked(stamps), module.pay(
        hours, chance.randint(900, 2001), chance.randint(0, 12)
    )


def _ledger(module: Any, chance: Random) -> Any:
    ledger, seen = module.Ledger(chance.choice((0, 0, 20))), []
    for _ in range(12):
        one, other, amount = chance.choice("abc"), chance.choice("abc"), chance.randint(-2, 40)
        act, arguments = chance.choice((
            ("put", (one, amount)), ("move", (one, other, amount)), ("undo", ()),
            ("move", (other, one, amount)),
        ))  # fmt: skip
        seen.append(getattr(ledger, act)(*arguments))
    return seen, ledger.balances, ledger.entries, module.rising(some_numbers(chance), amount)


def _seats(module: Any, chance: Random) -> Any:
    hall = [some_text(chance, "...x") + "." for _ in range(chance.randint(1, 4))]
    wishes = [(name, chance.randint(1, 4)) for name in chance.sample("abcdef", 5)]
    return module.together(hall[0], chance.randint(1, 4)), module.booked(hall, wishes)


def _bowling(module: Any, chance: Random) -> Any:
    rolls: list[int] = []
    for _ in range(12):
        first = chance.choice((10, chance.randint(0, 9)))
        rolls += [first] if first == 10 else [first, chance.choice((10 - first, 0, 1))]
    matches = [
        (*chance.sample("abcd", 2), chance.randint(0, 3), chance.randint(0, 3)) for _ in range(6)
    ]
    return module.bowling([*rolls, 0, 0]), module.standings(matches)


def _urls(module: Any, chance: Random) -> Any:
    query = {
        key: chance.choice((None, 1, "x")) for key in chance.sample("abc", chance.randint(0, 3))
    }
    base = "http://h" + chance.choice(("", "/", "/x", "/x/y/", "//"))
    return (
        module.joined(base, chance.choice(("", "/")) + some_text(chance, "ab/?", 4), query),
        module.normal(chance.choice(("", "/")) + some_text(chance, "a./../", 9)),
    )


def _goods(module: Any, chance: Random) -> Any:
    store, seen = module.Store(), []
    for _ in range(14):
        item, count, day = chance.choice("ab"), chance.randint(0, 5), chance.randint(0, 30)
        act = chance.choice(("receive", "receive", "take", "take", "on_hand"))
        try:
            arguments = (item, day) if act == "on_hand" else (item, count, day)
            seen.append(getattr(store, act)(*arguments))
        except (ValueError, KeyError) as error:
            seen.append(type(error).__name__)
    levels = {name: chance.randint(0, 20) for name in "abc"}
    sold = {name: chance.randint(0, 40) for name in chance.sample("abc", 2)}
    return (
        seen,
        store.batches,
        module.reorder(levels, sold, chance.randint(1, 9), chance.randint(0, 6)),
    )


def _tokens(module: Any, chance: Random) -> Any:
    template = "".join(chance.choice(("{", "}", "a", "{a}", "{b}", "{{", " ")) for _ in range(7))
    return module.tokens(some_text(chance, "a1_ =<>.!B")), module.filled(
        template, {"a": 1, "": "e"}
    )


def _limits(module: Any, chance: Random) -> Any:
    window, now, seen = module.Window(chance.randint(1, 3), chance.randint(1, 8)), 0, []
    for _ in range(15):
        now += chance.randint(0, 4)
        seen.append(
            getattr(window, chance.choice(("allow", "allow", "wait")))(chance.choice("ab"), now)
        )
    return seen, module.delays(
        chance.randint(0, 6), chance.randint(1, 3), chance.randint(1, 4), chance.randint(3, 70)
    )


def _tree(chance: Random, leaf: Any, depth: int = 3) -> dict[str, Any]:
    return {
        name: _tree(chance, leaf, depth - 1) if depth and chance.random() < 0.4 else leaf(chance)
        for name in chance.sample("abcd", chance.randint(0, 3))
    }


def _trees(module: Any, chance: Random) -> Any:
    def leaf(chance: Random) -> Any:
        return chance.choice((None, 1, 2, [1], [2, 3], [1, 2]))

    base, other = _tree(chance, leaf), _tree(chance, leaf)
    return module.merged(base, other), base, module.sizes(_tree(chance, lambda c: c.randint(0, 9)))


def _pages(module: Any, chance: Random) -> Any:
    count = chance.randint(1, 14)
    return (
        module.page(
            list(range(chance.randint(0, 30))), chance.randint(-1, 7), chance.randint(1, 9)
        ),
        module.shown(chance.randint(1, count), count, chance.randint(0, 3)),
    )


def _checksums(module: Any, chance: Random) -> Any:
    digits = [chance.randint(0, 9) for _ in range(9)]
    rest = -sum((10 - n) * digit for n, digit in enumerate(digits)) % 11
    good = "".join(map(str, digits)) + ("X" if rest == 10 else str(rest))
    twelve = [9, 7, 8, *digits]
    last = -sum(digit * (3 if n % 2 else 1) for n, digit in enumerate(twelve)) % 10
    asked = (
        good,
        "".join(map(str, twelve)) + str(last),
        good[::-1],
        some_text(chance, "123X-", 13),
    )
    data = bytes(chance.randint(0, 255) for _ in range(chance.randint(0, 600)))
    return [module.valid_isbn(item) for item in asked], module.adler(data)


def _signals(module: Any, chance: Random) -> Any:
    values = some_numbers(chance, 0, 6)
    return (
        module.smoothed(values, chance.randint(1, 5)), module.peaks(values, chance.randint(0, 2)),
        module.thermostat(values, chance.randint(2, 4), chance.choice((0, 1))),
    )  # fmt: skip


def _playlists(module: Any, chance: Random) -> Any:
    songs = chance.sample("abcde", chance.randint(0, 4))
    playlist, seen = module.Playlist(songs, chance.choice((True, False))), []
    for _ in range(10):
        act, song = (
            chance.choice(("next", "next", "remove", "insert_next")),
            chance.choice("abcdex"),
        )
        seen.append(playlist.next() if act == "next" else getattr(playlist, act)(song))
        seen.append((list(playlist.songs), playlist.at))
    return seen, songs, module.length(chance.choice((60, 4000, 90000)) + chance.randint(-59, 900))


def _intervals(module: Any, chance: Random) -> Any:
    calendars = [_pairs(chance) for _ in range(chance.randint(0, 3))]
    start = chance.randint(0, 15)
    return (
        module.gaps(_pairs(chance), start, start + chance.randint(1, 20)),
        module.meeting(calendars, chance.randint(1, 12), start, start + 20),
        module.overlap((start, start + 4), (chance.randint(0, 12), chance.randint(13, 30))),
    )


def _slugs(module: Any, chance: Random) -> Any:
    text = some_text(chance, "abcd  e", 30)
    return module.wrapped(text, chance.randint(1, 9)), module.slug(
        some_text(chance, "aB,- 1", 24), chance.randint(1, 14)
    )


def _queues(module: Any, chance: Random) -> Any:
    jobs, taken, seen = module.Jobs(chance.randint(1, 3)), [], []
    for number in range(14):
        act = chance.choice(("add", "add", "take", "fail"))
        if act == "add":
            jobs.add(f"j{number}", chance.randint(0, 2))
        elif act == "take" and (job := jobs.take()) is not None:
            taken.append(job)
        elif act == "fail" and taken:
            jobs.fail(taken.pop())
        seen.append(sorted(jobs.waiting))
    priced = [(name, chance.randint(1, 9)) for name in "abcdef"[: chance.randint(0, 6)]]
    return seen, taken, jobs.failed, module.batches(priced, chance.randint(2, 14))


def _boards(module: Any, chance: Random) -> Any:
    width = chance.randint(1, 5)
    board = [
        "".join(chance.choice("...pK") for _ in range(width)) for _ in range(chance.randint(1, 5))
    ]
    game = ["".join(chance.choice("xo.") for _ in range(width)) for _ in range(4)]
    row, column = chance.randrange(len(board)), chance.randrange(width)
    return module.moves(board, row, column), module.winner(game, chance.randint(2, 4))


def _units(module: Any, chance: Random) -> Any:
    count = chance.choice((1, 1000, 1023, 1024, 10**6, 2 * 1024**2, 3 * 1024**3)) * chance.randint(
        1, 9
    )
    text = str(chance.randint(0, 40)) + chance.choice(("", ".5")) + chance.choice(("", " ", "  "))
    seen = [module.readable(count), module.readable(chance.randint(0, 5000))]
    for ask, asked in (
        (module.size, text + chance.choice(("", "B", "KB", "MB", "GB", "TB", "K"))),
        (module.duration, some_text(chance, "12hmsd0x", 7)),
    ):
        try:
            seen.append(ask(asked))
        except ValueError:
            seen.append("wrong")
    return seen


def _changes(module: Any, chance: Random) -> Any:
    old, new = ({key: chance.randint(0, 2) for key in chance.sample("abcdef", 4)} for _ in range(2))
    lines, edits, at = list("abcdefghij"), [], 0
    while at < 9:
        gone = chance.randint(0, 2)
        edits.append((at, gone, list("xyz")[: chance.randint(0, 3)]))
        at += gone + chance.randint(1, 4)
    chance.shuffle(edits)
    events = [(chance.choice("ab"), chance.randint(0, 2)) for _ in range(8)]
    return (
        module.difference(old, new),
        module.applied(lines, edits),
        lines,
        module.history(events, "a"),
    )


PLAYS: dict[str, Play] = {
    "billing": _billing, "versions": _versions, "tables": _tables, "shifts": _shifts,
    "ledger": _ledger, "seats": _seats, "bowling": _bowling, "urls": _urls, "goods": _goods,
    "tokens": _tokens, "limits": _limits, "trees": _trees, "pages": _pages,
    "checksums": _checksums, "signals": _signals, "playlists": _playlists,
    "intervals": _intervals, "slugs": _slugs, "queues": _queues, "boards": _boards,
    "units": _units, "changes": _changes,
}  # fmt: skip
"""By program."""
