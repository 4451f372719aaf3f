"""Tests inside of programs: a patch that changes them is verified with them as they were."""

from __future__ import annotations

import pytest

from bot.repair.guards.embedded_tests import with_tests_of

RUST = """\
fn double(x: i32) -> i32 {
    x + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles() {
        assert_eq!(double(3), 6);
    }
}
"""
FIXED = RUST.replace("x + 1", "x * 2")
PYTHON = '''\
def double(x):
    """Double a number.

    >>> double(3)
    6
    """
    return x + 1
'''


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("src/lib.rs", RUST, FIXED),
        ("src/lib.rs", RUST, FIXED.replace("    #[test]", "    // what it is for\n    #[test]")),
        (
            "src/lib.rs",
            RUST,
            FIXED.replace("    }\n}\n", "    }\n\n    #[test]\n    fn more() {}\n}\n"),
        ),
        ("app.py", PYTHON, PYTHON.replace("x + 1", "x * 2").replace("Double", "Return twice")),
        ("app.py", PYTHON, PYTHON.replace("    6\n", "    6\n    >>> double(0)\n    0\n")),
        ("tests/test_app.py", PYTHON, PYTHON.replace("6", "4")),
    ],
    ids=["a repair", "a comment", "another test", "words", "another example", "a file of tests"],
)
def test_tests_that_stay_as_they_are(path: str, before: str, after: str) -> None:
    """What a patch does beside them, or adds to them, stays."""
    assert with_tests_of(path, before.encode(), after.encode(), doctests=True) is None


@pytest.mark.parametrize(
    ("path", "before", "old", "new"),
    [
        ("src/lib.rs", RUST, "double(3), 6", "double(3), 4"),
        ("src/lib.rs", RUST, "        assert_eq!(double(3), 6);\n", ""),
        ("src/lib.rs", RUST, "    #[test]", "    #[test]\n    #[ignore]"),
        ("src/lib.rs", RUST, "#[cfg(test)]", '#[cfg(all(test, feature = "x"))]'),
        ("src/lib.rs", RUST, "    use super::*;\n", "    use super::*;\n    fn double(_: i32) -> i32 { 6 }\n"),
        ("app.py", PYTHON, "    6\n", "    4\n"),
        ("app.py", PYTHON, "    >>> double(3)\n    6\n", ""),
        ("app.py", PYTHON, "double(3)\n", "double(3)  # doctest: +SKIP\n"),
    ],
    ids=["an expected value", "an assertion", "a mark", "when it is compiled", "a function in its way",
         "an example's answer", "an example", "an example's option"],
)  # fmt: skip
def test_tests_that_are_put_back(path: str, before: str, old: str, new: str) -> None:
    """As they were, with the rest of the patch around them."""
    changed = before.replace(old, new, 1).replace("x + 1", "x * 2", 1)
    told = with_tests_of(path, before.encode(), changed.encode(), doctests=True)
    assert told == before.replace("x + 1", "x * 2", 1).encode()


def test_tests_that_are_gone() -> None:
    """A module of tests comes back at the end of its program."""
    without = FIXED[: FIXED.index("#[cfg")]
    told = with_tests_of("src/lib.rs", RUST.encode(), without.encode(), doctests=False)
    assert told is not None
    assert told.decode().endswith(RUST[RUST.index("#[cfg") :])


def test_examples_that_do_not_run_are_words() -> None:
    """Where no docstring is tested, a patch may change what it shows."""
    changed = PYTHON.replace("6", "4").encode()
    assert with_tests_of("app.py", PYTHON.encode(), changed, doctests=False) is None
