"""Rules that are no more than code before and code after: one template to a line."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import reduce
from operator import or_

from bot.repair.proposers.search.mutations.rule import Ideas, MutationRule, instead, likeliest_first
from bot.repair.proposers.search.mutations.scope import FunctionScope
from bot.repair.proposers.search.mutations.template import Template
from bot.repair.proposers.search.mutations.where import applies

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
