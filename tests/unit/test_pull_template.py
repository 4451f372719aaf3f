"""A repository's template for pull requests, filled in with what a run has shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from inline_snapshot import snapshot

from bot.reporting import pull_request
from bot.reporting.pull_template import MOST, TemplateAnswers, filled
from bot.runs.publishing.conventions import signs_off, template_path
from tests.unit.reports import FIXED, MARK

_SAID = TemplateAnswers(
    change="**Cause and change:** Centuries were taken for leap years.",
    why="**Failed:** `pytest`, 1 failing test.",
    proof="**Proof:** The failing command passes.",
    issue="Fixes #7",
    suite_passes=True,
)


def test_a_template_is_filled_in() -> None:
    """Our words take the place of comments and samples; boxes are ticked where something was shown."""
    template = """\
<!-- Thanks! Please read CONTRIBUTING.md -->
Thank you for your pull request.

## Description
Please include a summary of the change. Fixes #123

### Type of change
- [ ] Bug fix (non-breaking change which fixes an issue)
- [ ] New feature (non-breaking change which adds functionality)
- [ ] Breaking change (fix or feature that would cause existing functionality to change)

## How has this been tested?
- Test A

## Screenshots
<!-- if it is about the user interface -->

## Checklist
- [ ] I have added tests that prove my fix is effective
- [ ] All new and existing tests pass
- [ ] I signed the CLA, see #4, and asked @ann
"""
    assert filled(template, _SAID) == snapshot("""\
**Failed:** `pytest`, 1 failing test.

Fixes #7

## Description

**Cause and change:** Centuries were taken for leap years.

### Type of change

- [x] Bug fix (non-breaking change which fixes an issue)
- [ ] New feature (non-breaking change which adds functionality)
- [ ] Breaking change (fix or feature that would cause existing functionality to change)

## How has this been tested?

**Proof:** The failing command passes.

## Screenshots

*Not filled in by Fixpoint.*

## Checklist

- [ ] I have added tests that prove my fix is effective
- [x] All new and existing tests pass
- [ ] I signed the CLA, see 4, and asked ann

*Boxes that Fixpoint can't vouch for are left open.*\
""")


@pytest.mark.parametrize("template", ["Thanks! Describe your change.", "# Summary\n" + "x" * MOST])
def test_what_is_no_form_is_left_alone(template: str) -> None:
    """Without a heading there is nothing to fill in; what is too long nobody meant as a form."""
    assert filled(template, _SAID) is None


def test_a_body_in_the_template() -> None:
    """The proof card and the details stand below the template, whatever it asks for."""
    template = "## What\n\n## Why\n\n## Tests\n"
    body = pull_request.body(FIXED, MARK, template=template)
    assert body.partition("| Proof |")[0] == snapshot("""\
Fixes #7

## What

**Cause and change:** Centuries were taken for leap years.

## Why

**Failed:** `pytest -q tests/test_dates.py` at `2c64ae4`, 1 failing test: `tests.test_dates::test_leap_year`: `AssertionError: 1900 is no leap year`.

## Tests

**Proof:** The failing command passes with this patch (9 tests passed) in a clean sandbox that its author can't reach. The full test suite passes.

""")
    plain = pull_request.body(FIXED, MARK)
    assert body.partition("<details>")[2] == plain.partition("<details>")[2]


def test_boxes_need_a_proof() -> None:
    """Nothing is said of tests that did not run, and nothing of a box that is ticked already."""
    template = "## Checklist\n- [ ] All tests pass\n- [x] Formatted\n- [ ] Tests added\n"
    told = filled(template, replace(_SAID, suite_passes=False, adds_tests=True)) or ""
    assert "- [ ] All tests pass\n- [x] Formatted\n- [x] Tests added" in told


@pytest.mark.parametrize(
    ("paths", "chosen"),
    [
        (["README.md", ".github/PULL_REQUEST_TEMPLATE.md"], ".github/PULL_REQUEST_TEMPLATE.md"),
        (["docs/pull_request_template.md", "src/a.py"], "docs/pull_request_template.md"),
        (
            ["pull_request_template.txt", "docs/pull_request_template.md"],
            "pull_request_template.txt",
        ),
        (
            [
                ".github/PULL_REQUEST_TEMPLATE/a_release.md",
                ".github/PULL_REQUEST_TEMPLATE/bugfix.md",
            ],
            ".github/PULL_REQUEST_TEMPLATE/bugfix.md",
        ),
        (["src/pull_request_template.md"], None),
    ],
)
def test_where_the_template_is(paths: list[str], chosen: str | None) -> None:
    """It is where GitHub looks; of several, the one for fixes."""
    assert template_path(paths) == chosen


def test_whether_commits_are_signed_off() -> None:
    """Nearly all of the last commits have to be, and few commits say nothing."""
    signed, plain = "Fix it\n\nSigned-off-by: Ann <ann@example.com>", "Fix it"
    assert signs_off([*[signed] * 9, plain, *["Merge branch 'main'"] * 9])
    assert not signs_off([*[signed] * 7, *[plain] * 3])
    assert not signs_off([signed] * 5)
