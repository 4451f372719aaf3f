"""What edits the search thinks of, and that each leaves the rest of the text alone."""

from __future__ import annotations

import ast

import pytest

from bot.repair.proposers.search.evidence import Error, SearchEvidence, SeenTest, TracebackFrame
from bot.repair.proposers.search.localise import Suspect
from bot.repair.proposers.search.mutations import Candidate, candidates
from bot.repair.proposers.search.mutations.change import applied
from bot.repair.proposers.search.mutations.pairs import pairs

NUMBER, LIST = frozenset({"int"}), frozenset({"list"})


def thought_of(
    text: str, types: dict[str, frozenset[str]] | None = None, error: Error | None = None
) -> tuple[Candidate, ...]:
    test = SeenTest(0, "test_m.py::test", "test_m.py", "failed", 0.1, error)
    evidence = SearchEvidence(
        tests={0: test}, types={"m.py:f": types or {}}, sources={"m.py": text}
    )
    lines = range(1, len(text.splitlines()) + 1)
    return candidates(evidence, [Suspect("m.py", line, 1.0, ()) for line in lines])


def outcomes(
    text: str, types: dict[str, frozenset[str]] | None = None, error: Error | None = None
) -> set[str]:
    return {
        applied(text, candidate.change.replacements) for candidate in thought_of(text, types, error)
    }


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("return a < b", "return a <= b"),
        ("return a - b", "return a + b"),
        ("return a - b", "return a - b ** 2"),
        ("return a - 3 * b / 9", "return (a - 3) * b / 9"),
        ("a =+ b", "a += b"),
        ("return a.x.next", "return a.x.prev"),
        ("return (-a, b)", "return (-a, -b)"),
        ("return f'{a}:{b:2d}'", "return f'{a}:{b:02d}'"),
        ("if (a, 1) in b:\n        return a", "if (a, 1) in b:\n        b.add((a, 1))\n        return a"),
        ("a[b] = min(b, a[0])", "a[0] = min(b, a[0])"),
        ("return a / b", "return a // b"),
        ("return b - a", "return a - b"),
        ("return a and b", "return a or b"),
        ("return not a", "return a"),
        ("return a", "return b"),
        ("return a * b", "return a * (b + 1)"),
        ("return list(range(a, b))", "return list(range(a, b + 1))"),
        ("return g(a, b)", "return g(b, a)"),
        ("return g(a)", "return a"),
        ("return a", "return len(a)"),
        ("a[b.x] = b.y[1:]", "a[b.y[1:]] = b.x"),
        ("return {x: a[x] for x in b}", "return {a[x]: x for x in b}"),
        ("return [\n        (b if x == a else x, len(x))\n        for x in a.x\n    ]", "return [\n        (a if x == b else x, len(x))\n        for x in a.x\n    ]"),
        ("a.x += b", "a.x -= b"),
        ("a = b", "a += b"),
        ("return a[b]", "return a.get(b, 0)"),
        ("return a[0]", "return a[1]"),
        ("return a[0]", "return a[-1]"),
        ("return a.lstrip(b)", "return a.rstrip(b)"),
        ("return a == None", "return a != None"),
        ("return True", "return False"),
        ("return sorted(a)", "return sorted(a, reverse=True)"),
        ("g(a)", "return g(a)"),
        ("return a + b / 2", "return (a + b) / 2"),
        ("b >> 1", "b >>= 1"),
        ("b == a", "b = a"),
        ("a.strip()", "a = a.strip()"),
        ("a.clear()", "a = []"),
        ("a.close", "a.close()"),
        ("return [a] * b if a.isupper else b", "return [a] * b if a.isupper() else b"),
        ("return [[0] * a] * b", "return [[0] * a for _ in range(b)]"),
        ("a += g(b)", "a = g(b) + a"),
        ("a.append(b)", "a.insert(0, b)"),
        ("return a & b", "return a & (1 << b)"),
        ("return f'{a}'", "return f'{b}'"),
        ("return f'{a:>8.1f}'", "return f'{a:>8.2f}'"),
        ("return f'{a:>8}'", "return f'{a:<8}'"),
        ("return f'{a - b} left'", "return f'{a + b} left'"),
        ("return f'{{{a[0]}}}'", "return f'{{{a[1]}}}'"),
        ("g(b, key=a)", "return g(b, key=a)"),
        ("a, b = -a, b", "a, b = -a, -b"),
        ("return -1 ** a", "return (-1) ** a"),
        ("a.popitem()", "a.popitem(last=False)"),
        ("return g(b, b.key)", "return g(b.key, b.key)"),
        ("a[b] = [b]", "a.setdefault(b, []).append(b)"),
        ("a[b] += 1", "a[b] = a.get(b, 0) + 1"),
        ("return [x for x in a]", "return [x + b for x in a]"),
        ("return 0 <= b <= a", "return 0 <= a <= b"),
        ("return abs(a) + b - a", "return abs(a) + abs(b - a)"),
        ("return a[b, b]", "return a[b - 1, b]"),
        ("a.x[a] = b", "b.x[b] = a"),
        ("return g(a) + a", "return g(a) + a + b"),
        ("return a.x < a.y", "return b.x < b.y"),
        ("return [x for x in g(a)]", "return [x for x in g(a) if x == b]"),
        ("return [x for x in g(a) if x]", "return [x for x in g(a) if x and x != b]"),
        ("return b if a.get(b) else 0", "return b if b in a else 0"),
        ("return b if not a.get(b) else 0", "return b if b not in a else 0"),
        ("return b if a.get(b) is not None else 0", "return b if b in a else 0"),
        ("return [x for x in b if a.get(x) and x]", "return [x for x in b if x in a and x]"),
        ("return a if a or not b else b", "return a if a and b else b"),
    ],
)  # fmt: skip
def test_one_line_faults_have_their_edit(wrong: str, right: str) -> None:
    """Each kind of slip is among the edits, with nothing else changed."""
    frame = "def f(a, b):\n    {}  # kept\n"
    assert frame.format(right) in outcomes(frame.format(wrong))


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("x = a * b\n    if a > 9:\n        x -= 5\n    return x",
         "x = a * b + 5\n    if a > 9:\n        x -= 5\n    return x"),
        ("if a > 60:\n        return 0\n    return a", "if a > 60:\n        return 0\n    return a * 60"),
        ("return a.x if a else 7.5", "return a.x - 7.5 if a else 7.5"),
        ("return a + b", "return a + b + FEE"),
        ("return a[0] - b if b > 12 else a[0]", "return a[0] - b if b > 12 else a[0] // 12"),
    ],
)  # fmt: skip
def test_numbers_of_the_function_and_its_file_may_be_missing(wrong: str, right: str) -> None:
    """A term or a factor that was left out is often said a line above, or has a name in the file."""
    frame = "FEE = 3\n\n\ndef f(a, b):\n    {}\n"
    assert frame.format(right) in outcomes(frame.format(wrong))


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("for i in a:\n        b.append(i)\n        return b",
         "for i in a:\n        b.append(i)\n    return b"),
        ("for i in a:\n        pass\n    return b", "for i in a:\n        continue\n    return b"),
        ("b = []\n    for i in a:\n        print(i)\n    return b",
         "b = []\n    for i in a:\n        print(i)\n        b.append(i)\n    return b"),
        ("return a[0]", "if not a:\n        return []\n    return a[0]"),
        ("print(a)\n    a.sort()\n    return a", "a.sort()\n    print(a)\n    return a"),
        ("if a:\n        return b\n    return a", "if not a:\n        return b\n    return a"),
        ("while True:\n        a.pop()\n    return a", "while a:\n        a.pop()\n    return a"),
        ("a.append(1)\n    print(a)\n    return a",
         "a.append(1)\n    print(a)\n    a.pop()\n    return a"),
        ("a.x = 1\n    return a", "a.x = 1\n    b.x = 1\n    return a"),
        ("a = a[1:]\n    return a + b", "a = a[1:]\n    b = b[1:]\n    return a + b"),
        ("while a:\n        a = a.next.next", "while a and a.next is not None:\n        a = a.next.next"),
    ],
)  # fmt: skip
def test_statements_are_added_moved_and_swapped(wrong: str, right: str) -> None:
    """Blocks keep their indentation, whatever happens to their statements."""
    frame = "def f(a, b):\n    {}\n"
    found = outcomes(frame.format(wrong), {"a": LIST, "b": LIST, "i": NUMBER, "return": LIST})
    assert frame.format(right) in found


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("if a.has(b):", "if is_free(b):"),  # ask a function of the file
        ("if a.has(b) and b:", "if a.has(b) and is_free(a):"),
        ("if a.at(b):", "if a.at(b) is not None:"),  # what another function asks
    ],
)
def test_questions_that_the_file_asks_elsewhere(wrong: str, right: str) -> None:
    """A condition becomes a call of a predicate, or what another function asks."""
    others = "def is_free(x):\n    return x > 0\n\n\n"
    others += "def g(a, b):\n    while a.at(b) is not None:\n        b += 1\n    return b\n\n\n"
    frame = f"{others}def f(a, b):\n    {{}}\n        return b\n    return a\n"
    assert frame.format(right) in outcomes(frame.format(wrong))


def test_what_is_compared_by_identity_is_rather_equal() -> None:
    """`is` between values that are no singletons is `==` before it is anything else."""
    of_values = thought_of("def f(a, b):\n    return a is b\n")
    assert of_values[0].change.says == "compares with `==` instead of `is`"
    with_none = thought_of("def f(a):\n    return a is None\n")
    assert with_none[0].change.says == "compares with `is not` instead of `is`"


def test_a_mark_is_turned_in_a_loop() -> None:
    """What becomes True each time may have been meant to change each time."""
    wrong = "def f(a):\n    odd = False\n    for i in a:\n        odd = True\n    return odd\n"
    assert wrong.replace("odd = True", "odd = not odd") in outcomes(wrong)


def test_a_pair_of_a_thing_with_itself_is_skipped() -> None:
    """Of a loop in a loop over the same things; not of a loop in another function."""
    wrong = "def f(a):\n    n = 0\n    for i in a:\n        for j in a:\n            n += 1\n    return n\n"
    skipped = "            if i == j:\n                continue\n            n += 1"
    assert wrong.replace("            n += 1", skipped) in outcomes(wrong)
    no_step = skipped.replace("i == j", "i == j == 0")
    assert wrong.replace("            n += 1", no_step) in outcomes(wrong)
    alone = wrong.replace("        for j in a:", "        def g(j=i):")
    assert not any("== j" in outcome for outcome in outcomes(alone))


def test_a_number_is_not_negated_by_not() -> None:
    """What was seen to be anything else may be asked whether it is true."""
    text = "def f(a, b):\n    return a\n"
    assert text.replace("return a", "return not a") in outcomes(text, {"a": LIST})
    assert text.replace("return a", "return not a") not in outcomes(text, {"a": NUMBER})


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("for i in a:\n        if i in b:\n            print(b)\n            b = []",
         ("for i in a:\n        if i in b:\n            print(b)\n            b = []\n"
          "    if b:\n        print(b)")),  # the last group
        ("for i in a:\n        b[i] = f(b, i)", "for i in a:\n        b[i] = f(b[i], i)"),
    ],
)  # fmt: skip
def test_what_is_left_over_and_what_ends(wrong: str, right: str) -> None:
    """The last group of a loop, the part of a whole, the end of a recursion that yields."""
    frame = "def f(a, b):\n    {}\n"
    assert frame.format(right) in outcomes(frame.format(wrong), {"a": LIST, "b": LIST})


def test_what_is_used_becomes_the_newest() -> None:
    """Of a dictionary in order, and of no other."""
    wrong = "def f(a, b):\n    c = OrderedDict()\n    c[a] = b\n    return c[a]\n"
    right = wrong.replace("    return", "    c.move_to_end(a)\n    return")
    assert right in outcomes(wrong)
    plain = wrong.replace("OrderedDict", "dict")
    assert not any("move_to_end" in outcome for outcome in outcomes(plain))


def test_what_an_object_is_marked_with_is_asked() -> None:
    """A mark that the file sets to True or False may be what a condition leaves out."""
    text = (
        "class Node:\n    def __init__(self):\n        self.ends = False\n\n\n"
        "def f(node):\n    return node is not None\n"
    )
    test = SeenTest(0, "test_m.py::test", "test_m.py", "failed", 0.1, None)
    evidence = SearchEvidence(
        tests={0: test},
        types={"m.py:f": {"node": frozenset({"Node"})}},
        attributes={"Node": ("ends",)},
        sources={"m.py": text},
    )
    found = candidates(evidence, [Suspect("m.py", 7, 1.0, ())])
    asked = {
        applied(text, candidate.change.replacements).splitlines()[-1].strip() for candidate in found
    }
    assert "return node is not None and node.ends" in asked


@pytest.mark.parametrize(
    ("before", "missing"),
    [
        ("a[b] = 1", "del a[b]"),
        ("a.add(b)", "a.clear()"),
        ("a.add(b)", "a.discard(b)"),
        ("a.count += b", "a.count -= b"),
        ("a[b][b] = 1", "a[b][b] = 0"),
    ],
)
def test_statements_that_undo_or_reset(before: str, missing: str) -> None:
    """What is put in may have to be taken out, and what is done once may be missing elsewhere."""
    frame = "def f(a, b):\n    {}\n    print(b)\n{}    return a\n"
    assert frame.format(before, f"    {missing}\n") in outcomes(frame.format(before, ""))


def test_a_number_that_stands_for_a_variable() -> None:
    """A row that begins with its number may have been given another one."""
    text = "def f(a, b):\n    print([0])\n"
    assert text.replace("0", "b") in outcomes(text, {"b": NUMBER})


@pytest.mark.parametrize(
    ("message", "condition"),
    [
        ("DID NOT RAISE <class 'ValueError'>", "b < 0"),
        ("Failed: DID NOT RAISE ValueError", "not a"),
        ("ValueError not raised", "b > self.left"),
        ("ValueError not raised by f", "not self.left"),
    ],
)
def test_an_error_that_tests_wait_for(message: str, condition: str) -> None:
    """The function refuses with that error what it can't take."""
    frame = "class A:\n    def f(self, a, b):\n{}        self.left -= b\n        return a\n"
    guard = f"        if {condition}:\n            raise ValueError\n"
    types = {"a": LIST, "b": NUMBER}
    assert frame.format(guard) in outcomes(frame.format(""), types, Error("Failed", message, ()))


def test_shared_default() -> None:
    """A mutable default becomes None, and a new value is made in each call."""
    text = "def f(a, b=[]):\n    b.append(a)\n    return b\n"
    right = "def f(a, b=None):\n    if b is None:\n        b = []\n    b.append(a)\n    return b\n"
    assert right in outcomes(text)


def test_a_misspelt_name_comes_first() -> None:
    """Where a name is unknown, it is one of those that the function has."""
    text = "def f(total):\n    return totl\n"
    error = Error("NameError", "name 'totl' is not defined", (TracebackFrame("m.py", 2, "f"),))
    first = thought_of(text, {}, error)[:4]
    right = "def f(total):\n    return total\n"
    assert right in {applied(text, candidate.change.replacements) for candidate in first}


def test_every_edit_parses_and_is_tried_once() -> None:
    """No candidate is broken text, and no two of them come to the same text."""
    text = (
        "def f(a, b=1):\n    c = []\n    for i, x in enumerate(a):\n"
        "        if x > b and not i % 2:\n            c.append((x - b) // 2)\n"
        "        elif x == 'é':\n            continue\n    return c or {'k': a[1:b]}\n"
    )
    types = {"a": LIST, "b": NUMBER, "c": LIST, "i": NUMBER, "x": NUMBER}
    results = [
        applied(text, candidate.change.replacements) for candidate in thought_of(text, types)
    ]
    for result in results:
        ast.parse(result)
    assert len(set(results)) >= 0.98 * len(results)


def test_pairs_do_not_overlap() -> None:
    """Two edits together change two places."""
    ranked = thought_of("def f(a, b):\n    c = a + b\n    return c < a\n")
    found = pairs(ranked[:2], ranked, start=len(ranked))
    assert found
    for candidate in found:
        first, second = sorted(candidate.change.replacements)[:2]
        assert first.end < second.start or first.end <= second.start
    assert [candidate.number for candidate in found][:2] == [len(ranked), len(ranked) + 1]


def test_tests_are_never_edited() -> None:
    """Edits of test files would only make tests weaker."""
    evidence = SearchEvidence(sources={"tests/test_m.py": "def test():\n    assert 1 == 2\n"})
    assert candidates(evidence, [Suspect("tests/test_m.py", 2, 1.0, ())]) == ()


@pytest.mark.parametrize(
    ("body", "right"),
    [
        ("return abs(a - b) + (b - a)", "return abs(a - b) + (abs(b - a))"),
        ("a = b[a - 1]\n    a = 0\n    return a", "a = b[a - 1]\n    a = b[a - 1]\n    return a"),
    ],
)
def test_what_stands_beside_goes_first(body: str, right: str) -> None:
    """What the function does with one value is likely to be missing for the other."""
    frame = "def f(a, b):\n    {}\n"
    ranked = [
        applied(frame.format(body), candidate.change.replacements)
        for candidate in thought_of(frame.format(body))
    ]
    assert frame.format(right) in ranked[: len(ranked) // 5]


def test_a_container_that_is_never_filled_is_suspected() -> None:
    """`seen` is asked and never added to: adding to it goes before most other edits."""
    text = (
        "def f(start, after):\n    seen = set()\n    todo = [start]\n    while todo:\n"
        "        node = todo.pop()\n        if node not in seen:\n"
        "            todo.extend(after(node))\n    return len(seen)\n"
    )
    types = {"seen": frozenset({"set"}), "node": NUMBER, "todo": LIST}
    ranked = [applied(text, candidate.change.replacements) for candidate in thought_of(text, types)]
    filled = text.replace(
        "            todo.ext", "            seen.add(node)\n            todo.ext"
    )
    assert filled in ranked[: len(ranked) // 20]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("re.match(r'a+b', a)", "re.match(r'a*b', a)"),
        ("re.match(r'a*?b', a)", "re.match(r'a*b', a)"),
        ("re.match(r'a+b', a)", "re.match(r'a+?b', a)"),
        ("'%s+' % a + '.%s+' % b", "'%s*' % a + '.%s*' % b"),
    ],
)
def test_patterns_repeat_their_parts_in_another_way(wrong: str, right: str) -> None:
    """A part may be missing, or be taken as short as can be; at several places at once too."""
    frame = "import re\n\n\ndef f(a, b):\n    return {}\n"
    assert frame.format(right) in outcomes(frame.format(wrong))


def test_texts_of_a_file_without_patterns_stay() -> None:
    """A plus sign in a text is none of a pattern where nothing works with patterns."""
    text = "def f(a):\n    return a + 'a+b'\n"
    assert not any(candidate.change.kind == "pattern" for candidate in thought_of(text))


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("for one in self.items:\n            b(one)",
         "for one in self.items.copy():\n            b(one)"),
        ("b(1, self.items)", "b(1, list(self.items))"),
        ("b(self.items)\n        if a:\n            b(self.items)",
         "b(self.items.copy())\n        if a:\n            b(self.items.copy())"),
    ],
)  # fmt: skip
def test_what_belongs_to_an_object_is_copied(wrong: str, right: str) -> None:
    """A list of an object that somebody else goes through is copied, wherever that is done."""
    made = "class A:\n    def __init__(self):\n        self.items = []\n\n"
    frame = made + "    def f(self, a, b):\n        {}\n"
    assert frame.format(right) in outcomes(frame.format(wrong))


def test_a_number_is_not_copied() -> None:
    """Only what the class makes a container is."""
    text = "class A:\n    def f(self, a, b):\n        b(self.n)\n"
    assert not any(candidate.change.kind == "missing copy" for candidate in thought_of(text))


def test_one_edit_at_two_places_is_one_candidate() -> None:
    """The same slip twice in one function takes both to be mended; the functions stay warm."""
    text = "def f(a, b):\n    if a < 1:\n        return a\n    return b < 1\n"
    right = text.replace("<", "<=")
    found = [
        candidate
        for candidate in thought_of(text)
        if applied(text, candidate.change.replacements) == right
    ]
    assert [(candidate.unit, candidate.cold) for candidate in found] == [("m.py:f:1", False)]
    assert found[0].change.says == "compares with `<=` instead of `<`, at 2 places"


def test_each_line_of_a_text() -> None:
    """What is done with a text of several lines may be meant for each of them."""
    text = "def f(a, b):\n    c = b.wrap(a)\n    return c\n"
    right = "[part for line in a.splitlines() for part in b.wrap(line)]"
    assert text.replace("b.wrap(a)", right) in outcomes(text, {"a": frozenset({"str"})})
