"""Who owns a test: by GitHub's rules for CODEOWNERS, else by who wrote it."""

from __future__ import annotations

import pytest

from bot.code.owners import code_owner, main_author
from bot.model.quarantine import CodeOwner, OwnerSource

FILE = b"""\
# the last pattern that matches decides
*           @acme/all
*.js        @js  # with a comment
/build/     @built
docs/*      docs@example.com
apps/       @apps
/apps/odd   @odd
**/logs     @logs
deep/**/end @ends
src/a\\ b.py @spaces
/free/
!/tests/    @nobody
tests/[ab].py @literal
"""


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("README.md", ("@acme/all",)),
        ("lib/a.js", ("@js",)),
        ("build/x/y.py", ("@built",)),
        ("lib/build/y.py", ("@acme/all",)),
        ("docs/start.md", ("docs@example.com",)),
        ("docs/deep/start.md", ("@acme/all",)),
        ("lib/apps/x.py", ("@apps",)),
        ("apps/x.py", ("@apps",)),
        ("apps/odd", ("@odd",)),
        ("apps/odd/x.py", ("@odd",)),
        ("apps/oddly.py", ("@apps",)),
        ("deep/logs/x.txt", ("@logs",)),
        ("deep/end", ("@ends",)),
        ("deep/a/b/end/x", ("@ends",)),
        ("src/a b.py", ("@spaces",)),
        ("tests/a.py", ("@acme/all",)),
        ("tests/[ab].py", ("@literal",)),
    ],
)
def test_code_owners(path: str, names: tuple[str, ...]) -> None:
    """Patterns are anchored, cross folders and match what is below them as GitHub says."""
    assert code_owner(FILE, path) == CodeOwner(names, OwnerSource.CODEOWNERS)


def test_nobody_owns_what_the_last_pattern_leaves_open() -> None:
    """A pattern without names takes a file from the owners before it, and no file has owners."""
    assert code_owner(FILE, "free/x.py") is None
    assert code_owner(b"", "x.py") is None


def test_the_main_author_is_a_person() -> None:
    """Bots don't count; a login is taken from GitHub's own addresses."""
    ada = ("Ada", "7+ada-l@users.noreply.github.com")
    bot = ("renovate[bot]", "29139614+renovate[bot]@users.noreply.github.com")
    assert main_author([bot, bot, bot, ada, ("Bob", "bob@example.com"), ada]) == CodeOwner(
        ("ada-l",), OwnerSource.BLAME
    )
    assert main_author([("Bob", "bob@example.com"), bot]) == CodeOwner(("Bob",), OwnerSource.BLAME)
    assert main_author([bot, ("dependabot[bot]", "support@github.com")]) is None
