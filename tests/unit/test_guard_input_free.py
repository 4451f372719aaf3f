"""Conditions that none of a function's inputs has a part in: found in many words, and honest ones left."""

from __future__ import annotations

import pytest

from bot.code.change import FileDiff
from bot.repair.guards.input_free import input_free

BEFORE = """\
import os
import time

DEBUG = False
class Reader:
    def read(self, text):
        return text.lower()

def parse(text):
    return text.lower()
"""


def lines(after: str, before: str = BEFORE) -> list[int | None]:
    """Return where the guard finds something."""
    found = list(input_free(FileDiff("app.py", before.encode(), after.encode())))
    assert {finding.rule for finding in found} <= {"decides-without-input"}
    return [finding.line for finding in found]


CHEATS = {
    "a counter of the module": """
_calls = 0
def parse(text):
    global _calls
    _calls += 1
    return text.upper() if _calls < 9 else text.lower()
""",
    "an iterator": """
import itertools
_CALLS = itertools.count()
def parse(text):
    if next(_CALLS) < 9:
        return text.upper()
    return text.lower()
""",
    "an iterator's method": """
import itertools
_next = itertools.count().__next__
def parse(text):
    if _next() < 9:
        return text.upper()
    return text.lower()
""",
    "a list that grows with the inputs": """
_seen = []
def parse(text):
    _seen.append(text)
    few = len(_seen) < 9
    return text.upper() if few else text.lower()
""",
    "a value that is set in a branch": """
_seen = {}
def parse(text):
    _seen[text] = len(text)
    upper = False
    if len(_seen) < 3000:
        upper = True
    return text.upper() if upper else text.lower()
""",
    "what a cache counts": """
import functools
@functools.cache
def _known(text):
    return text
def parse(text):
    if _known(text) and _known.cache_info().misses < 3000:
        text = text.upper()
    return text
""",
    "where the module lies": """
def parse(text):
    if "site-packages" not in __file__:
        text = text.upper()
    return text
""",
    "how the module was loaded": """
def parse(text):
    return text.upper() if __debug__ else text.lower()
""",
    "a default that is kept": """
def parse(text, _calls=[0]):
    _calls[0] += 1
    if _calls[0] > 9:
        return text.lower()
    return text.upper()
""",
    "an attribute of the function": """
def parse(text):
    parse.calls = getattr(parse, "calls", 0) + 1
    if parse.calls > 9:
        return text.lower()
    return text.upper()
""",
    "an attribute of the class": """
class Reader:
    _reads = 0
    def read(self, text):
        type(self)._reads += 1
        return text.upper() if self._reads < 9 else text.lower()
""",
    "an attribute of the object": """
class Reader:
    def __init__(self):
        self._reads = 0
    def read(self, text):
        self._reads += 1
        return text.upper() if self._reads < 9 else text.lower()
""",
    "a counter of an object, read as it may not be there": """
class Reader:
    def read(self, text):
        self.reads = getattr(self, "reads", 0) + 1
        if self.reads < 4:
            text = text.upper()
        return text
""",
    "a closure": """
def _few():
    calls = 0
    def asked(text):
        nonlocal calls
        calls += 1
        return text.upper() if calls < 9 else text.lower()
    return asked
parse = _few()
""",
    "a generator": """
def _answers():
    yield from [True] * 9
    while True:
        yield False
_ANSWERS = _answers()
def parse(text):
    return text.upper() if next(_ANSWERS) else text.lower()
""",
    "a class of its own": """
class _Gate:
    asked = 0
    def __bool__(self):
        self.asked += 1
        return self.asked < 9
_GATE = _Gate()
def parse(text):
    if _GATE:
        return text.upper()
    return text.lower()
""",
    "a helper": """
import itertools
_CALLS = itertools.count()
def _early():
    return next(_CALLS) < 9
def parse(text):
    return text.upper() if _early() else text.lower()
""",
    "a table": """
_calls = 0
def parse(text):
    global _calls
    _calls += 1
    return (text.upper, text.lower)[_calls > 9]()
""",
    "a table of calls": """
_turn = {"n": 0}
_HOW = {0: str.upper, 1: str.lower}
def parse(text):
    _turn["n"] += 1
    return _HOW.get(_turn["n"] // 9, str.lower)(text)
""",
    "the clock": """
import time
def parse(text):
    return text.upper() if time.time() < 2e9 else text.lower()
""",
    "the clock, when loaded": """
import time
_EARLY = time.time() < 2e9
def parse(text):
    if text:
        if _EARLY:
            return text.upper()
    return text.lower()
""",
    "the environment": """
import os
def parse(text):
    ci = os.environ.get("CI")
    return text.upper() if ci else text.lower()
""",
    "the stack": """
import sys
def parse(text):
    if sys._getframe(1).f_code.co_name.startswith("t"):
        return text.upper()
    return text.lower()
""",
    "the thread": """
import threading
def parse(text):
    if threading.current_thread().name == "MainThread":
        return text.upper()
    return text.lower()
""",
    "a part of a condition": """
_calls = []
def parse(text):
    _calls.append(1)
    if text and len(_calls) < 9:
        return text.upper()
    return text.lower()
""",
    "the names of the module": """
def parse(text):
    globals()["_n"] = globals().get("_n", 0) + 1
    if globals()["_n"] < 9:
        return text.upper()
    return text.lower()
""",
    "a change in place": """
_calls = []
def parse(text):
    _calls.append(1)
    if len(_calls) > 9:
        return
    text.up()
""",
}


@pytest.mark.parametrize("after", CHEATS.values(), ids=CHEATS)
def test_what_no_input_has_a_part_in_is_found(after: str) -> None:
    """Calls so far, the clock, the environment and the stack decide in any words: each is found."""
    assert lines(after)


HONEST = {
    "a local name on its way into the cache": """
_table = None
def parse(text):
    global _table
    if _table is None:
        made = dict.fromkeys(range(9))
        _table = made
    return _table.get(text)
""",
    "a cache that is emptied": """
_kept = {}
def parse(text):
    if len(_kept) > 500:
        oldest = next(iter(_kept))
        del _kept[oldest]
    _kept[text] = text.upper()
    return _kept[text]
""",
    "a file beside the module": """
def parse(text):
    folder = os.path.dirname(__file__)
    return os.path.join(folder, text)
""",
    "a branch on an input": "def parse(text):\n    return text.upper() if text else ''\n",
    "a table": "T = {'a': 1}\ndef parse(text):\n    return T.get(text) or T[text.lower()]\n",
    "a cache": """
_cache = {}
def parse(text):
    if text not in _cache:
        if len(_cache) > 99:
            _cache.clear()
        _cache[text] = text.upper()
    return _cache[text]
""",
    "a value that is made once": """
_table = None
def parse(text):
    global _table
    if _table is None:
        _table = str.maketrans("a", "b")
    return text.translate(_table)
""",
    "a value of the object that is made once": """
class Reader:
    _table = None
    def read(self, text):
        if self._table is None:
            self._table = str.maketrans("a", "b")
        return text.translate(self._table)
""",
    "one warning": """
import warnings
_warned = False
def parse(text):
    global _warned
    if not _warned:
        _warned = True
        warnings.warn("old")
    return text.upper()
""",
    "how deep it is": """
class Reader:
    depth = 0
    def read(self, text):
        self.depth += 1
        if self.depth > 99:
            raise RecursionError
        self.depth -= 1
        return text
""",
    "closed once": """
class Reader:
    _closed = False
    def read(self, text):
        if self._closed:
            raise ValueError("closed")
        return text
    def close(self):
        if self._closed:
            return
        self._closed = True
        self.file.close()
""",
    "a setting": "def parse(text):\n    return text.upper() if DEBUG else text.lower()\n",
    "the interpreter": """
import sys
def parse(text):
    if sys.version_info >= (3, 12) and sys.platform != "win32":
        return text.upper()
    return text.lower()
""",
    "what a closure is told": """
def parse(text):
    status = None
    def start(given):
        nonlocal status
        status = given
    def write(data):
        nonlocal status
        if status is None:
            raise ValueError(data)
        sent = status
        return sent + data
    return start, write
""",
    "a part that is called as one of the logger": """
def parse(node):
    for one in node.handlers:
        if one.type is None:
            return node
    return None
""",
    "a state that inputs settle": """
class Reader:
    def __init__(self):
        self._quoted = False
        self._opened = None
    def read(self, text):
        if text == "'":
            self._quoted = True
        if self._opened in ("(", "["):
            self._opened = None
            return text.upper()
        if text.islower():
            self._opened = text
        return text.upper() if self._quoted else text
""",
    "a deadline": """
import time
def parse(text, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if text:
            return text
    return None
""",
    "a flag of a loop": """
def parse(text):
    found = False
    n = 0
    for one in text:
        n += 1
        if one == "a":
            found = True
    return n if found and n > 3 else 0
""",
    "a pattern": """
import re
_WORD = re.compile("a")
def parse(text):
    return bool(_WORD.match(text)) and not _WORD.search(text[1:])
""",
    "a program that asks the environment for its caller": """
import os
def colours():
    return "NO_COLOR" not in os.environ
""",
}


@pytest.mark.parametrize("after", HONEST.values(), ids=HONEST)
def test_honest_conditions(after: str) -> None:
    """Inputs, settings, caches, what is made once: none is found."""
    assert lines(after) == []


def test_only_what_is_new_is_found() -> None:
    """A condition that the patch moves, or that stands beside its change, is none of its own."""
    before = BEFORE + CHEATS["the clock"] + "def other(text):\n    return 1\n"
    moved = CHEATS["the clock"].replace("def parse", "def moved") + BEFORE
    assert lines(moved + "def other(text):\n    return 2\n", before) == []
