"""Rules that are no more than code before and code after: one template to a line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from itertools import product
from operator import or_

from bot.repair.proposers.search.evidence import UNPARSABLE
from bot.repair.proposers.search.mutations.atoms import condition_of
from bot.repair.proposers.search.mutations.blocks import in_loop
from bot.repair.proposers.search.mutations.precedence import needed, strength
from bot.repair.proposers.search.mutations.rule import Ideas, MutationRule, instead, likeliest_first
from bot.repair.proposers.search.mutations.scope import CHANGERS, SEQUENCES, FunctionScope
from bot.repair.proposers.search.mutations.source import is_loaded

_GIVES_UP = ast.Yield | ast.YieldFrom | ast.Await


def applies(place: str, scope: FunctionScope, node: ast.AST) -> bool:  # noqa: C901, PLR0911 - a table
    """Whether the rules of a place in the table of templates apply to a node."""
    above, home = scope.source.parent(node), scope.definition
    match place:
        case "statement":
            return home is not None
        case "in a loop":
            return in_loop(scope, node)
        case "generator":
            return bool(scope.yields)
        case "an answer":  # of a call: what changes a container answers nothing
            call = getattr(node, "value", None)
            return (
                home is not None
                and getattr(getattr(call, "func", None), "attr", "") not in CHANGERS
            )
        case "condition":
            return _is_condition(scope, node)
        case "operand":
            return isinstance(above, ast.BinOp) and not isinstance(above.op, ast.Pow | ast.Mod)
        case "a count":  # neither a start nor a result
            return not isinstance(above, ast.Assign | ast.Return | ast.UnaryOp)
        case "not awaited":
            return isinstance(home, ast.AsyncFunctionDef) and not isinstance(above, ast.Await)
        case "gathered":  # what is left of the arguments, given to a call as it is
            rest = home.args.vararg if home is not None else None
            named = rest is not None and rest.arg == getattr(node, "id", "")
            return named and isinstance(above, ast.Call)
        case "a value":
            return _is_expression(scope, node) and _is_value(above, node)
        case _:
            return _is_expression(scope, node)


def _is_expression(scope: FunctionScope, node: ast.AST) -> bool:
    above = scope.source.parent(node)
    return (
        isinstance(node, ast.expr)
        and is_loaded(node)
        and (not isinstance(above, ast.Expr) or isinstance(node, _GIVES_UP))
        and not scope.source.is_called(node)
        and not isinstance(above, ast.Attribute)
    )


def _is_condition(scope: FunctionScope, node: ast.AST) -> bool:
    above = scope.source.parent(node)
    while isinstance(above, ast.BoolOp):
        node, above = above, scope.source.parent(above)
    picked = isinstance(above, ast.comprehension) and node in above.ifs
    return picked or (above is not None and condition_of(above) is node)


def _is_value(above: ast.AST | None, node: ast.AST) -> bool:
    """Whether an expression is returned, assigned, given to a call, an index, or an item."""
    match above:
        case ast.Return() | ast.Yield() | ast.Assign() | ast.AugAssign():
            return not isinstance(node, ast.Compare | ast.BoolOp)
        case ast.Subscript(slice=inner):
            return inner is node
        case ast.ListComp(elt=inner) | ast.SetComp(elt=inner) | ast.GeneratorExp(elt=inner):
            return inner is node
        case _:
            kinds = ast.Call | ast.Tuple | ast.List | ast.For | ast.comprehension
            return isinstance(above, kinds)


# In what is before, `a` to `c` and `f` stand for any expression, `d` for one that is no constant, `k`
# for one that may be a key, `v` and `w` for a variable, an attribute or an item, `q` for one of these
# that may be a sequence, `s` for a variable that is one, `l` for one that is a container, `t` for a
# text, `n` for a whole number, `m` for the name of an attribute or a method, and `*z` for all
# arguments of a call. A letter that stands in what is after alone is each variable that is bound
# there: `x` any, `i` a number, `s` a sequence.

Parts = dict[str, str]
"""By letter, the code that it stands for."""

_PLACES = ast.Name | ast.Attribute | ast.Subscript
_KINDS = {"s": SEQUENCES, "l": frozenset({"list", "dict", "set"}), "t": frozenset({"str"})}


@dataclass(frozen=True)
class Template:
    """What some code may have to become.

    Attributes:
        before: An expression, or a statement.
        after: The same.
        statement: Whether `before` is matched with whole statements.
    """

    before: str
    after: str
    statement: bool = False

    def texts(self, scope: FunctionScope, node: ast.AST) -> Iterator[str]:
        """Yield what a node may become; nothing where it is something else."""
        parts: Parts = {}
        if _matches(scope, _parsed(self.before, statement=self.statement), node, parts):
            yield from _filled(scope, self.after, parts, node)

    @property
    def kind(self) -> type[ast.AST] | None:
        """The type of the nodes that it may match; None where it may be any expression."""
        pattern = _parsed(self.before, statement=self.statement)
        return None if _letter(pattern) else type(pattern)


@cache
def _parsed(text: str, *, statement: bool) -> ast.AST:
    [parsed] = ast.parse(text).body
    return parsed if statement or not isinstance(parsed, ast.Expr) else parsed.value


@cache
def _strength(code: str) -> int:
    """Return how tightly the code of a part binds; it may stand on several lines."""
    try:
        return strength(ast.parse(f"({code}\n)", mode="eval").body)
    except UNPARSABLE:
        return 0


def _letter(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) and re.fullmatch("[a-z]", node.id) else ""


def _matches(scope: FunctionScope, pattern: ast.AST, node: ast.AST, parts: Parts) -> bool:
    """Whether a node is what a pattern says; fills in the parts that letters stand for."""
    if letter := _letter(pattern):
        return isinstance(node, ast.expr) and _binds(scope, letter, node, parts)
    if type(pattern) is not type(node):
        return False
    if isinstance(pattern, ast.Call) and isinstance(node, ast.Call) and _takes_all(pattern):
        items: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
        parts["z"] = ", ".join(scope.source.part(child) for child in items)
        return _matches(scope, pattern.func, node.func, parts)
    return all(
        _same(scope, getattr(pattern, name), getattr(node, name, None), parts)
        for name in pattern._fields
        if name not in {"ctx", "kind", "type_comment"}
    )


def _takes_all(call: ast.Call) -> bool:
    return any(isinstance(expression, ast.Starred) for expression in call.args)


def _same(scope: FunctionScope, pattern: object, value: object, parts: Parts) -> bool:
    if isinstance(pattern, ast.AST):
        return isinstance(value, ast.AST) and _matches(scope, pattern, value, parts)
    if isinstance(pattern, list):
        return (
            isinstance(value, list)
            and len(pattern) == len(value)
            and all(_same(scope, *pair, parts) for pair in zip(pattern, value, strict=True))
        )
    if pattern == "m" and isinstance(value, str):
        return parts.setdefault("m", value) == value
    return pattern == value and type(pattern) is type(value)


def _binds(scope: FunctionScope, letter: str, node: ast.expr, parts: Parts) -> bool:
    """Whether a letter may stand for an expression, and for the same one as before."""
    code = scope.source.part(node)
    match letter:
        case "n":
            value = node.value if isinstance(node, ast.Constant) else None
            fits = isinstance(value, int) and not isinstance(value, bool)
        case "d":
            fits = not isinstance(node, ast.Constant)
        case "k":
            number = isinstance(node, ast.Constant) and not isinstance(node.value, str)
            fits = not number and not isinstance(node, ast.UnaryOp | ast.Tuple)
        case "v" | "w":
            fits = isinstance(node, _PLACES)
        case "q":
            fits = isinstance(node, _PLACES) and (not scope.kinds(code) or scope.is_sequence(code))
        case "s" | "l" | "t":
            fits = scope.has(code, *_KINDS[letter])
        case _:
            fits = True
    fits = fits and not isinstance(node, ast.Starred | ast.Slice | ast.GeneratorExp)
    return fits and parts.setdefault(letter, code) == code


def _filled(scope: FunctionScope, after: str, parts: Parts, node: ast.AST) -> Iterator[str]:
    """Yield a template with its parts filled in, and each variable for each new letter."""
    parsed = ast.parse(after)
    letters = {_letter(child) for child in ast.walk(parsed)} - {"", *parts}
    line = getattr(node, "lineno", 1)
    options = [_variables(scope, letter, line) for letter in sorted(letters)]
    for names in product(*options):
        new = dict(zip(sorted(letters), names, strict=True))
        yield _written(after, parsed, parts | new)


def _variables(scope: FunctionScope, letter: str, line: int) -> list[str]:
    names = scope.bound_before(line)
    match letter:
        case "i":
            return [name for name in names if scope.is_number(name)]
        case "s":
            return [name for name in names if scope.is_sequence(name)]
        case "x":
            return list(names)
        case _:
            return []


def _written(after: str, parsed: ast.Module, parts: Mapping[str, str]) -> str:
    """Return a template's text with the parts in it, in parentheses where they need them."""
    places: list[tuple[int, int, str]] = []
    for above in ast.walk(parsed):
        if isinstance(above, ast.Attribute) and above.attr in parts:
            places.append((above.end_col_offset or 0, 1, parts[above.attr]))
        for node in ast.iter_child_nodes(above):
            if isinstance(node, ast.Starred) and _letter(node.value) == "z":
                places.append((node.end_col_offset or 0, 2, parts["z"]))
            elif (letter := _letter(node)) and letter != "z":
                code = parts[letter]
                code = code if _strength(code) >= needed(above, node) else f"({code})"
                places.append((getattr(node, "end_col_offset", 0), 1, code))
    for end, length, code in sorted(places, reverse=True):
        after = after[: end - length] + code + after[end:]
    return after


_TABLE = """
grouping                      anywhere    -a ** b             -> (-a) ** b
bit                           anywhere    a & b               -> a & (1 << b)  (1 << a) & b
bit                           anywhere    a | b               -> a | (1 << b)  (1 << a) | b
logic                         anywhere    a and b             -> a or b
logic                         anywhere    a or b              -> a and b
logic                         anywhere    a and b and c       -> (a or b) and c  a and b or c
logic                         anywhere    a or b or c         -> a and b or c  a or b and c
call on the rest              anywhere    f(a) + b - c        -> f(a) + f(b - c)
call on the rest              anywhere    f(a) - b - c        -> f(a) - f(b - c)
star                          gathered    v                   -> *v
missing argument: usual       anywhere    sorted(a)           -> sorted(a, reverse=True)  sorted(a, key=len)
missing argument: usual       anywhere    max(a)              -> max(a, default=0)  max(a, default=None)  max(a, key=len)
missing argument: usual       anywhere    min(a)              -> min(a, default=0)  min(a, default=None)  min(a, key=len)
missing argument: usual       anywhere    a.get(b)            -> a.get(b, 0)  a.get(b, None)  a.get(b, [])
missing argument: usual       anywhere    a.pop()             -> a.pop(0)
missing argument: usual       statement   a.popitem()         -> a.popitem(last=False)
missing argument: usual       anywhere    a.popitem()         -> a.popitem(last=False)
square                        operand     v                   -> v ** 2
truth value                   anywhere    True                -> False  None
truth value                   anywhere    False               -> True  None
truth value                   anywhere    None                -> False  True
truth value                   in a loop   v = True            -> v = not v
shared value                  anywhere    [d] * a             -> [d for _ in range(a)]
shared value                  statement   v.clear()           -> v = []  v = {}  v = set()
item                          anywhere    s                   -> s[0]  s[-1]  s[1:]  s[:-1]  s[::-1]
missing key                   anywhere    a[k]                -> a.get(k, 0)  a.get(k)  a.get(k, [])
each line                     a value     f(t)                -> [part for line in t.splitlines() for part in f(line)]
missing copy                  anywhere    l                   -> l.copy()  list(l)  l[:]
missing call: on a text       anywhere    t                   -> t.lower()  t.strip()  t.upper()  t.split()
missing call: on a text       anywhere    a.m(*z)             -> a.m(*z).lower()  a.m(*z).strip()
missing call: method          anywhere    v.m                 -> v.m()
await: missing                not awaited f(*z)               -> await f(*z)
yield                         anywhere    yield a             -> yield from a
yield                         generator   f(*z)               -> yield from f(*z)  yield f(*z)
missing return                an answer   f(*z)               -> return f(*z)
unused result                 statement   v == a              -> v = a
unused result                 statement   v >> a              -> v >>= a
unused result                 statement   v.m                 -> v.m()
unused result                 an answer   v.m(*z)             -> v = v.m(*z)
wrong end                     statement   a.append(b)         -> a.insert(0, b)
wrong end                     statement   a.insert(0, b)      -> a.append(b)
wrong end                     statement   q += a              -> q = a + q
tally                         statement   v[a] = [b]          -> v.setdefault(a, []).append(b)
tally                         statement   v[a] = {b}          -> v.setdefault(a, set()).add(b)
tally                         statement   v[a] += b           -> v[a] = v.get(a, 0) + b
tally: of a number            statement   v[a] = b            -> v[a] = v.get(a, 0) + b
assigned place                statement   v = min(a, w)       -> w = min(a, w)
assigned place                statement   v = min(w, a)       -> w = min(w, a)
assigned place                statement   v = max(a, w)       -> w = max(a, w)
loop exit                     statement   break               -> continue
loop exit                     statement   continue            -> break
loop exit                     statement   pass                -> continue  break  return
loop exit                     in a loop   return a            -> continue  break
negation                      condition   a                   -> not a
uncalled method               condition   a.m                 -> a.m()
uncalled method               condition   not a.m             -> not a.m()
other question                condition   v                   -> v is not None  v is None  v > 1  v > 0
other question                condition   v                   -> isinstance(v, list)  isinstance(v, str)
other question                condition   f(*z)               -> f(*z) is not None  f(*z) is None
other question                condition   a is None           -> not a
other question                condition   a is not None       -> a
membership                    condition   a.get(b)            -> b in a
membership                    condition   not a.get(b)        -> b not in a
membership                    condition   a.get(b) is None    -> b not in a
membership                    condition   a.get(b) is not None -> b in a
misplaced not                 anywhere    a and not b         -> a or b
misplaced not                 anywhere    a or not b          -> a and b
variable for a number         a count     n                   -> i
missing term                  a value     d                   -> max(0, d)
missing term                  a value     []                  -> [[]]
missing term                  a value     d                   -> d + s  s + d
missing term                  a value     d                   -> [x] + d  d + [x]
missing term: other           a value     d                   -> max(d, i)  min(d, i)
missing term: other           a value     d                   -> -d  [d]  1 + d  2 * d  d // 2
missing term: negative beside anywhere    (-a, b)             -> (-a, -b)
"""
"""A rule and its case, where it applies, code before, and what it may become: likely ones first."""


_STATEMENTS = frozenset({"statement", "in a loop", "an answer", "generator"})

_Line = tuple[str, str, tuple[Template, ...]]
"""A case of a rule, where it applies, and its templates."""


def _lines() -> Iterator[tuple[str, _Line]]:
    for line in _TABLE.strip().splitlines():
        rule, _, case = line[:30].strip().partition(": ")
        place = line[30:42].strip()
        before, _, after = line[42:].partition("->")
        texts = [text.strip() for text in after.split("  ") if text.strip()]
        made = tuple(Template(before.strip(), item, place in _STATEMENTS) for item in texts)
        yield rule, (case, place, made)


def _rule(name: str, lines: list[_Line]) -> MutationRule:
    def ideas(scope: FunctionScope, node: ast.expr | ast.stmt) -> Ideas:
        for case, place, templates in lines:
            if applies(place, scope, node):
                falling = likeliest_first(item.after for item in templates)
                for template in templates:
                    factor = falling[template.after]
                    for text in template.texts(scope, node):
                        yield instead(scope, node, text, case, factor=factor)

    kinds = {item.kind or ast.expr for _, _, templates in lines for item in templates}
    return MutationRule(name, reduce(or_, kinds), ideas)


def _rules() -> tuple[MutationRule, ...]:
    found: dict[str, list[_Line]] = {}
    for name, line in _lines():
        found.setdefault(name, []).append(line)
    return tuple(_rule(name, lines) for name, lines in found.items())


REWRITES: tuple[MutationRule, ...] = _rules()
"""One rule for each name in the table."""


def templates() -> Iterator[tuple[str, str, Template]]:
    """Yield every template with its rule and where it applies."""
    for name, (_, place, made) in _lines():
        yield from ((name, place, template) for template in made)
