"""What a rule is: the diagnostics that it answers, and a pure function from a source to a repair."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.code.files import is_test_file
from bot.model import Failure
from bot.repair.proposers.mechanical.rules.project import ProjectNames
from bot.repair.proposers.mechanical.rules.source import RuleSource


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What a tool says about a line.

    Attributes:
        line: 1-based.
        column: 1-based, or None where the tool names none.
        code: The tool's own (`F401`, `name-defined`, `TS2552`), or "" for an error of a program
            that ran.
        message: The line that says why.
        detail: The tool's whole account; may be empty.
    """

    line: int
    column: int | None
    code: str
    message: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Reported:
    """A source, what a tool says about it, and what other files know."""

    source: RuleSource
    diagnostic: Diagnostic
    project: ProjectNames = field(default_factory=ProjectNames)

    @property
    def line(self) -> int:
        """Number of the line that the tool names."""
        return self.diagnostic.line


@dataclass(frozen=True, slots=True)
class Repair:
    """A source's new text, and in one sentence what was done.

    Attributes:
        guess: The unknown name and the one that was written for it, where only spelling speaks for
            it: a test has to run the place.
        beside: Texts of new files, by path.
    """

    text: str
    said: str
    guess: tuple[str, str] | None = None
    beside: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Example:
    """A repair to show and to test: a source, what a tool says about it, and the repaired source."""

    before: str
    line: int
    code: str
    message: str
    after: str
    path: str = "pkg/module.py"
    column: int | None = None
    detail: str = ""
    others: tuple[tuple[str, str], ...] = ()
    beside: tuple[tuple[str, str], ...] = ()

    def reported(self) -> Reported:
        """Return the example as a rule is given it."""
        said = Diagnostic(self.line, self.column, self.code, self.message, self.detail)
        return Reported(RuleSource(self.path, self.before), said, ProjectNames(dict(self.others)))


@dataclass(frozen=True, slots=True)
class Rule:
    """A repair of what a tool reports.

    Attributes:
        name: As reports and docs show it.
        codes: The tools' codes that it answers; any one where there is none.
        message: What the message must say; its groups are for the rule.
        repair: Returns the repair, None where it has none.
        example: Shown in docs, and tested.
        suffixes: Ends of the names of files that it reads; any file where there is none.
        words: Names the text that other files may explain.
        tests: Whether it also answers errors that a test itself raises.
        more: Further examples, of the same kind.
    """

    name: str
    codes: frozenset[str]
    message: re.Pattern[str]
    repair: Callable[[Reported], Repair | None]
    example: Example
    suffixes: tuple[str, ...] = (".py", ".pyi")
    words: Callable[[Diagnostic], str] | None = None
    tests: bool = False
    more: tuple[Example, ...] = ()

    def answers(self, path: str, diagnostic: Diagnostic) -> bool:
        """Whether this rule is for what a tool says about a file.

        An error of a program that ran says what is wrong with the program, so that most rules leave
        the test that shows it alone.
        """
        return (
            (not self.codes or diagnostic.code in self.codes)
            and (self.tests or bool(diagnostic.code) or not is_test_file(path))
            and (not self.suffixes or path.endswith(self.suffixes))
            and self.message.search(diagnostic.message) is not None
        )


def diagnostic_of(failure: Failure) -> Diagnostic | None:
    """Return a failure as a diagnostic, None where no tool names a file or a program no line.

    What a tool says of a whole file is said of its first line.
    """
    if failure.file is None:
        return None
    place, _, code = failure.test.rpartition(": ")
    whole = failure.line is None
    if whole and place != failure.file:
        return None
    code = code if whole or place == f"{failure.file}:{failure.line}" else ""
    return Diagnostic(failure.line or 1, failure.column, code, failure.message, failure.detail)
