"""What a name is where it stands: defined, used, mentioned; in the languages that guards read."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from bot.repair.proposers.agent.code_grep import (
    Match,
    SearchCode,
    SearchKind,
    as_posix,
    grep_command,
    read_matches,
)
from bot.repair.proposers.agent.code_search import described, placed, worth_reading


def found(search: SearchCode, files: dict[str, str]) -> str:
    """Return what a search of these files says."""
    matches = tuple(
        Match(path, number, line)
        for path, text in files.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if search.query in line
    )
    data = {path: text.encode() for path, text in files.items()}
    return described(search, placed(search, matches, data), cut=False)


PYTHON = '''\
"""Says what total is."""

RATE = 3


class Cart:
    def total(self, tax=0):
        """Return the total."""
        return sum(self.items) * (RATE + tax)


def bill(cart):
    total = cart.total()
    return pay(total=total)
'''


def test_a_name_of_python() -> None:
    """Methods, their callers, and words of comments are told apart; locals define nothing."""
    assert found(SearchCode("total"), {"shop.py": PYTHON}) == snapshot("""\
Defined (1):
shop.py:7-9 (in Cart): def total(self, tax=0):

Used (2):
shop.py:13 (in bill): total = cart.total()
shop.py:14 (in bill): return pay(total=total)

Mentioned (2):
shop.py:1: \"\"\"Says what total is.\"\"\"
shop.py:8 (in Cart.total): \"\"\"Return the total.\"\"\"\
""")


@pytest.mark.parametrize(
    ("path", "text", "defined"),
    [
        ("a.py", "RATE = 1\nprint(RATE)\n", "a.py:1: RATE = 1"),
        ("a.ts", "interface RATE {\n  a: number\n}\nlet x: RATE\n", "a.ts:1-3: interface RATE {"),
        ("a.js", "const RATE = () => 1\nRATE()\n", "a.js:1: const RATE = () => 1"),
        ("a.go", "package a\nfunc (c *C) RATE() {\n}\n", "a.go:2-3: func (c *C) RATE() {"),
        ("a.rs", "mod b {\n  struct RATE {}\n}\n", "a.rs:2 (in b): struct RATE {}"),
    ],
)
def test_a_definition_of_each_language(path: str, text: str, defined: str) -> None:
    """The grammars call the parts of a definition alike."""
    assert found(SearchCode("RATE"), {path: text}).startswith(f"Defined (1):\n{defined}")


def test_a_text_is_found_with_what_is_around_it() -> None:
    """A regular expression matches lines; nothing is said of names."""
    assert found(
        SearchCode("items", SearchKind.TEXT), {"shop.py": PYTHON, "notes.md": "items\n"}
    ) == (
        snapshot("""\
Found (2):
shop.py:9 (in Cart.total): return sum(self.items) * (RATE + tax)
notes.md:1: items\
""")
    )


def test_many_matches_are_counted_by_file() -> None:
    """A list that is too long ends with where the rest is."""
    text = "x = f()\n" * 100
    assert found(SearchCode("f"), {"a.py": text}).endswith("… and 40 more, in a.py (40)")
    assert found(SearchCode("nothing"), {"a.py": text}) == "Nothing matches 'nothing'."


def test_files_with_most_matches_are_read_first() -> None:
    """What can't be read for its size or number is listed all the same."""
    matches = (*(Match("b.py", n, "f") for n in range(3)), Match("a.py", 1, "f"))
    assert worth_reading(matches) == ("b.py", "a.py")
    assert described(SearchCode("f"), placed(SearchCode("f"), matches, {}), cut=True).startswith(
        "Mentioned (4):\nb.py:0: f"
    )


def test_output_is_read_whatever_names_are() -> None:
    """A name may have colons and newlines may be cut off; complaints are no matches."""
    output = "a:1.py\x003\x00def f():\nfatal: not a git repository\nb.py\x004\x00f"
    assert read_matches(output) == (Match("a:1.py", 3, "def f():"), Match("b.py", 4, "f"))
    assert "'it'\"'\"'s; rm -rf /'" in grep_command(SearchCode("it's; rm -rf /"))


@pytest.mark.parametrize(
    ("pattern", "arguments"),
    [
        (r"v\d+", ("-e", "v[0-9]+")),
        (r"[\d.]+\D", ("-e", "[0-9.]+[^0-9]")),
        (r"def \w+\(self", ("-e", r"def [[:alnum:]_]+\(self")),
        (r"[\w-]+\s*=", ("-e", "[[:alnum:]_-]+[[:space:]]*=")),
        (r"(?:get|set)_\bx", ("-e", r"(get|set)_\bx")),
        (r"(?i)cart", ("-i", "-e", "cart")),
        (r"a.*?b+?", ("-e", "a.*b+")),
        (r"[*?]\\", ("-e", r"[*?]\\")),
    ],
)
def test_patterns_of_perl_are_written_for_posix(pattern: str, arguments: tuple[str, ...]) -> None:
    """As far as there is the same."""
    assert as_posix(pattern) == arguments
