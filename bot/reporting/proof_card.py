"""A proof card for people: title, Markdown and plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.model.proof_card import Fact, FactKind, ProofCard, Row, RowKind, RowState
from bot.reporting.evidence import output
from bot.reporting.example import example
from bot.reporting.figures import count, duration
from bot.reporting.markdown import bullets, code, details, fence, table
from bot.reporting.plain import printable

_TITLES = {
    RowKind.TESTS: "The tests show the change",
    RowKind.SUITE: "Nothing else broke",
    RowKind.MUTANTS: "Faults that the tests notice",
    RowKind.BEHAVIOUR: "What it changes",
    RowKind.NECESSITY: "Each part is needed",
    RowKind.CAPABILITIES: "What it can do now",
    RowKind.STABILITY: "The tests are stable",
    RowKind.REPRODUCTION: "The reported steps",
}
_STATES = {
    RowState.SHOWN: "shown",
    RowState.NOT_SHOWN: "**not shown**",
    RowState.REFUTED: "**against it**",
    RowState.UNDECIDED: "undecided",
    RowState.NOT_ASKED: "nothing to show",
}
_LISTS = {
    FactKind.REFUTED: "Against the change",
    FactKind.PROVEN: "Proven",
    FactKind.NOT_JUDGED: "Changed, and not judged",
    FactKind.NOT_COVERED: "Not covered",
}
_OPEN = 5
"""Facts of a list that are shown before the rest is folded."""

_MOST = 100
"""Facts of a list that are shown at all."""

_BRIEF = 3
"""Facts of a list that stand above a fold."""

_LINE = 500
_WAY = "To get the same on your machine:"


@example(0, 0, 0, 0)
@example(2, 1, 1, 0)
@example(1, 0, 0, 2)
def title_of(proven: int, not_judged: int, not_covered: int, refuted: int) -> str:
    """Return one line: how much stands in each list."""
    parts = [f"{count(refuted, 'finding')} against the change"] if refuted else []
    parts.append(f"{count(proven, 'fact')} proven" if proven else "Nothing proven")
    if not_judged:
        parts.append(f"{not_judged} to judge")
    if not_covered:
        parts.append(f"{not_covered} not covered")
    return ", ".join(parts)


def title(card: ProofCard) -> str:
    """Return a card's title."""
    if card.problem:
        return "The change could not be tested"
    return title_of(
        *(
            len(card.facts(kind))
            for kind in (
                FactKind.PROVEN, FactKind.NOT_JUDGED, FactKind.NOT_COVERED, FactKind.REFUTED,
            )
        )
    )  # fmt: skip


def as_markdown(card: ProofCard) -> str:
    """Return a card for a check run or a job summary."""
    return "\n\n".join(filter(None, _sections(card))) + "\n"


def above_fold(card: ProofCard, *, brief: bool = False) -> str:
    """Return what a pull request shows at once: the rows, and the first facts that are open.

    A row that had nothing to show is left out. `brief` has what was shown in one row, without how.
    """
    asked = [row for row in card.rows if row.state is not RowState.NOT_ASKED]
    shown = [row for row in asked if brief and row.state is RowState.SHOWN]
    rows = [cells(row) for row in asked if row not in shown]
    if shown:
        names = [_TITLES[row.kind] for row in shown]
        rows.insert(0, ("; ".join([names[0], *map(_lowered, names[1:])]), "shown", ""))
    lists = [
        f"**{heading}**\n\n{_first(card.facts(kind))}"
        for kind, heading in _LISTS.items()
        if kind is not FactKind.PROVEN and card.facts(kind)
    ]
    return "\n\n".join([*([table(("Proof", "", ""), rows)] if rows else []), *lists])


def _lowered(title: str) -> str:
    return title[:1].lower() + title[1:]


def _first(facts: Sequence[Fact]) -> str:
    more = len(facts) - _BRIEF
    rest = [f"{more} more, folded below"] if more > 0 else []
    return bullets([*(f"{_place(fact)}{fact.text}" for fact in facts[:_BRIEF]), *rest])


def _sections(card: ProofCard) -> Iterator[str]:
    if card.problem:
        yield card.problem
        yield output("End of the setup output", card.setup_output)
    yield rows_table(card.rows)
    yield fact_lists(card)
    yield bullets(card.notes)
    if card.test:
        commands = "\n".join((_again(card), "", "# or step by step:", *card.setup, *_ran(card)))
        yield details(_WAY, fence(commands, "sh"))


def rows_table(rows: Sequence[Row]) -> str:
    """Return rows as a table of Markdown; nothing where there are none."""
    return table(("", "", ""), map(cells, rows)) if rows else ""


def cells(row: Row) -> tuple[str, str, str]:
    """Return title, state and summary of a row, as Markdown."""
    return _TITLES[row.kind], _STATES[row.state], row.summary


def fact_lists(card: ProofCard) -> str:
    """Return the facts of a card in their lists, as Markdown."""
    lists = [(heading, card.facts(kind)) for kind, heading in _LISTS.items()]
    return "\n\n".join(f"**{heading}**\n\n{_listed(facts)}" for heading, facts in lists if facts)


def _listed(facts: Sequence[Fact]) -> str:
    lines = [f"{_place(fact)}{fact.text}" for fact in facts[:_MOST]]
    shown = bullets(lines[:_OPEN])
    if len(facts) <= _OPEN:
        return shown
    more = [*lines[_OPEN:], *([f"… and {len(facts) - _MOST} more."] if len(facts) > _MOST else [])]
    return f"{shown}\n\n{details(f'{len(facts) - _OPEN} more', bullets(more))}"


def _place(fact: Fact) -> str:
    if fact.file is None or fact.line is None or code(fact.file) in fact.text:
        return ""
    return f"{code(f'{fact.file}:{fact.line}')} "


def _again(card: ProofCard) -> str:
    return card.again or f"git checkout {card.head} && fixpoint verify . --base {card.base}"


def _ran(card: ProofCard) -> list[str]:
    return [*dict.fromkeys(command for row in card.rows for command in row.ran)]


def as_text(card: ProofCard) -> str:
    """Return a card for a terminal; nothing in it is a control sequence."""
    return "\n".join(printable(line, _LINE) for line in _lines(card))


def _lines(card: ProofCard) -> Iterator[str]:
    yield f"{title(card)}."
    if card.problem:
        yield card.problem
    for row in card.rows:
        state = _STATES[row.state].strip("*")
        yield f"{_TITLES[row.kind]}: {state}. {plain(row.summary)}"
    for kind, heading in _LISTS.items():
        facts = card.facts(kind)
        if facts:
            yield f"{heading}:"
        for fact in facts[:_MOST]:
            yield f"- {plain(_place(fact) + fact.text)}"
        if len(facts) > _MOST:
            yield f"- and {len(facts) - _MOST} more"
    for note in card.notes:
        yield plain(note)
    yield duration(card.seconds)


def plain(markdown: str) -> str:
    """Return a sentence without its code marks."""
    return markdown.replace("`", "")


def row_line(row: Row) -> str:
    """Return one row as a line for a terminal, while the card grows."""
    return printable(
        f"{_TITLES[row.kind]}: {_STATES[row.state].strip('*')}. {plain(row.summary)}", _LINE
    )
