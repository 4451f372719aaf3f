"""A merged patch's change is made where its lines have gone to, or were copied to."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from difflib import unified_diff

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.model import Patch
from bot.model.memory import Became, Carried, FailureSignature, TriedRepair
from bot.repair.memory.recall import MOST_PLACES, changes_of, elsewhere, readable
from bot.repair.memory.renamed_code import renamed, tokens, unified
from bot.repair.memory.similar_repairs import near_files, reads_alike, says_the_same

BEFORE = """\
import math

def total_of(cart):
    total = 0
    for item in cart.items:
        total += item.price
    return round(total)

def empty(cart):
    return not cart.items
"""
AFTER = BEFORE.replace("item.price", "item.price * item.count").replace(
    "round(total)", "round(total, 2)"
)


def diff(before: str, after: str, path: str = "shop/cart.py") -> str:
    """Return the difference of two files as git writes it."""
    lines = unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{path}", f"b/{path}"
    )
    return f"diff --git a/{path} b/{path}\nindex 1..2 100644\n{''.join(lines)}"


PATCH = diff(BEFORE, AFTER)


def test_a_file_that_was_renamed() -> None:
    """Its lines are found under the new name, among others."""
    files = {"shop/other.py": "x = 1\n" * 9, "shop/basket.py": BEFORE}
    [place] = elsewhere(PATCH, files)
    assert place.files == (("shop/basket.py", AFTER),)
    assert place.carried == Carried(("shop/basket.py",))


def test_code_that_was_copied_with_other_names() -> None:
    """Into a class, too: indented, between other lines, beside the original that is mended."""
    names = {"cart": "basket", "total_of": "sum_of"}
    head, foot = "class Basket:\n\n    limit = 3\n\n", "\n    def more(self):\n        pass\n"
    copied, mended = (
        head + "".join(f"    {line}\n" if line else "\n" for line in text) + foot
        for text in (renamed(item, names).splitlines()[2:] for item in (BEFORE, AFTER))
    )
    [place] = elsewhere(PATCH, {"shop/cart.py": AFTER, "shop/basket.py": copied})
    assert place.files == (("shop/basket.py", mended),)
    assert place.carried.renamed == (("cart", "basket"), ("total_of", "sum_of"))


def test_what_stands_beside_it_may_differ() -> None:
    """By up to two lines at either end; the change itself may not."""
    near = BEFORE.replace("def empty(cart)", "def is_empty(self, cart, *, strictly)")
    [place] = elsewhere(PATCH, {"a.py": near})
    assert "item.count" in place.files[0][1]
    assert "strictly" in place.files[0][1]
    assert elsewhere(PATCH, {"a.py": BEFORE.replace("+= item.price", "-= item.price")}) == ()
    assert elsewhere(PATCH, {"a.py": BEFORE.replace("return round", "yield round")}) == ()


def test_lines_that_are_only_added_need_all_that_stands_beside_them() -> None:
    """Of several places like that, it is the one where they were added in their own file."""
    added = BEFORE.replace("    total = 0\n", "    total = 0\n    cart.sort()\n")
    patch = diff(BEFORE, added)
    near = BEFORE.replace("total_of(cart)", "total_of(cart, *, strictly)")
    assert elsewhere(patch, {"a.py": near}) == ()
    twice = "import math\n" + BEFORE.partition("\n")[2] * 3
    first, *_ = elsewhere(patch, {"a.py": twice})
    place = first.files[0][1].index("cart.sort()")
    assert first.files[0][1][:place].count("total = 0") == 1


def test_tests_are_about_their_own_place() -> None:
    """What a patch changes in them is left out, and they are not looked into."""
    assert elsewhere(diff(BEFORE, AFTER, "tests/test_cart.py"), {"a.py": BEFORE}) == ()
    use = "from shop import total_of, cart\n\nassert total_of(cart) == 3\n"
    patch = PATCH + diff(use, use.replace("3", "4"), "tests/test_cart.py")
    [place] = elsewhere(patch, {"a.py": BEFORE})
    assert place.carried.paths == ("a.py",)


def test_lines_that_stand_everywhere_say_nothing() -> None:
    """Neither few words, nor code in which most names are others."""
    small = diff("    return x\n}\n", "    return y\n}\n")
    assert elsewhere(small, {"a.py": "    return x\n}\n"}) == ()
    strange = {name: f"{name}_" for name in ("cart", "total", "total_of", "item", "items", "price", "round", "empty")}  # fmt: skip
    assert elsewhere(PATCH, {"a.py": renamed(BEFORE, strange)}) == ()
    assert len(elsewhere(PATCH, {f"{n}.py": BEFORE for n in range(9)})) == MOST_PLACES


def test_all_files_of_a_patch_agree() -> None:
    """One renaming for all; what is mended already is left alone, what is new is left out."""
    use = "from shop import total_of, cart\n\nprint(total_of(cart), 'in all')\n"
    fixed = use.replace("'in all'", "'altogether'")
    new = "diff --git a/t.py b/t.py\nnew file mode 100644\n--- /dev/null\n+++ b/t.py\n@@ -0,0 +1 @@\n+x\n"
    patch = PATCH + diff(use, fixed, "use.py") + new
    assert [file.path for file in changes_of(patch)] == ["shop/cart.py", "use.py"]
    names = {"cart": "basket", "total_of": "sum_of"}
    copied = {"b.py": renamed(BEFORE, names), "use_b.py": renamed(use, names)}
    [place] = elsewhere(patch, copied)
    assert dict(place.files)["use_b.py"] == renamed(fixed, names)
    assert elsewhere(patch, {**copied, "use_b.py": renamed(use, {"cart": "bag"})}) == ()
    [other] = elsewhere(patch, {"b.py": BEFORE, "use.py": fixed})
    assert other.carried.paths == ("b.py",)


@pytest.mark.parametrize(
    "patch",
    [
        "",
        "no patch",
        "diff --git a/x b/x\nBinary files a/x and b/x differ\n",
        "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
    ],
)
def test_what_is_no_change_of_lines_is_not_carried(patch: str) -> None:
    """Nor is anything that can't be read."""
    assert changes_of(patch) == ()
    assert elsewhere(patch, {"x": "x\n"}) == ()
    assert readable({"a": b"\xff", "b": b"x"}) == {"b": "x"}


WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=3, max_size=6)
LINES = st.lists(WORDS.map(" + ".join), min_size=4, max_size=9)


@given(LINES, st.data())
def test_a_copy_is_mended_as_the_original_was(lines: list[str], data: st.DataObject) -> None:
    """Whatever it says, however deep it is indented, and with one name another one."""
    at = data.draw(st.integers(0, len(lines) - 1))
    old = [f"step_{n} = {line}" for n, line in enumerate(lines)]
    new = [*old[:at], "alpha(beta)", *old[at + 1 :]]
    name = data.draw(st.sampled_from(["alpha", "beta"]))
    pad = " " * data.draw(st.integers(0, 8))

    def copy(text: list[str]) -> str:
        return "\n".join(["head {", *(pad + renamed(item, {name: "omega"}) for item in text), "}"])

    patch = diff("\n".join(old) + "\n", "\n".join(new) + "\n", "a.x")
    places = [dict(item.files)["b.x"] for item in elsewhere(patch, {"b.x": copy(old)})]
    assert copy(new) in places


@given(WORDS, st.dictionaries(st.sampled_from(["alpha", "beta", "gamma"]), st.sampled_from("xyz")))
def test_a_renaming_is_one_to_one(words: list[str], names: dict[str, str]) -> None:
    """It is found where there is one, gives the new text, and never makes two names one."""
    text = " ".join(words)
    found = unified(tokens(text), tokens(renamed(text, names)), {})
    clash = len({names.get(word, word) for word in words}) < len(set(words))
    assert (found is None) is clash
    if found is not None:
        assert renamed(text, found) == renamed(text, names)
        assert len(set(found.values())) == len(found)


SAID = FailureSignature(
    "NameError: name 'total' is not defined", "NameError", ("a.py f",), "", "pytest"
)


def tried(n: int, signature: FailureSignature, became: Became = Became.MERGED) -> TriedRepair:
    return TriedRepair(
        f"{n}-1", f"{n}", signature, "agent", "", Patch(), (), became, datetime.now(UTC)
    )


def test_failures_that_read_alike() -> None:
    """Up to names; of each, only what people kept last counts, and the very same is another matter."""
    alike = replace(SAID, message="NameError: name 'amount' is not defined", frames=("b.py g",))
    assert reads_alike(SAID, alike)
    assert not reads_alike(SAID, replace(alike, tool="tox"))
    assert not reads_alike(SAID, replace(alike, message="NameError: amount"))
    assert not reads_alike(replace(SAID, message=""), replace(SAID, message=""))
    other = replace(alike, frames=("c.py h",))
    settled = [tried(4, other, Became.REVERTED), tried(3, other), tried(2, alike), tried(1, SAID)]
    assert [repair.id for repair in says_the_same(settled, SAID)] == ["2-1"]


def test_files_that_are_looked_into() -> None:
    """Of the same kind alone: what the failure names first, then the same name, then the nearest."""
    paths = [
        "z/cart.py",
        "tests/test_cart.py",
        "shop/b.py",
        "lib/far.py",
        "shop/c.js",
        "lib/named.py",
    ]
    signature = replace(SAID, frames=("lib/named.py f", "gone.py"))
    assert near_files(paths, ["shop/cart.py"], signature) == (
        "lib/named.py", "z/cart.py", "shop/b.py", "lib/far.py",
    )  # fmt: skip
