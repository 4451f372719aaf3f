"""Text of strangers in Markdown: shown, never obeyed."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from markdown_it import MarkdownIt

from bot.reporting.figures import cap, count, duration, money
from bot.reporting.markdown import (
    LIMIT,
    Section,
    code,
    details,
    escape,
    essential,
    fence,
    fit,
    table,
)
from bot.reporting.prose import line, opening, prose

ACTS = re.compile(r"(?:^|[^\w`])@[A-Za-z0-9]|#\d|\bGH-\d|https?://|\bwww\.\w", re.IGNORECASE)
"""What GitHub would turn into a mention, a reference or a link."""

HOSTILE_PIECES = [
    "@ann",
    "#12",
    "o/r#3",
    "GH-4",
    "Fixes #9",
    "https://x.org/a",
    "www.x.org",
    "a@b.org",
    "&lt;",
    "&#64;ann",
    "&#35;9",
    "<!-- x -->",
    "<b>",
    "</details>",
    "![i](http://x)",
    "[l](http://x)",
    "[r]: http://x",
    "`",
    "``",
    "```",
    "~~~",
    "*",
    "**",
    "_",
    "__",
    "|",
    "\\",
    "$",
    "$$",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "# ",
    "> ",
    "    ",
    "\t",
    "a",
    " ",
    "@",
    "#",
    "\u200b",
    "9",
    "www",
    ".",
    ":",
    "//",
]
HOSTILE = st.lists(st.sampled_from(HOSTILE_PIECES) | st.text(max_size=4), max_size=14).map("".join)


def shown_texts(markdown: str) -> str:
    """Return the texts that GitHub would look at for mentions and references."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown)
    texts, in_code = [], False
    for token in tokens:
        assert token.type != "html_block", token.content
        for child in token.children or ():
            assert child.type not in {"link_open", "image"}, markdown
            if child.type == "html_inline":
                assert child.content in {"<code>", "</code>"}, markdown
                in_code = child.content == "<code>"
            elif child.type == "text" and not in_code:
                texts.append(child.content)
            else:
                texts.append("\0")
        texts.append("\0")
    return "".join(texts)


@given(HOSTILE)
def test_escaped_text_does_nothing(text: str) -> None:
    """No mention, reference, link, image or HTML comes out of escaped text."""
    assert not ACTS.search(shown_texts(escape(text)))


@given(HOSTILE)
def test_prose_does_nothing(text: str) -> None:
    """Markdown of a model keeps its shape and loses everything that acts."""
    assert not ACTS.search(shown_texts(prose(text)))


@given(HOSTILE)
def test_line_does_nothing_and_is_one_line(text: str) -> None:
    """A sentence of a stranger stays one line without effects."""
    written = line(text)
    assert "\n" not in written
    assert not ACTS.search(shown_texts(f"Reason: {written}"))


@given(st.lists(st.tuples(HOSTILE, HOSTILE), min_size=1, max_size=4))
def test_tables_keep_their_cells(rows: list[tuple[str, str]]) -> None:
    """Whatever stands in a cell, a row has as many cells as the header."""
    written = table(("A", "B"), [(escape(left), code(right)) for left, right in rows])
    tokens = MarkdownIt("commonmark").enable("table").parse(written)
    assert sum(token.type == "td_open" for token in tokens) == 2 * len(rows)
    assert [token.type for token in tokens].count("table_open") == 1


@given(HOSTILE)
def test_fence_cannot_be_left(text: str) -> None:
    """A code block holds any content, fences included."""
    tokens = MarkdownIt("commonmark").parse(f"{fence(text)}\n\nafter")
    assert tokens[0].type == "fence"
    assert tokens[-2].content == "after"


@given(HOSTILE)
def test_code_is_one_span(text: str) -> None:
    """Code on one line is exactly one span, or HTML that shows the same."""
    (paragraph,) = [t for t in MarkdownIt("commonmark").parse(f"x {code(text)}") if t.children]
    kinds = {child.type for child in paragraph.children or ()}
    assert kinds <= {"text", "code_inline", "html_inline"}


def test_escape() -> None:
    """Formatting is shown as it was typed; what GitHub would link becomes code."""
    assert [
        escape("a * b_c __init__ [x](y) <b> | $x$ $3 `q`"),
        escape("# no heading"),
        escape("1. no list"),
        escape("thanks @ann, see o/r#3. mail a@b.org or https://x.org/a?b=c."),
        escape("@pytest.mark.skip hides\n\tit"),
    ] == snapshot(
        [
            "a \\* b_c \\_\\_init\\_\\_ \\[x\\](y) &lt;b&gt; &#124; \\$x\\$ $3 \\`q\\`",
            "\\# no heading",
            "1\\. no list",
            "thanks `@ann`, see `o/r#3`. mail `a@b.org` or `https://x.org/a?b=c`.",
            "`@pytest.mark.skip` hides it",
        ]
    )


def test_hidden_characters_are_spelled_out_in_code() -> None:
    """Zero-width and control characters in code are shown, terminal colours are dropped."""
    assert code("a\u200bb\x1b[31mc") == snapshot("`a<U+200B>bc`")


def test_code_is_cut() -> None:
    """Long code ends with an ellipsis."""
    assert code("x" * 50, limit=10) == snapshot("`xxxxxxxxx…`")


def test_prose() -> None:
    """A typical summary of a model keeps its structure."""
    text = (
        "# Cause\n\nThe check in `a.py` was wrong, see @ann. Fixes #99.\n\n"
        "- **first**: `x|y`\n  - deeper\n- [link](https://x.org) ![image](https://x.org/i.png)\n\n"
        "```python\nprint('@ann #9')\n```\n\n<details><summary>x</summary>"
    )
    assert prose(text) == snapshot("""\
**Cause**

The check in `a.py` was wrong, see `@ann`. Fixes `#99`.

- **first**: <code>x&#124;y</code>
  - deeper
- link `https://x.org` image `https://x.org/i.png`

```
print('@ann #9')
```

```
<details><summary>x</summary>
```\
""")


def test_opening_is_the_first_paragraph() -> None:
    """Headings are no opening; the first paragraph is, on one line."""
    assert opening("# Summary\n\nIt was\nwrong.\n\nMore.") == "It was wrong."
    assert opening("") == ""


def test_details_folds() -> None:
    """A folded block has the blank lines that Markdown inside needs."""
    assert details("A & B", "*x*") == snapshot("""\
<details>
<summary>A &amp; B</summary>

*x*

</details>\
""")


def test_fit_shortens_the_least_important_first() -> None:
    """Sections give way by rank, one form at a time, and essential ones stay."""
    sections = [
        essential("head"),
        Section(("x" * 100, "x" * 10), rank=2),
        Section(("y" * 100, "y" * 10), rank=1),
    ]
    assert fit(sections, 300) == "\n\n".join(["head", "x" * 100, "y" * 100])
    assert fit(sections, 200) == "\n\n".join(["head", "x" * 100, "y" * 10])
    assert fit(sections, 110) == "\n\n".join(["head", "x" * 100])
    assert fit(sections, 20) == "\n\n".join(["head", "x" * 10])
    assert fit(sections, 10) == "head"


@given(
    st.lists(st.builds(Section, st.tuples(st.text(), st.text())), max_size=5), st.integers(0, 30)
)
def test_fit_keeps_the_limit(sections: list[Section], limit: int) -> None:
    """Nothing that can be left out makes a text longer than its limit."""
    assert len(fit(sections, limit)) <= limit
    assert LIMIT == 65_536


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (None, "unknown cost"),
        ("0", "$0"),
        ("0.01234", "$0.0123"),
        ("0.00001", "less than $0.0001"),
        ("1234.5", "$1,234.5000"),
    ],
)
def test_money(amount: str | None, shown: str) -> None:
    """Money has four decimals, and an unknown price is never zero."""
    assert money(None if amount is None else Decimal(amount)) == shown


@pytest.mark.parametrize(
    ("amount", "shown"), [("2", "$2.00"), ("2.0", "$2.00"), ("0.125", "$0.125")]
)
def test_cap(amount: str, shown: str) -> None:
    """A budget has two decimals, or as many as it needs."""
    assert cap(Decimal(amount)) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 s"),
        (0.04, "0.1 s"),
        (0.42, "0.4 s"),
        (11.6, "12 s"),
        (59.6, "1 min 00 s"),
        (184, "3 min 04 s"),
        (3720, "1 h 02 min"),
    ],
)
def test_duration(seconds: float, shown: str) -> None:
    """Durations are written for people."""
    assert duration(seconds) == shown


def test_count() -> None:
    """Nouns agree with their number."""
    assert [count(1, "test"), count(1204, "test"), count(2, "entry", "entries")] == snapshot(
        ["1 test", "1,204 tests", "2 entries"]
    )
