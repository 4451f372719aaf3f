"""What files define, which of them matter, and a map of it that fits a budget."""

from __future__ import annotations

from pathlib import Path

from inline_snapshot import snapshot

from bot.repair.symbols.index import SymbolIndex
from bot.repair.symbols.outline import Outline, Symbol, outlined
from bot.repair.symbols.repo_map import CHARACTERS_PER_TOKEN, drawn, near_files, ranked
from sandbox.git import ObjectStore

PYTHON = b"""\
LIMIT = 3
class Money(Base):
    scale = 2
    def add(self, other):
        def inner(): return 1
        return inner()
def parse_amount(text): return Money(text)
"""
SCRIPT = b"""\
export interface Shape { area(): number }
export const scale = (x: number) => { const local = 1; return x * local }
class Square { area() { return 1 } }
function grow() { const helper = () => 1; return helper() }
"""
GO = b"""\
package shop
type Cart struct { items []int }
func (c *Cart) Total() int { return 1 }
func New() *Cart { var local = 1; return &Cart{} }
const Limit = 3
"""
RUST = b"""\
struct Cart { items: u32 }
impl Cart { fn total(&self) -> u32 { let local = 1; local } }
trait Priced { fn price(&self) -> u32; }
fn main() { Cart::new(); }
"""


def names(path: str, data: bytes) -> list[tuple[str, int, int]]:
    return [(symbol.name, symbol.line, symbol.depth) for symbol in outlined(path, data).symbols]


def test_what_files_define_in_every_language() -> None:
    """Functions, types, methods and the constants of a file; nothing local to a function."""
    assert names("a.py", PYTHON) == snapshot(
        [("LIMIT", 1, 0), ("Money", 2, 0), ("add", 4, 1), ("parse_amount", 7, 0)]
    )
    assert names("a.ts", SCRIPT) == snapshot(
        [
            ("Shape", 1, 0),
            ("area", 1, 1),
            ("scale", 2, 0),
            ("Square", 3, 0),
            ("area", 3, 1),
            ("grow", 4, 0),
        ]
    )
    assert names("a.go", GO) == snapshot(
        [("Cart", 2, 0), ("items", 2, 0), ("Total", 3, 0), ("New", 4, 0), ("Limit", 5, 0)]
    )
    assert names("a.rs", RUST) == snapshot(
        [
            ("Cart", 1, 0),
            ("items", 1, 1),
            ("total", 2, 1),
            ("Priced", 3, 0),
            ("price", 3, 1),
            ("main", 4, 0),
        ]
    )
    assert outlined("a.txt", b"def f(): pass") == Outline()
    assert ("Money", 1) in outlined("b.py", b"import money\nmoney.Money()\n").used


def outline(*defines: str, uses: tuple[str, ...] = ()) -> Outline:
    symbols = tuple(
        Symbol(name, n, n, 0, f"def {name}():") for n, name in enumerate(defines, start=1)
    )
    return Outline(symbols, tuple((name, 1) for name in uses))


FILES = {
    "core.py": outline("parse_amount", "unused"),
    "shop.py": outline("checkout", uses=("parse_amount",)),
    "cart.py": outline("cart_total", uses=("parse_amount",)),
    "far.py": outline("elsewhere"),
    "tests/test_shop.py": outline("test_checkout", uses=("checkout",)),
}


def test_what_many_use_matters_and_what_the_task_is_about_matters_more() -> None:
    """Rank flows from users to what they use, and starts where the failure is."""
    plain = ranked(FILES)
    assert max(plain, key=lambda path: plain[path]) == "core.py"
    near = ranked(FILES, frozenset({"tests/test_shop.py"}))
    assert near["shop.py"] > near["cart.py"] > 0
    assert near["shop.py"] > plain["shop.py"]
    assert abs(sum(near.values()) - 1) < 1e-9
    assert ranked({}) == {}


def test_files_are_near_that_the_failure_names() -> None:
    """By their path, by its end as a traceback shows it, and from outside of the work tree."""
    paths = {name: outline("x") for name in ("src/shop/cart.py", "src/shop/other.py")}
    for told in ("./src/shop/cart.py:3", 'File "/workspace/src/shop/cart.py"', "shop/cart.py: no"):
        assert near_files(paths, told) == {"src/shop/cart.py"}, told
    assert near_files(paths, "Shop is wrong") == frozenset()


def test_a_map_fits_its_budget() -> None:
    """Files that matter come first, tests are left out, and a small budget has few files."""
    told = "tests/test_shop.py failed: unused"
    whole = drawn(FILES, told, 1_000, ("tests/test_shop.py",))
    assert whole == snapshot("""\
shop.py:
  1 def checkout():
core.py:
  1 def parse_amount():
  2 def unused():
cart.py:
  1 def cart_total():
far.py:
  1 def elsewhere():\
""")
    small = drawn(FILES, told, 15, ("tests/test_shop.py",))
    assert 0 < len(small) <= 15 * CHARACTERS_PER_TOKEN < len(whole)
    assert drawn({}, told, 1_000) == ""


async def test_a_commit_is_read_once_and_the_next_ones_rest(tmp_path: Path) -> None:
    """What is kept is used again: by content, and without what is no use of the database."""
    store = ObjectStore(tmp_path / "git")
    await store.create()
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, more in ((first, b""), (second, b"def added(): pass\n")):
        (folder / "vendor").mkdir(parents=True)
        (folder / "money.py").write_bytes(PYTHON)
        (folder / "more.py").write_bytes(b"def more(): return LIMIT\n" + more)
        (folder / "vendor" / "theirs.py").write_bytes(PYTHON)
    trees = [
        await store.write_tree(folder, base="4b825dc642cb6eb9a060e54bf8d69288fbee4904")
        for folder in (first, second)
    ]
    index = SymbolIndex(tmp_path / "kept")
    before = await index.outlines(store, trees[0])
    assert sorted(before) == ["money.py", "more.py"]
    after = await SymbolIndex(tmp_path / "kept").outlines(store, trees[1])
    assert before["money.py"] == after["money.py"] == outlined("money.py", PYTHON)
    assert [symbol.name for symbol in after["more.py"].symbols] == ["more", "added"]
    (tmp_path / "kept" / "symbols.db").write_bytes(b"no database " * 1_000)
    assert await index.outlines(store, trees[1]) == after
    drawn_map = await index.draw(store, trees[1], "money.py: LIMIT", 500)
    assert drawn_map.startswith("money.py:\n  1 LIMIT = 3\n")
