"""The parts of a change that can be put back one by one. Pure.

A change is cut where its text allows it: into hunks, these into the statements and elements that
came, went or became others, and statements that became others into runs of words. New statements
have those inside of them as parts, and the operands of their conditions. What can't be read when it
is put back alone belongs to the next larger part.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from tree_sitter import Node

from bot.code.change import FileDiff
from bot.code.files import is_documentation, is_test_file
from bot.code.languages import TRAITS, Language
from bot.code.meaning import is_program, meaning
from bot.code.syntax import LITERALS, Syntax, compact, line_of, parents, parse, walk
from bot.repair.guards.embedded_tests import test_regions

MOST = 120
"""Parts of a change; the larger ones first."""

_LONGEST = 4_000
"""Lines of a file that are aligned; a longer one is one part."""

_DEEPEST = 8
_ALIKE = 0.5
"""Share of their text by which two statements are taken for one that was changed."""

_BLOCKS = frozenset({
    "module", "block", "program", "statement_block", "class_body", "statement_list", "source_file",
    "declaration_list", "switch_case", "switch_default", "field_declaration_list",
})  # fmt: skip
_COLLECTIONS = frozenset({
    "list", "set", "dictionary", "array", "object", "literal_value", "array_expression",
})  # fmt: skip
_ARGUMENTS = frozenset({"argument_list", "arguments"})
_CLAUSES = frozenset({
    "elif_clause", "else_clause", "except_clause", "finally_clause", "case_clause", "switch_case",
    "switch_default", "match_arm", "expression_case", "default_case", "type_case", "catch_clause",
})  # fmt: skip
_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
_SIMPLE = frozenset({
    "expression_statement", "return_statement", "raise_statement", "delete_statement",
    "break_statement", "continue_statement", "pass_statement", "assert_statement",
})  # fmt: skip
_END = b'__import__("os")._exit(70)'
_JOINING = frozenset({"and", "or", "&&", "||", "??"})
_CHOICES = frozenset({"conditional_expression", "ternary_expression"})
_BRANCHES = frozenset({"if_statement", "elif_clause", "if_expression"})


@dataclass(frozen=True, slots=True)
class ChangePart:
    """A part of a change, and what stands there when it is put back.

    Attributes:
        file: Its path.
        start: First byte of the changed file that is replaced.
        end: First byte that stays.
        text: What the base has there; None where the whole file is new.
        line: First line of the changed file that it is about, from 1.
        end_line: The last one.
        shown: Its first line, or the first that went.
        depth: In how many larger parts it is.
        is_removal: Whether it is something that went.
    """

    file: str
    start: int
    end: int
    text: bytes | None
    line: int
    end_line: int
    shown: str
    depth: int = 0
    is_removal: bool = False

    def holds(self, other: ChangePart) -> bool:
        """Whether another part belongs to this one."""
        return (
            self.file == other.file
            and self.start <= other.start
            and other.end <= self.end
            and self.depth < other.depth
        )

    def overlaps(self, other: ChangePart) -> bool:
        """Whether both replace some of the same text."""
        if self.file != other.file:
            return False
        return self.start <= other.end and other.start <= self.end


def put_back(
    units: Iterable[ChangePart], files: dict[str, bytes | None]
) -> dict[str, bytes | None]:
    """Return files with some parts put back that do not overlap; None for one that is gone.

    Args:
        units: The parts.
        files: The changed files, by path.
    """
    found: dict[str, bytes | None] = {}
    for unit in sorted(units, key=lambda item: item.start, reverse=True):
        data = found.get(unit.file, files[unit.file]) or b""
        gone = unit.text is None
        found[unit.file] = (
            None if gone else data[: unit.start] + (unit.text or b"") + data[unit.end :]
        )
    return found


def units_of(changes: Sequence[FileDiff], *, most: int = MOST) -> tuple[ChangePart, ...]:
    """Return the parts of a change: all hunks first, then their parts, from all files in turn.

    Args:
        changes: Its files; tests, documentation and what only moved have no parts.
        most: How many to return.
    """
    moved = _moved(changes)
    found = [
        unit
        for change in changes
        if not is_test_file(change.path) and not is_documentation(change.path)
        for unit in _of_file(change)
        if unit.shown not in moved or unit.depth
    ]
    turns = _in_turn(found)
    return tuple(itertools.islice(turns, most))


def crashes_in(changes: Sequence[FileDiff]) -> tuple[ChangePart, ...]:
    """Return the simple statements on changed lines of Python's functions, each as one that ends the process.

    Args:
        changes: The files of a change; tests have none.
    """
    return tuple(
        ChangePart(
            change.path, node.start_byte, node.end_byte, _END, line_of(node), line_of(node), ""
        )
        for change in changes
        if not is_test_file(change.path) and change.is_readable and change.new is not None
        if change.new.language is Language.PYTHON
        for node in change.new.added(change.added, *_SIMPLE)
        if any(above.type == "function_definition" for above in parents(node))
        and [child.type for child in node.named_children] != ["string"]
    )


def _in_turn(units: Sequence[ChangePart]) -> Iterator[ChangePart]:
    """Yield those of each depth from each file in turn."""
    for depth in sorted({unit.depth for unit in units}):
        rows: dict[str, list[ChangePart]] = {}
        for unit in units:
            if unit.depth == depth:
                rows.setdefault(unit.file, []).append(unit)
        for turn in itertools.zip_longest(*rows.values()):
            yield from (unit for unit in turn if unit is not None)


def _moved(changes: Sequence[FileDiff]) -> frozenset[str]:
    """Return files that have another name now, by what is shown of them."""
    new = {change.after for change in changes if change.is_new}
    return frozenset(change.path for change in changes if change.is_gone and change.before in new)


def _of_file(change: FileDiff) -> Iterator[ChangePart]:
    before, after = change.before, change.after
    if before == after:
        return
    whole = ChangePart(
        change.path, 0, len(after or b""), before, 1, max(1, len(change.lines_after)), change.path,
        is_removal=after is None,
    )  # fmt: skip
    longest = max(len(change.lines_before), len(change.lines_after))
    if after is None or not change.is_readable or longest > _LONGEST:
        yield whole
    elif before is None:
        yield whole
        yield from _File(change.path, b"", after).inside()
    elif meaning(change.path, before) != meaning(change.path, after):
        yield from _File(change.path, before, after).units()


@dataclass(frozen=True, slots=True)
class _Span:
    """Bytes of the changed file, and those of the base in whose place they are."""

    start: int
    end: int
    old_start: int
    old_end: int


@dataclass
class _File:
    """Cuts one file's change."""

    path: str
    before: bytes
    after: bytes
    old: Syntax | None = None
    new: Syntax | None = None
    _seen: set[str] = field(default_factory=set)
    _known: set[str] | None = None

    def __post_init__(self) -> None:
        if is_program(self.path, self.after) and is_program(self.path, self.before):
            self.old, self.new = parse(self.path, self.before), parse(self.path, self.after)
        self._seen = {meaning(self.path, self.after)}
        self._tests = test_regions(self.path, self.after)
        self._old_tests = test_regions(self.path, self.before)

    def units(self) -> Iterator[ChangePart]:
        """Yield the parts of a file that was there before."""
        for span in self._sound(self._hunks()):
            if self._is_test(span):
                continue
            unit = self._unit(span.start, span.end, self.before[span.old_start : span.old_end], 0)
            if unit is not None:
                yield unit
                yield from self._parts(span, 1)
                yield from self._asked(span)

    def inside(self) -> Iterator[ChangePart]:
        """Yield the parts of a file that is new."""
        if self.new is not None:
            yield from self._within(self.new.root, 1)
            yield from self._asked(_Span(0, len(self.after), 0, 0))

    def _is_test(self, span: _Span) -> bool:
        inside = any(start <= span.start and span.end <= end for start, end in self._tests)
        return inside or any(
            start <= span.old_start and span.old_end <= end and span.start == span.end
            for start, end in self._old_tests
        )

    def _hunks(self) -> Iterator[_Span]:
        old, new = _lines(self.before), _lines(self.after)
        starts = [0, *itertools.accumulate(map(len, new))]
        old_starts = [0, *itertools.accumulate(map(len, old))]
        blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        for tag, i1, i2, j1, j2 in blocks:
            if tag == "insert":
                step = self._best_slide(new, j1, j2, starts)
                i1, i2, j1, j2 = i1 + step, i2 + step, j1 + step, j2 + step  # noqa: PLW2901 - the same lines elsewhere
            if tag != "equal":
                yield _Span(starts[j1], starts[j2], old_starts[i1], old_starts[i2])

    def _best_slide(self, lines: list[bytes], first: int, last: int, starts: list[int]) -> int:
        """Return by how many lines an insertion is better taken for a later or an earlier one.

        A function's last line is often that of its neighbour, too; whole statements are meant.
        """
        if self.new is None:
            return 0
        steps, step = [0], 0
        while first + step > 0 and lines[first + step - 1] == lines[last + step - 1]:
            step -= 1
            steps.append(step)
        step = 0
        while last + step < len(lines) and lines[first + step] == lines[last + step]:
            step += 1
            steps.append(step)

        def held(step: int) -> int:
            items = self._items(self.new, starts[first + step], starts[last + step])
            return sum(item.end_byte - item.start_byte for item in items)

        return max(steps, key=lambda item: (held(item), -abs(item)))

    def _sound(self, hunks: Iterable[_Span]) -> list[_Span]:
        """Return the hunks; those that can't be read when they are put back alone are joined."""
        found: list[_Span] = []
        open_: _Span | None = None
        for hunk in hunks:
            span = _joined(open_, hunk) if open_ is not None else hunk
            if self._reads(self._changed(span)):
                found.append(span)
                open_ = None
            else:
                open_ = span
        while open_ is not None and found:
            open_ = _joined(found.pop(), open_)
            if self._reads(self._changed(open_)):
                break
        return [*found, *([open_] if open_ is not None else [])]

    def _reads(self, data: bytes) -> bool:
        return self.new is None or is_program(self.path, data)

    def _changed(self, span: _Span) -> bytes:
        text = self.before[span.old_start : span.old_end]
        return self.after[: span.start] + text + self.after[span.end :]

    def _unit(
        self,
        start: int,
        end: int,
        text: bytes,
        depth: int,
        shown: bytes = b"",
        place: Node | None = None,
    ) -> ChangePart | None:
        """Return a part, if what is left is a program that was not seen before and says something else."""
        data = self.after[:start] + text + self.after[end:]
        if not self._reads(data) or (said := meaning(self.path, data)) in self._seen:
            return None
        self._seen.add(said)
        own = self.after[start:end]
        first = start + len(own) - len(own.lstrip())
        line = self.after.count(b"\n", 0, first) + 1
        end_line = line + own.strip().count(b"\n")
        if place is not None:
            line, end_line = line_of(place), place.end_point.row + 1
        head = (shown or own.strip() or text.strip()).split(b"\n")[0].strip()
        return ChangePart(
            self.path, start, end, text, line, end_line, head.decode("utf-8", "replace"), depth,
            is_removal=not own.strip(),
        )  # fmt: skip

    def _parts(self, span: _Span, depth: int) -> Iterator[ChangePart]:
        """Yield the parts of a part."""
        if self.new is None or self.old is None:
            yield from self._lines_of(span, depth)
            return
        if depth > _DEEPEST:
            return
        new = self._items(self.new, span.start, span.end)
        old = self._items(self.old, span.old_start, span.old_end)
        covered = _is_all(self.new, span.start, span.end, new) and _is_all(
            self.old, span.old_start, span.old_end, old
        )
        if not covered or not (new or old):
            yield from self._runs(span, depth)
        elif len(new) == len(old) == 1:
            yield from self._runs(_between(new[0], old[0]), depth)
        else:
            yield from self._aligned(old, new, depth)

    def _lines_of(self, span: _Span, depth: int) -> Iterator[ChangePart]:
        """Yield the lines of a part of a text that no grammar reads."""
        old = _lines(self.before[span.old_start : span.old_end])
        new = _lines(self.after[span.start : span.end])
        starts = [span.start, *itertools.accumulate(map(len, new), initial=span.start)][1:]
        texts = (
            [line.decode("utf-8", "replace") for line in old],
            [line.decode("utf-8", "replace") for line in new],
        )
        for i, j, place in _pairs(*texts):
            at = starts[place] if j is None else starts[j]
            end = at if j is None else at + len(new[j])
            unit = self._unit(at, end, b"" if i is None else old[i], depth)
            if unit is not None:
                yield unit

    def _aligned(self, old: list[Node], new: list[Node], depth: int) -> Iterator[ChangePart]:
        for i, j, place in _pairs([compact(node) for node in old], [compact(node) for node in new]):
            before, after = None if i is None else old[i], None if j is None else new[j]
            if after is None and before is not None:
                unit = self._put_in(before, new, place, depth)
                if unit is not None:
                    yield unit
            elif before is None and after is not None:
                yield from self._without(after, depth)
                yield from self._within(after, depth + 1)
            elif before is not None and after is not None:
                text = self.before[before.start_byte : before.end_byte]
                unit = self._unit(after.start_byte, after.end_byte, text, depth)
                if unit is not None:
                    yield unit
                yield from self._runs(_between(after, before), depth + 1)

    def _without(self, node: Node, depth: int) -> Iterator[ChangePart]:
        """Yield a new statement or element as a part: left out, or nothing in its place."""
        start, end = _with_comma(node)
        empty = TRAITS[self.new.language].empty.encode() if self.new else b""
        text = b"" if self._reads(self.after[:start] + self.after[end:]) else empty
        unit = self._unit(start, end, text, depth)
        if unit is not None:
            yield unit

    def _put_in(self, node: Node, new: list[Node], place: int, depth: int) -> ChangePart | None:
        """Return a statement or element that went as a part, put back before a new one, or behind."""
        text = self.before[node.start_byte : node.end_byte]
        comma = node.parent is not None and node.parent.type not in _BLOCKS
        if place < len(new):
            at = new[place].start_byte
            indent = b"\n" + b" " * new[place].start_point.column
            said = text + (b", " if comma else indent)
        elif new:
            at = new[-1].end_byte
            indent = b"\n" + b" " * new[-1].start_point.column
            said = (b", " if comma else indent) + text
        else:
            return None
        return self._unit(at, at, said, depth, shown=text)

    def _within(self, node: Node, depth: int) -> Iterator[ChangePart]:
        """Yield the parts of what is new as a whole."""
        for child in walk(node):
            if child.id == node.id or child.type in _COMMENTS:
                continue
            deeper = depth + _depth(child, node)
            if deeper > _DEEPEST:
                continue
            if _is_item(child) and _parent(child) not in _ARGUMENTS | _COLLECTIONS:
                yield from self._without(child, deeper)

    def _asked(self, span: _Span) -> Iterator[ChangePart]:
        """Yield what is newly asked between two places: each condition as if it always held, or never.

        Of several that are joined, each is left out alone.
        """
        if self.new is None:
            return
        if self._known is None:
            nodes = walk(self.old.root) if self.old is not None else ()
            self._known = {
                compact(item.gone) for node in nodes for item in _simpler(self.new, node)
            }
        for node in walk(self.new.root, into=lambda node: _touches(node, span)):
            for item in _simpler(self.new, node) if _touches(node, span) else ():
                if _touches(item.gone, span) and compact(item.gone) not in self._known:
                    text = item.kept if isinstance(item.kept, bytes) else self._text(item.kept)
                    place, shown = item.whole, self._text(item.gone)
                    unit = self._unit(
                        place.start_byte, place.end_byte, text, _DEEPEST + 1, shown, item.gone
                    )
                    if unit is not None:
                        yield unit

    def _text(self, node: Node) -> bytes:
        return self.after[node.start_byte : node.end_byte]

    def _runs(self, span: _Span, depth: int) -> Iterator[ChangePart]:
        """Yield the runs of words that differ, where there are several."""
        if self.new is None or self.old is None:
            return
        new = _tokens(self.new, span.start, span.end)
        old = _tokens(self.old, span.old_start, span.old_end)
        pairs = SequenceMatcher(None, [t.text for t in old], [t.text for t in new], autojunk=False)
        runs = [pair for pair in pairs.get_opcodes() if pair[0] != "equal"]
        for _, i1, i2, j1, j2 in runs:
            run = _Span(
                new[j1 - 1].end_byte if j1 else span.start,
                new[j2].start_byte if j2 < len(new) else span.end,
                old[i1 - 1].end_byte if i1 else span.old_start,
                old[i2].start_byte if i2 < len(old) else span.old_end,
            )
            text = self.before[run.old_start : run.old_end]
            unit = self._unit(run.start, run.end, text, depth)
            if unit is not None:
                yield unit
            if (i1, j1) != (0, 0) or (i2, j2) != (len(old), len(new)) or i1 == i2:
                yield from self._items_of(run, depth + 1)

    def _items_of(self, run: _Span, depth: int) -> Iterator[ChangePart]:
        """Yield the statements and elements of a run, where it has any."""
        if self.new is None or self.old is None:
            return
        new = self._items(self.new, run.start, run.end)
        old = self._items(self.old, run.old_start, run.old_end)
        if new or old:
            yield from self._aligned(old, new, depth)

    def _items(self, syntax: Syntax | None, start: int, end: int) -> list[Node]:
        """Return the outermost statements and elements that stand wholly between two places."""
        found: list[Node] = []
        waiting = [syntax.root] if syntax is not None and start < end else []
        while waiting:
            node = waiting.pop()
            if node.end_byte <= start or node.start_byte >= end:
                continue
            inside = start <= node.start_byte and node.end_byte <= end
            if inside and _is_item(node) and not _is_of_new_call(node, start, end):
                found.append(node)
            else:
                waiting.extend(reversed(node.children))
        return found


def _parent(node: Node) -> str:
    return node.parent.type if node.parent is not None else ""


def _is_item(node: Node) -> bool:
    if not node.is_named or node.type in _COMMENTS or node.type == "statement_list":
        return False
    lists = _BLOCKS | _COLLECTIONS | _ARGUMENTS
    return node.type in _CLAUSES or _parent(node) in lists


def _is_of_new_call(node: Node, start: int, end: int) -> bool:
    """Whether a node is an argument of a call that stands between two places itself."""
    above = node.parent
    return (
        above is not None
        and above.type in _ARGUMENTS
        and start <= above.start_byte
        and above.end_byte <= end
    )


def _is_all(syntax: Syntax, start: int, end: int, items: Sequence[Node]) -> bool:
    """Whether there is nothing but these statements and elements between two places."""
    within = [(item.start_byte, item.end_byte) for item in items]
    return all(
        any(first <= token.start_byte and token.end_byte <= last for first, last in within)
        or token.type in {",", ";"}
        for token in _tokens(syntax, start, end)
    )


def _tokens(syntax: Syntax, start: int, end: int) -> list[Node]:
    """Return the words between two places, a literal being one; comments are none."""
    found: list[Node] = []
    waiting = [syntax.root] if start < end else []
    while waiting:
        node = waiting.pop()
        if node.end_byte <= start or node.start_byte >= end or node.type in _COMMENTS:
            continue
        if not node.children or node.type in LITERALS:
            if (
                node.start_byte >= start
                and node.end_byte <= end
                and node.start_byte < node.end_byte
            ):
                found.append(node)
        else:
            waiting.extend(reversed(node.children))
    return found


@dataclass(frozen=True, slots=True)
class _Simpler:
    """Something that is asked, and what is left when it isn't.

    Attributes:
        whole: What is replaced.
        kept: By what.
        gone: What is no longer asked.
    """

    whole: Node
    kept: Node | bytes
    gone: Node


def _simpler(syntax: Syntax, node: Node) -> Iterator[_Simpler]:
    """Yield a condition without each of its sides, a choice as each of its sides, a branch without condition."""
    operator = next((child for child in node.children if child.type in _JOINING), None)
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    condition = node.child_by_field_name("condition")
    if operator is not None and left is not None and right is not None:
        yield _Simpler(node, left, right)
        yield _Simpler(node, right, left)
    elif node.type in _CHOICES:
        named = node.named_children
        sides = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
        if condition is None and len(named) == 3:  # noqa: PLR2004 - Python's: value, condition, value
            sides, condition = (named[0], named[2]), named[1]
        for side in sides:
            if side is not None and condition is not None:
                yield _Simpler(node, side, condition)
    elif node.type in _BRANCHES and condition is not None and not _is_joined(condition):
        always = TRAITS[syntax.language].true
        inside = condition.type == "parenthesized_expression"
        yield _Simpler(condition, f"({always})".encode() if inside else always.encode(), condition)


def _is_joined(node: Node) -> bool:
    inner = node.named_children[0] if node.type == "parenthesized_expression" else node
    return any(child.type in _JOINING for child in inner.children)


def _touches(node: Node, span: _Span) -> bool:
    return node.start_byte < span.end and span.start < node.end_byte


def _depth(node: Node, top: Node) -> int:
    """Return in how many statements and elements a node is, below another one."""
    count, above = 0, node.parent
    while above is not None and above.id != top.id:
        count += _is_item(above)
        above = above.parent
    return count


def _with_comma(node: Node) -> tuple[int, int]:
    """Return where a node begins and ends, with one of the commas around it."""
    following, before = node.next_sibling, node.prev_sibling
    if following is not None and following.type == ",":
        return node.start_byte, following.end_byte
    if before is not None and before.type == ",":
        return before.start_byte, node.end_byte
    return node.start_byte, node.end_byte


def _pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int | None, int | None, int]]:
    """Yield which text became which: none for what came or went, and before which new one it stood."""
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        left = list(range(j1, j2))
        single = i2 - i1 == j2 - j1 == 1
        for i in range(i1, i2):
            alike = (j for j in left if single or _similarity(old[i], new[j]) >= _ALIKE)
            found = next(alike, None)
            if found is None:
                yield i, None, left[0] if left else j2
                continue
            yield from ((None, j, j) for j in left if j < found)
            left = [item for item in left if item > found]
            yield i, found, found
        yield from ((None, j, j) for j in left)


def _similarity(left: str, right: str) -> float:
    if max(len(left), len(right)) > _LONGEST:
        return float(left[:80] == right[:80])
    return SequenceMatcher(None, left, right, autojunk=False).ratio()


def _between(new: Node, old: Node) -> _Span:
    return _Span(new.start_byte, new.end_byte, old.start_byte, old.end_byte)


def _joined(first: _Span, second: _Span) -> _Span:
    return _Span(first.start, second.end, first.old_start, second.old_end)


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)
