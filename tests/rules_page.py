"""Print every rule of *mechanical* with its examples: `python -m tests.rules_page` writes `docs/rules.md`."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

from bot.repair.proposers.mechanical.rules.application import RULES
from bot.repair.proposers.mechanical.rules.rule import Example, Rule

PAGE = Path(__file__).parent.parent / "docs" / "rules.md"

_TOP = """\
# Rules

What a project's tools only report, the *mechanical* proposer repairs by rules, without a model. Each rule answers diagnostics by the tool's code or message, and changes what the message spells out. Fix modes of the project's own tools run first, and again after the rules. The failing command runs between the rounds, and the patch is verified like any other. A name that is guessed by its spelling needs more than a linter that is silent: a type checker, or a test that fails while the unknown name stands there. Without one, unless it is an evident slip (`heigth` for `height`) in a call that fits, the patch is only *suggested*.

Rules never silence a tool: they add no `# noqa`, no `# type: ignore`, no `Any` and no exclusion. Where two names are as near, or the message doesn't say enough, they leave the line alone, and the report says what remains. The pull request lists every repair, and says which ones were guessed. Errors of programs that ran (a `NameError` in a test) are repaired in the program, never in the test.

The code and its examples are in `bot/repair/proposers/mechanical/rules/`; `make sentences` writes this page from them, and a test keeps it true.

"""


def page() -> str:
    """Return the whole page."""
    return _TOP + "\n".join("\n".join(_section(rule)) for rule in RULES)


def _section(rule: Rule) -> Iterator[str]:
    yield f"## {rule.name[0].upper()}{rule.name[1:]}"
    yield ""
    codes = ", ".join(f"`{code}`" for code in sorted(rule.codes - {"", "error", "pyflakes"}))
    yield f"{(rule.repair.__doc__ or '').strip().splitlines()[0]} {f'Answers {codes}.' if codes else 'Answers any tool by its message.'}"
    for example in (rule.example, *rule.more):
        yield ""
        yield f"`{example.code}`: {example.message}" if example.code else example.message
        yield ""
        yield "```diff"
        yield from _difference(example)
        yield "```"
    yield ""


def _difference(example: Example) -> Iterator[str]:
    before, after = example.before.splitlines(), example.after.splitlines()
    whole = difflib.unified_diff(before, after, lineterm="", n=9)
    yield from (line for n, line in enumerate(whole) if n > 2)
    for path, text in example.beside:
        yield from ("--- /dev/null", f"+++ {path}", *(f"+{line}" for line in text.splitlines()))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
