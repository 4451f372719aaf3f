"""An edit that leaves a file which no longer parses is told, and no other."""

from __future__ import annotations

from bot.repair.proposers.agent.edit_checks import newly_broken


def test_what_an_edit_breaks_is_told() -> None:
    """By the languages' grammars, and by Python itself, which minds the indentation."""
    good = b"def f():\n    return 1\n"
    assert "from about line 2 on" in newly_broken("a.py", good, b"def f():\nreturn 1\n")
    assert "from about line 1 on" in newly_broken("a.py", b"", b"def f(:\n    return 1\n")
    nested = (
        b"class A:\n    def f(self):\n        a = 1\n        return a\n\n    def g(self): pass\n"
    )
    outside = nested.replace(b"        return a", b"return a")
    assert "from about line 6 on" in newly_broken("a.py", nested, outside)
    assert "does not parse" in newly_broken("a.py", b"  x = (\n" + nested, b"  x = (\n" + outside)
    assert "does not parse" in newly_broken("a.ts", b"let a = 1\n", b"let a = (1\n")
    assert "does not parse" in newly_broken("a.go", b"package a\n", b"package a\nfunc {\n")


def test_what_parses_or_did_not_before_is_not() -> None:
    """Nor is a language that nobody reads here."""
    assert newly_broken("a.py", b"a = 1\n", b"a = 2\n") == ""
    assert newly_broken("a.py", b"def f(:\n", b"def f((:\n") == ""
    assert newly_broken("a.txt", b"", b"def f(:") == ""
    assert newly_broken("a.py", b"", b"a = '\\d'\n") == ""
