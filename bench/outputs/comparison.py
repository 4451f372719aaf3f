"""Hold what is read from a recording, and from it as CI shows it, against the tool's own report."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.outputs.recording import Recording
from bot.ci.failures import registry

COMMAND = "the command"

UNTOLD = (
    (
        r"go .* exits (?:default|no vet)",
        "without -v, go doesn't say in which test os.Exit was called",
    ),
    (
        r"go 1\.19.* (?:unfinished|passing|lookalikes) .*",
        "its events lose results behind unfinished lines",
    ),
    (
        r"go 1\.(?:19|21).* late (?:default|no vet)",
        "only the stack names the test, without its subtest",
    ),
    (r"go .* lookalikes (?:default|verbose|no vet)", "raw lines of go's own form"),
    (r"cargo .* lookalikes no capture", "raw lines of libtest's own form"),
    (r"nextest .* lookalikes (?:no capture|no indent)", "raw lines of nextest's own form"),
    (r"vitest .* raw lookalikes tap-flat", "raw lines of TAP"),
    (r"(?:mocha|jest|node) .*lookalikes .*", "raw lines of a tree of passing tests"),
    (r"unittest .* lookalikes .*", "raw lines that name another tool's passing tests"),
    (r"pytest .* lookalikes no capture.*", "raw lines of pytest's own form"),
    (r"pytest .* names tb (?:no|line)", "an id with ` - ` in it, where no account names it, too"),
    (r"pytest 6.* doctest .*", "pytest 6 gives no reason for a doctest"),
    (
        r"unittest [23]\.(?:7|6|8|9|10|11)\S* outcomes (?:default|buffered)",
        "an unexpected success has no name",
    ),
    (
        r"unittest 3\.12.* fixtures buffered",
        "unittest itself breaks with -b where a class can't be set up",
    ),
    (r"vitest 0\..* broken beforeAll .*", "console, JSON and TAP of this version differ"),
    (r"vitest 0\..* outcomes tap-flat", "this version's TAP breaks off at `throw 'text'`"),
    (r"node 18.* no tests .*", "the report has the file's whole path"),
    (r"ruff 0\.1\..* syntax .*", "a syntax error is printed twice, once without its code"),
    (r"surefire .* exits .*", "the XML doesn't have the class whose program ended"),
)
"""What a form of output doesn't tell, or a report, and why; by tool, version, kind and form."""


def is_told(recording: Recording) -> bool:
    """Whether a recording's output tells what its report says."""
    name = f"{recording.tool} {recording.version} {recording.kind} {recording.form}"
    return not any(re.fullmatch(pattern, name) for pattern, _ in UNTOLD)


SILENT = {"tb no", "tb line", "no capture"}
"""Forms in which older versions give no reasons."""


def disagreements(recording: Recording, output: str) -> Iterator[str]:
    """Yield in one line each what is read otherwise than the report says.

    Args:
        recording: With the report.
        output: Its output, perhaps as something around the tool shows it.
    """
    seen = registry.read(output, failed=recording.exit_code != 0, command=COMMAND)
    told = recording.told

    def named(test: str) -> str:
        return " ".join(test.replace(told.joined_by, " ").split()) if told.joined_by else test

    failing = {named(each.test) for each in seen.failing}
    expected = {named(test) for test in told.failing}
    if recording.exit_code and (missed := expected - failing):
        yield f"misses {sorted(missed)[:4]}"
    extra = failing - expected
    if extra and (told.failing or len(extra) > 1 or not recording.exit_code):
        yield f"invents {sorted(extra)[:4]}"
    if recording.form not in SILENT and (
        silent := [
            each.test
            for each in seen.failing
            if not each.message and each.detail.strip() and named(each.test) in expected
        ]
    ):
        yield f"no message for {silent[:3]}"
    if told.passed is not None and (
        extra := {*map(named, seen.passed)} - {*map(named, told.passed)}
    ):
        yield f"passed, it says: {sorted(extra)[:4]}"
    if told.skipped is not None and (
        extra := {*map(named, seen.skipped)} - {*map(named, told.skipped)}
    ):
        yield f"skipped, it says: {sorted(extra)[:4]}"
    if told.counts is not None and seen.counts is not None:
        counts = (seen.counts.passed, seen.counts.failed, seen.counts.skipped)
        # Of files that can't be loaded some reporters say that one test fails.
        at_most = (told.counts[0], len(told.failing), told.counts[2])
        if counts != at_most and any(
            a not in {-1, b} for a, b in zip(told.counts, counts, strict=True)
        ):
            yield f"counts {counts} instead of {told.counts}"
