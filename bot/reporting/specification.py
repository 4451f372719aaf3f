"""Show the specification of a problem that no test showed, and which tests show it."""

from __future__ import annotations

from collections.abc import Iterator

from bot.model import Point, Report, RequestKind, Specification
from bot.reporting.example import example
from bot.reporting.markdown import code, indent
from bot.reporting.plain import printable
from bot.reporting.prose import line
from bot.reporting.reasons import test_first as reasons
from bot.reporting.series import series

_MOST_TESTS = 5

_EXAMPLE = Specification(
    "Totals leave out the first price",
    (
        Point(
            "`total([1, 3])` is 4.",
            "It is 3.",
            "Call `total([1, 3])`.",
            ("tests.test_total::test_all_prices_count",),
        ),
        Point("The docs name the currency.", why_not="A test can't read the docs."),
    ),
)


@example(_EXAMPLE)
@example(_EXAMPLE, tested=False)
def points(specification: Specification, *, tested: bool = True) -> str:
    """Return the points as a numbered list: what is expected, what happens, which tests show it.

    Args:
        specification: What is asked.
        tested: Whether tests were written for it.
    """
    numbered = enumerate(specification.points, 1)
    return "\n".join(f"{n}. {indent(_point(point, tested=tested), 3)}" for n, point in numbered)


def section(report: Report) -> str:
    """Return title and points below a heading, or nothing."""
    asked, reproduction = report.specification, report.reproduction
    if asked is None:
        return ""
    tested = reproduction is not None and reproduction.test_patch is not None
    return f"### Specification\n\n**{line(asked.title)}**\n\n{points(asked, tested=tested)}"


def plain_lines(specification: Specification) -> Iterator[str]:
    """Yield the specification as printable lines for a terminal."""
    what = "feature" if specification.kind is RequestKind.FEATURE else "specification"
    yield printable(f"{what}: {specification.title}")
    for n, point in enumerate(specification.points, 1):
        yield printable(f"{n}. {point.expected}")
        if point.happens:
            yield printable(f"   Now: {point.happens}")
        if point.see:
            yield printable(f"   To see it: {point.see}")
        if point.tests:
            yield printable(f"   Tests: {series(point.tests, most=_MOST_TESTS)}")
        elif point.why_not:
            yield printable(f"   No test: {point.why_not}")


def _point(point: Point, *, tested: bool) -> str:
    lines = [line(point.expected)]
    if point.happens:
        lines.append(f"Now: {line(point.happens)}")
    if point.see:
        lines.append(f"To see it: {line(point.see)}")
    if point.tests:
        names = series([code(test) for test in point.tests], most=_MOST_TESTS)
        lines.append(f"{'Test' if len(point.tests) == 1 else 'Tests'}: {names}")
    elif tested:
        lines.append(f"No test: {line(point.why_not or reasons.NO_TEST)}")
    return "\n".join([lines[0], *(f"- {line}" for line in lines[1:])])
