"""What a release changed for a repository."""

from __future__ import annotations

import pytest

from bot.model.culprit import ApiChange, ApiChangeKind
from bot.repair.culprit.api_difference import ApiQuestion, compare
from bot.repair.culprit.package_api import CHANGELOG, METADATA

_BEFORE = {
    METADATA: "Name: moody\nProvides-Extra: fast\n",
    "moody/__init__.py": "from moody.core import *\nfrom moody.core import Mood, check, guess, say\n",
    "moody/core.py": '''\
import warnings
from moody.text import Codec

def say(text, loud=False):
    """Say it.

    .. deprecated:: 1.4
        Will be removed. Use :func:`hmac.compare_digest` instead.
    """
    return text

def old_name(value):
    parts = [part.strip() for part in value.split(",")]
    return sorted(part for part in parts if part)

def check(argname, value, expected, memo=None): ...
def guess(mood, seed=1): ...

class Mood:
    @property
    def score(self): return 1
    def name(self): return ""
    def set(self, server, key, value=""): ...

_codec = Codec()
encode = _codec.encode
''',
    "moody/text.py": "class Codec:\n    def encode(self, value): ...\n",
    "moody/legacy.py": "def shout(text): ...\n",
}

_AFTER = {
    METADATA: "Name: moody\nProvides-Extra: fast\nProvides-Extra: letters\n",
    CHANGELOG: "2.0\n===\n\n- `check` lost argname.\n- Something else.\n",
    "moody/__init__.py": "from moody.core import Mood, check, guess\n",
    "moody/core.py": """\
from moody.text import Codec

def new_name(value):
    parts = [part.strip() for part in value.split(",")]
    return sorted(part for part in parts if part)

def check(value, expected, *, memo=None): ...
def guess(mood, seed=None): ...

class Mood:
    def score(self): return 1
    @property
    def name(self): return ""
    def set(self, key, value=""): ...

_codec = Codec()
encode = _codec.encode
""",
    "moody/text.py": "class Codec:\n    def encode(self, value) -> str: ...\n",
    "moody/loud.py": "def shout(text): ...\n",
}


def found(
    program: str, words: str = "", shown: frozenset[int] = frozenset()
) -> dict[str, ApiChange]:
    places = frozenset(("app.py", line) for line in shown)
    question = ApiQuestion("moody", _BEFORE, _AFTER, {"app.py": program}, places, words)
    return {
        f"{change.kind}: {change.name}"
        + (f" {change.parameter}" if change.parameter else ""): change
        for change in compare(question).changes
        if change.kind is not ApiChangeKind.EXTRA
    }


@pytest.mark.parametrize(
    ("program", "change", "instead"),
    [
        ("from moody import say", "removed: moody.say", ("hmac.compare_digest",)),
        (
            "import moody.core as m\nm.old_name('a')",
            "removed: moody.core.old_name",
            ("moody.core.new_name",),
        ),
        ("from moody.legacy import shout", "removed: moody.legacy.shout", ("moody.loud.shout",)),
        ("import moody\nmoody.check('x', 1, int)", "parameter removed: moody.check argname", ()),
        ("import moody\nmoody.check(memo={}, value=1)", "", ()),
        (
            "import moody\nmoody.check('x', 1, int, {})",
            "parameter by keyword only: moody.check memo",
            (),
        ),
        ("import moody\nmoody.guess('low')", "default changed: moody.guess seed", ()),
        ("import moody\nmoody.guess('low', seed=2)", "", ()),
        ("def f(mood):\n    return mood.score", "became a method: moody.core.Mood.score", ()),
        ("def f(mood):\n    return mood.score()", "", ()),
        ("def f(mood):\n    return mood.name()", "became an attribute: moody.core.Mood.name", ()),
        (
            "def f(mood):\n    mood.set('a', 'b')",
            "parameter removed: moody.core.Mood.set server",
            (),
        ),
        ("from elsewhere import say\nsay('x')", "", ()),
    ],
)
def test_tells_what_changed_of_what_is_used(
    program: str, change: str, instead: tuple[str, ...]
) -> None:
    """A difference counts only where the repository meets it."""
    changes = found(program)
    assert (change in changes) == bool(change) or not changes
    if change:
        assert changes[change].instead == instead
    else:
        assert not changes


def test_what_the_failure_goes_through_comes_first() -> None:
    """A line of the traceback, or a name in the message, tells the cause from what is only near."""
    program = "import moody\nmoody.guess('low')\nmoody.check('x', 1, int)\n"
    changes = found(program, "TypeError: check() got an unexpected argument", frozenset({3}))
    first, *others = changes.values()
    assert (first.name, first.is_shown) == ("moody.check", True)
    assert not any(change.is_shown for change in others if change.name == "moody.guess")


def test_what_a_call_returns_counts_where_the_failure_lacks_something_of_it() -> None:
    """Newly annotated functions are no news; one that returns what lacks the method is."""
    program = "import moody.core\nmoody.core.encode(1).decode()\n"
    words = "AttributeError: 'str' object has no attribute 'decode'"
    assert "returns something else: moody.core.encode decode" in found(program, words)
    assert not found(program)


@pytest.mark.parametrize("asked", ["letters", "Letters", "let-ters"])
def test_a_new_extra_and_the_changelog_are_told(asked: str) -> None:
    """The message of an import that fails names the extra; the changelog's own line is quoted."""
    extra = asked.lower().replace("-", "_")
    question = ApiQuestion(
        "moody",
        _BEFORE,
        _AFTER | {METADATA: f"Name: moody\nProvides-Extra: fast\nProvides-Extra: {extra}\n"},
        {"app.py": "import moody\nmoody.check('x', 1, int)\n"},
        frozenset({("app.py", 2)}),
        f"ImportError: install moody[{asked}]",
    )
    told = compare(question)
    extras = [change for change in told.changes if change.kind is ApiChangeKind.EXTRA]
    assert [(change.parameter, change.is_shown) for change in extras] == [(extra, True)]
    assert told.changelog == "- `check` lost argname."
