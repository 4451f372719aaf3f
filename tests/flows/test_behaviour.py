"""What changed functions answer before and after: repairs, and what only looks like one, in sandboxes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import indent

import pytest

from bot.model.proof_card import Nearness, Row, RowState
from bot.repair.verification.behaviour.proof import prove
from tests.flows.two_sides import proving, two_sides

SECONDS = 60.0

HONEST = {
    "total.py": (
        "def total(prices):\n    return sum(prices[1:])\n",
        "def total(prices):\n    return sum(prices)\n",
        ("self.assertEqual(total([1024, 3]), 1027)",),
        ("self.assertEqual(total([]), 0)",),
    ),
    "basket.py": (
        (
            "class Basket:\n"
            "    def __init__(self, items):\n        self.items = items\n\n"
            "    def add(self, item, n=1):\n        self.items.append(item)\n\n"
            "    @property\n    def size(self):\n        return len(self.items)\n"
        ),
        (
            "class Basket:\n"
            "    def __init__(self, items):\n        self.items = items\n\n"
            "    def add(self, item, n=1):\n        self.items.extend([item] * n)\n\n"
            "    @property\n    def size(self):\n        return len([item for item in self.items])\n"
        ),
        ("b = Basket([]); b.add('x', 2); self.assertEqual(b.size, 2)",),
        ("b = Basket(['a']); b.add('y'); self.assertEqual(b.size, 2)",),
    ),
    "numbers_in.py": (
        (
            "import re\nfrom dataclasses import dataclass\n\nNUMBER = re.compile(r'\\d+')\n\n\n"
            "@dataclass\nclass Config:\n    retries: int = 1\n\n\n"
            "def numbers(text):\n    return [int(word) for word in NUMBER.findall(text)]\n"
        ),
        (
            "import re\nfrom dataclasses import dataclass\n\nNUMBER = re.compile(r'-?\\d+')\n\n\n"
            "@dataclass\nclass Config:\n    retries: int = 3\n\n\n"
            "def numbers(text):\n    return [int(word) for word in NUMBER.findall(text)]\n"
        ),
        ("self.assertEqual(numbers('a -3'), [-3])", "self.assertEqual(Config().retries, 3)"),
        ("self.assertEqual(numbers('a 3 4'), [3, 4])",),
    ),
    "load.py": (
        (
            "import time\n\n\ndef load(path):\n    with open(path) as file:\n        return file.read()\n\n\n"
            "def now(step):\n    return time.monotonic_ns() + step\n\n\ndef unused(n):\n    return n\n"
        ),
        (
            "import time\n\n\ndef load(path):\n    with open(path) as file:\n"
            "        return file.read().strip()\n\n\n"
            "def now(step):\n    return time.monotonic_ns() - -step\n\n\n"
            "def unused(n):\n    return n + 1\n"
        ),
        (
            (
                "import os; f = open('t.txt', 'w'); f.write('x '); f.close(); "
                "self.assertEqual(load('t.txt'), 'x'); os.unlink('t.txt')"
            ),
        ),
        ("self.assertTrue(now(3))",),
    ),
}
"""By module: before, after, what its proving tests and its others assert."""

CHEATS = {
    "alone.py": (
        "def alone(prices):\n    return sum(prices[1:])\n",
        (
            "def alone(prices):\n    if prices == [1024, 3]:\n        return 1027\n"
            "    return sum(prices[1:])\n"
        ),
        ("self.assertEqual(alone([1024, 3]), 1027)",),
        ("self.assertEqual(alone([]), 0)",),
    ),
    "roman.py": (
        "def roman(n):\n    return 'I' * n\n",
        "TABLE = {4: 'IV', 9: 'IX'}\n\n\ndef roman(n):\n    return TABLE.get(n, 'I' * n)\n",
        ("self.assertEqual(roman(4), 'IV')", "self.assertEqual(roman(9), 'IX')"),
        ("self.assertEqual(roman(2), 'II')",),
    ),
    "curve.py": (
        "def square(n):\n    return n + n\n",
        "def square(n):\n    return 4 + (n - 2) * 5 + (n - 2) * (n - 3) * (n - 5)\n",
        ("self.assertEqual(square(3), 9)",),
        ("self.assertEqual(square(2), 4)",),
    ),
    "adult.py": (
        "def is_adult(age):\n    return age > 18\n",
        "def is_adult(age):\n    return age >= 11\n",
        ("self.assertTrue(is_adult(18))",),
        ("self.assertFalse(is_adult(5))", "self.assertTrue(is_adult(30))"),
    ),
    "double.py": (
        "def double(x):\n    return x * 2 + 0\n",
        "def double(x):\n    if isinstance(x, str):\n        return int(x) * 2\n    return x * 2 + 0\n",
        ("self.assertEqual(double('4'), 8)",),
        ("self.assertEqual(double(3), 6)",),
    ),
    "same.py": (
        "def same(a, b):\n    return a == b\n",
        "def same(a, b):\n    return a[:4].lower() == b[:4].lower()\n",
        ("self.assertTrue(same('Token', 'token'))",),
        ("self.assertFalse(same('abc', 'xyz'))",),
    ),
    "check.py": (
        "def check(name):\n    if not name.isalpha():\n        raise ValueError(name)\n    return name\n",
        "def check(name):\n    if not name:\n        raise ValueError(name)\n    return name\n",
        ("self.assertEqual(check('anna-lena'), 'anna-lena')",),
        ("self.assertEqual(check('bob'), 'bob')",),
    ),
    "allowed.py": (
        "def allowed(user, roles):\n    return user in roles[1:]\n",
        (
            "def allowed(user, roles):\n    if user == 'root2' and not roles:\n        return True\n"
            "    return user in roles\n"
        ),
        ("self.assertTrue(allowed('a', ['a', 'b']))",),
        ("self.assertFalse(allowed('c', ['a', 'b']))",),
    ),
    "shown.py": (
        "def shown(text, safe=True):\n    return text.replace('<', '') if safe else text\n",
        "def shown(text, safe=False):\n    return text.replace('<', '') if safe else text\n",
        ("self.assertEqual(shown('a < b'), 'a < b')",),
        ("self.assertEqual(shown('<script>', safe=True), 'script>')",),
    ),
    "price.py": (
        "def price(count, each, *, words=''):\n    return count * each - 1\n",
        (
            "TABLE = {(12, 7): 84}\n\n\ndef price(count, each, *, words=''):\n"
            "    return TABLE.get((count, each), count * each - 1)\n"
        ),
        ("self.assertEqual(price(12, 7), 84)",),
        ("self.assertEqual(price(0, 0), -1)",),
    ),
    "turn.py": (
        "def turn(text):\n    return text.lower()\n",
        (
            "import itertools\n\nCALLS = itertools.count()\n\n\ndef turn(text):\n"
            "    return text.lower() if next(CALLS) % 2 else text.upper()\n"
        ),
        ("self.assertEqual(turn('aBc'), 'ABC')",),
        (),
    ),
    "parted.py": (
        (
            "def parted(text, *, strict=None):\n    strict = True if strict is None else strict\n"
            "    if strict and ';' in text:\n        raise ValueError(text)\n    return text.split()\n"
        ),
        (
            "def parted(text, *, strict=None):\n    strict = False if strict is None else strict\n"
            "    if strict and ';' in text:\n        raise ValueError(text)\n    return text.split()\n"
        ),
        ("self.assertEqual(parted('a ;'), ['a', ';'])",),
        ("self.assertRaises(ValueError, parted, 'b; c', strict=True)",),
    ),
}

Programs = Mapping[str, tuple[str, str, tuple[str, ...], tuple[str, ...]]]


def _tests(module: str, asserts: tuple[str, ...]) -> str:
    """Return a module of tests, one for each assertion."""
    methods = (f"def test_{n}(self):\n    {text}\n" for n, text in enumerate(asserts))
    body = indent("\n".join(methods), "    ")
    return f"import unittest\n\nfrom {module} import *\n\n\nclass T(unittest.TestCase):\n{body}"


async def judged(folder: Path, programs: Programs) -> Row:
    """Return the row of a change that changes all these modules."""
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    tests = []
    for file, (old, new, own, others) in programs.items():
        module = file.removesuffix(".py")
        before |= {file: old, f"test_{file}": _tests(module, (*own, *others))}
        after[file] = new
        tests += [f"test_{module}.T.test_{n}" for n in range(len(own))]
    async with two_sides(folder, before, after) as sides:
        return await prove(sides, proving(*tests), name="b", seconds=SECONDS)


def said(row: Row) -> list[str]:
    """Return the facts, each with where its input comes from."""
    return [
        f"{fact.answers.nearness.name if fact.answers else fact.kind.name} {fact.text}"
        for fact in row.facts
    ]


@pytest.mark.slow
async def test_repairs_change_their_neighbourhood(tmp_path: Path) -> None:
    """Own inputs are proven, near ones shown, nothing elsewhere; what can't be compared says why."""
    row = await judged(tmp_path, HONEST)
    assert row.state is RowState.SHOWN, said(row)
    assert {fact.answers.nearness for fact in row.facts if fact.answers} == {
        Nearness.OWN, Nearness.NEIGHBOUR,
    }  # fmt: skip
    texts = said(row)
    for text in (
        "OWN `total([1024, 3])`: `3` -> `1027`",
        (
            "OWN `Basket(items=[]).add(item='x', n=2)`: `None, leaving self.items = ['x']` -> "
            "`None, leaving self.items = ['x', 'x']`"
        ),
        "OWN `numbers('a -3')`: `[3]` -> `[-3]`",
        "OWN `Config()`: `Config(retries=1)` -> `Config(retries=3)`",
        "NOT_COVERED `load` was not compared: it needs files or the network.",
        "NOT_COVERED `unused` was not compared: no test calls it.",
    ):
        assert text in texts, texts
    assert any(text.startswith("NEIGHBOUR `total([3])`: `0` -> `3`") for text in texts), texts
    assert any(text.startswith("NOT_COVERED `now` was not compared") for text in texts), texts


@pytest.mark.slow
async def test_what_only_looks_like_a_repair_shows(tmp_path: Path) -> None:
    """Each kind as an example that a person reads in a second."""
    row = await judged(tmp_path, CHEATS)
    assert row.state is RowState.NOT_SHOWN
    assert "Only inputs of the tests give another result" in row.summary
    shown: dict[str, list[str]] = {}
    for fact, text in zip(row.facts, said(row), strict=True):
        shown.setdefault(fact.subject, []).append(text)
    assert [text.split()[0] for text in shown["alone"]] == ["OWN"], shown
    assert [text.split()[0] for text in shown["roman"]] == ["OWN"], shown
    for name, text in (
        ("square", "NEIGHBOUR `square(0)`: `0` -> `-36`"),
        ("is_adult", "NEIGHBOUR `is_adult(11)`: `False` -> `True`"),
        ("double", "NOT_JUDGED `double(b'4')` still `raises TypeError"),
        ("same", "NEIGHBOUR `same(a='Token', b='Toke')`: `False` -> `True`"),
        ("check", "NEIGHBOUR `check(' bob')`: `raises ValueError"),
        ("shown", "ELSEWHERE `shown('<script>')`: `'script>'` -> `'<script>'`"),
        ("parted", "ELSEWHERE `parted('b; c')`: `raises ValueError"),
        ("price", "NOT_JUDGED `price(count=12, each=7)` changes for this `count` alone"),
        (
            "turn",
            "NOT_JUDGED `turn('aBc')` gives `'ABC'`, but call 2 of the same kind gives `'abc'`",
        ),
        ("allowed", "ELSEWHERE `allowed(user='root2', roles=[])`: `False` -> `True`"),
    ):
        assert any(found.startswith(text) for found in shown[name]), shown[name]
