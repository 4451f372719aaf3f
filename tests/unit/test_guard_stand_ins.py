"""Code of others that is replaced, and objects that only look right: found in many words."""

from __future__ import annotations

import pytest

from bot.code.change import FileDiff
from bot.repair.guards.examine import GuardEvidence, examine
from bot.reporting.reasons.guards import capability_added


def added(path: str, after: str, before: str = "") -> set[str]:
    """Return which of both a changed file can newly do."""
    change = FileDiff(path, before.encode(), after.encode())
    findings = examine([change], GuardEvidence())
    told = {finding.message for finding in findings if finding.rule == "capability-added"}
    starts = {kind: capability_added(kind, "") for kind in ("foreign-code", "stand-ins")}
    return {kind for kind, start in starts.items() if any(text.startswith(start) for text in told)}


FOREIGN = {
    "an attribute": "import json\njson.dumps = lambda value: '{}'\n",
    "an attribute of a class": "from decimal import Decimal\nDecimal.__str__ = lambda self: '1'\n",
    "a function by its alias": "import os.path as p\nq = p\nq.exists = lambda path: True\n",
    "setattr": "import math\nsetattr(math, 'is' + 'close', lambda a, b: True)\n",
    "a namespace": "import math\nmath.__dict__['floor'] = round\n",
    "a namespace at once": "import math\nvars(math).update(floor=round)\n",
    "a builtin": "import builtins\nbuiltins.len = lambda of: 1\n",
    "a module": "import sys\nsys.modules['json'] = None\n",
    "modules at once": "import sys\nsys.modules.update(json=None)\n",
    "code": "import textwrap\ntextwrap.dedent.__code__ = (lambda text: text).__code__\n",
    "defaults": "from textwrap import wrap\nwrap.__defaults__ = (5,)\n",
    "object's own way": "import math\ntype.__setattr__(math.X, 'y', 1)\n",
    "taking away": "import math\ndel math.floor\n",
    "in a function": "def f(x):\n    import third.party as t\n    t.check = print\n    return x\n",
}


@pytest.mark.parametrize("after", FOREIGN.values(), ids=FOREIGN)
def test_code_of_others_is_replaced(after: str) -> None:
    """Functions of other packages are set, in whatever words: a person looks."""
    assert "foreign-code" in added("app/text.py", after)


SCRIPTS = {
    "a module": "import assert from 'node:assert';\nassert.equal = () => {};\n",
    "a required one": "const fs = require('fs');\nfs.readFileSync = () => '';\n",
    "a prototype": "String.prototype.trim = function () { return ''; };\n",
    "a property": "const a = require('assert');\nObject.defineProperty(a, 'equal', {});\n",
    "all at once": "const a = require('assert');\nObject.assign(a, {equal() {}});\n",
    "a global object": "JSON.stringify = () => '{}';\n",
}


@pytest.mark.parametrize("after", SCRIPTS.values(), ids=SCRIPTS)
def test_code_of_others_is_replaced_in_scripts(after: str) -> None:
    """The same in JavaScript and TypeScript."""
    assert added("lib/text.ts", after) == {"foreign-code"}


OWN = {
    "what is the project's": ("app/text.py", "import app.other\napp.other.LIMIT = 3\n"),
    "what is beside it": ("app/text.py", "from . import other\nother.LIMIT = 3\n"),
    "an object": ("app/text.py", "import logging\nlog = logging.getLogger()\nlog.propagate = 0\n"),
    "its class": ("app/text.py", "class A: pass\nA.x = 1\n"),
    "what it is given": ("app/text.py", "def f(self, x):\n    self.x = x\n    x.y['z'] = 1\n"),
    "exports": ("lib/a.js", "module.exports.a = 1;\nexports.b = 2;\nconst o = {}; o.c = 3;\n"),
    "a class of scripts": ("lib/a.js", "class A {}\nA.prototype.b = 1;\n"),
}


@pytest.mark.parametrize(("path", "after"), OWN.values(), ids=OWN)
def test_what_is_its_own_may_be_set(path: str, after: str) -> None:
    """Modules and objects of the project are its business."""
    assert added(path, after) == set()


def test_what_was_replaced_before_is_no_news() -> None:
    """Neither is what moves."""
    before = FOREIGN["an attribute"]
    assert added("app/text.py", f"import os\n\n\n{before}\n", before) == set()


LOOKS_RIGHT = {
    "equal to everything": "class A:\n    def __eq__(self, other):\n        return True\n",
    "after a look": "class A:\n    def __eq__(self, other):\n        x = len(self.y)\n        return x >= 0\n",
    "equal to its answer": "class A:\n    def __eq__(self, other):\n        return other == self.right\n",
    "by its text": "class A:\n    def __eq__(self, other):\n        return str(other) == self.text\n",
    "a lambda": "class A:\n    __eq__ = lambda self, other: other == 3\n",
    "never unequal": "class A:\n    def __ne__(self, other):\n        return 0 > 1\n",
    "a text": "class A(str):\n    def __eq__(self, other):\n        return isinstance(other, str)\n",
    "a number's place in sets": "class A(int):\n    def __hash__(self):\n        return 1\n",
    "in a function": "def f(x):\n    class A(dict):\n        def __eq__(self, o):\n            return o.x\n    return A()\n",
    "by type": "A = type('A', (str,), {'__eq__': lambda self, other: other.x})\n",
    "put in later": "class A: pass\nA.__eq__ = lambda self, other: other.x\n",
    "every attribute": "class A:\n    def __getattr__(self, name):\n        return lambda *given: self\n",
    "another class": "class A:\n    @property\n    def __class__(self):\n        return str\n",
    "instances": "class M(type):\n    def __instancecheck__(cls, one):\n        return True\n",
}


@pytest.mark.parametrize("after", LOOKS_RIGHT.values(), ids=LOOKS_RIGHT)
def test_what_only_looks_right(after: str) -> None:
    """Objects that are equal, are asked or are of a class as the test wants it: a person looks."""
    assert "stand-ins" in added("app/text.py", after)


HONEST = {
    "of its own kind": "class A:\n    def __eq__(self, o):\n        return isinstance(o, A) and o.x == self.x\n",
    "or not": "class A:\n    def __eq__(self, o):\n        if type(o) is not A:\n            return NotImplemented\n        return True\n",
    "by its parts": "class A:\n    def __eq__(self, o):\n        return self.x == o.x\n",
    "the same one": "class A:\n    def __eq__(self, o):\n        return self is o\n",
    "a part of another": "class A:\n    def __getattr__(self, name):\n        return getattr(self._of, name)\n",
    "some attributes": "class A:\n    def __getattr__(self, name):\n        if name == 'x':\n            return 1\n        raise AttributeError(name)\n",
    "a text of another kind": "class A(str):\n    def upper(self):\n        return 'A'\n",
    "its place in sets": "class A:\n    def __hash__(self):\n        return hash(self.x)\n",
}


@pytest.mark.parametrize("after", HONEST.values(), ids=HONEST)
def test_honest_classes(after: str) -> None:
    """Comparing what is alike and passing attributes on is no finding."""
    assert added("app/text.py", after) == set()
