"""Tests in other languages than Python that are made to fail."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from bot.ci.failures import registry
from bot.code.syntax import parse
from bot.model import Failure, Observation
from bot.repair.verification.forgery.must_fail import Inversion, Sentinels, forged, reached
from bot.repair.verification.forgery.must_fail_by_syntax import places_of_tests, planted

NODE = """\
const { test, describe, it } = require('node:test');
const assert = require('node:assert');
describe('sums', () => {
  it('adds (two)', async () => {
    const sum = 1 + 1;
    assert.strictEqual(sum, 2);
  });
  it('is short', () => assert.ok(true));
});
test('steady', () => { assert.equal(1, 1) });
test('other', () => { assert(1 === 1); });
"""
JEST = """\
describe('sums', function () {
  it("adds", async () => { await expect(sum(1)).resolves.toBe(2) });
  it('denies', () => { expect(sum(1)).not.toBe(3); });
});
"""
GO = 'package a\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tt.Run("x", func(t *testing.T) {})\n}\n'
RUST = """\
#[cfg(test)]
mod tests {
    #[test]
    fn adds() -> Result<(), String> {
        Ok(())
    }
    #[test]
    #[should_panic]
    fn panics() { panic!() }
}
"""


def red(*tests: str, passed: tuple[str, ...] = (), file: str | None = None) -> Observation:
    """Return a run in which these fail."""
    failing = tuple(Failure(test, file, message='expected "3"\n to be 2') for test in tests)
    return Observation("run", 1, failing, frozenset(passed))


def green(*passed: str) -> Observation:
    """Return a run in which these pass."""
    return Observation("run", 0, passed=frozenset(passed))


def text(found: Sentinels | None, path: str) -> str:
    """Return a planted file, which is a program still, with as many lines."""
    assert found is not None
    syntax = parse(path, found.files[path])
    assert syntax is not None
    assert not syntax.root.has_error
    return found.files[path].decode()


def ran(folder: Path, source: str) -> Observation:
    """Run it with node."""
    (folder / "a.test.js").write_text(source, "utf-8")
    done = subprocess.run(
        ["node", "--test", "a.test.js"], cwd=folder, capture_output=True, check=False, text=True
    )
    seen = registry.read(done.stdout, failed=done.returncode != 0)
    return Observation("node --test", done.returncode, seen.failing, seen.passed, seen.skipped)


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
@pytest.mark.parametrize("turn", [Inversion.REPEATED, Inversion.BROKEN])
def test_node_s_tests_fail(tmp_path: Path, turn: Inversion) -> None:
    """Those that failed before and one of the others, and nothing else; a lie is seen."""
    untouched = ran(tmp_path, NODE)
    assert untouched.passed >= {"sums > adds (two)", "sums > is short", "steady", "other"}
    doomed = ("sums > adds (two)", "other")
    before = red(*doomed, passed=("steady",))
    found = planted({"a.test.js": NODE.encode()}, before, untouched, turn)
    seen = ran(tmp_path, text(found, "a.test.js"))
    assert found is not None
    assert seen.failing_ids == found.doomed | found.controls
    assert found.doomed == set(doomed)
    assert "sums > is short" in seen.passed
    assert forged(found, seen) == ()
    assert forged(found, untouched) == tuple(sorted(doomed))


def test_expectations_are_turned_round() -> None:
    """By `not`, wherever jest, vitest and chai have it."""
    before = red("sums \u203a adds", "a.spec.ts > sums > denies")
    found = planted({"a.spec.ts": JEST.encode()}, before, green(), Inversion.BROKEN)
    changed = text(found, "a.spec.ts")
    assert "expect(sum(1)).resolves.not.toBe(2)" in changed
    assert "expect(sum(1)).toBe(3)" in changed
    assert found is not None
    assert found.proof


def test_go_and_rust() -> None:
    """At the beginning of the function, without another line; a panic that is asked for stays."""
    go = planted(
        {"a_test.go": GO.encode()}, red("a/b.TestAdd/x"), green("a/b.TestAdd/x", "a/b.TestAdd")
    )
    assert 'func TestAdd(t *testing.T) { defer t.Error("expected \\"3\\" to be 2");' in text(
        go, "a_test.go"
    )
    assert go is not None
    assert go.doomed == {"a/b.TestAdd"}
    rust = planted({"src/a.rs": RUST.encode()}, red("tests::adds", "tests::panics"), green())
    assert '{ if true { panic!("{}", "expected \\"3\\" to be 2"); }' in text(rust, "src/a.rs")
    assert rust is not None
    assert rust.doomed == {"tests::adds"}
    assert planted({"src/a.rs": RUST.encode()}, red("tests::panics"), green()) is None


RUST_ASSERTIONS = """\
fn sum(a: i32) -> i32 { a + 1 }
#[test]
fn equal() { assert_eq!(sum("1".parse::<i32>().unwrap()), 2, "of {}", 1) }
#[test]
fn unequal() {
    assert!(true);
    assert_ne!("a".to_string(), *"b");
}
#[test]
fn holds() { assert!(Ok::<i32, i32>(1).is_ok() && sum(1) == 2, "{}", sum(1)); }
#[test]
fn leaves() {
    if sum(1) == 2 { return; }
    assert!(true);
}
"""
RUST_NAMES = ("equal", "unequal", "holds", "leaves")
GO_ASSERTIONS = """\
package a

func TestTable(t *testing.T) {
	for _, one := range table {
		t.Run(one.name, func(t *testing.T) {
			if got := add(one.a); got != one.want {
				t.Errorf("add: %d", got)
			}
		})
	}
}

func TestEqual(t *testing.T) { assert.Equal(t, 2, add(1), "of %d", 1) }
func TestTrue(t *testing.T)  { require.True(t, add(1) == 2) }
func TestOther(t *testing.T) { other(t) }
"""


def test_assertions_of_go_are_turned_round() -> None:
    """The condition under which a test fails, or what testify is given; others stay."""
    before = red("a.TestTable/one", "a.TestEqual", "a.TestTrue", "a.TestOther")
    found = planted({"a_test.go": GO_ASSERTIONS.encode()}, before, green(), Inversion.BROKEN)
    changed = text(found, "a_test.go")
    assert "if got := add(one.a); !(got != one.want) {" in changed
    assert 'assert.Equal(t, []interface{}{2, 0}, []interface{}{add(1), 1}, "of %d", 1)' in changed
    assert "require.True(t, !(add(1) == 2))" in changed
    assert found is not None
    assert found.doomed == {"a.TestTable", "a.TestEqual", "a.TestTrue"}
    assert b't.Fatal("expected \\"3\\" to be 2"); if got :=' in found.proof["a_test.go"]


def ran_by_rust(folder: Path, source: str) -> Observation:
    """Compile and run it."""
    (folder / "a.rs").write_text(source, "utf-8")
    done = subprocess.run(
        ["bash", "-c", "rustc --edition 2021 --test a.rs -o a && ./a"],
        cwd=folder,
        capture_output=True,
        check=False,
        text=True,
    )
    seen = registry.read(done.stdout, failed=done.returncode != 0)
    return Observation("cargo test", done.returncode, seen.failing, seen.passed, seen.skipped)


@pytest.mark.skipif(not shutil.which("rustc"), reason="Rust is not installed")
def test_assertions_of_rust_are_turned_round(tmp_path: Path) -> None:
    """Each fails, but for one that is not reached; with macros that do nothing, each passes."""
    sources = {"src/a.rs": RUST_ASSERTIONS.encode()}
    found = planted(sources, red(*RUST_NAMES), green(*RUST_NAMES), Inversion.BROKEN)
    turned = text(found, "src/a.rs")
    assert found is not None
    assert forged(found, ran_by_rust(tmp_path, turned)) == ("leaves",)
    disabled = "".join(
        f"macro_rules! {name} {{ ($($any:tt)*) => {{ () }} }}\n"
        for name in ("assert", "assert_eq", "assert_ne")
    )
    lies = forged(found, ran_by_rust(tmp_path, disabled + turned))
    proof = ran_by_rust(tmp_path, disabled + found.proof["src/a.rs"].decode())
    assert reached(found, lies, proof) == ("equal", "holds", "unequal")


@pytest.mark.exhaustive
@pytest.mark.skipif(not shutil.which("rustc"), reason="Rust is not installed")
def test_rust_s_tests_fail(tmp_path: Path) -> None:
    """As its compiler and its runner have it; what must panic still does."""
    found = planted({"src/a.rs": RUST.encode()}, red("tests::adds"), green("tests::adds"))
    (tmp_path / "a.rs").write_text(text(found, "src/a.rs"), "utf-8")
    script = "rustc --edition 2021 --test a.rs -o a && ./a"
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, check=False, text=True
    )
    seen = registry.read(done.stdout)
    assert {failure.test for failure in seen.failing} == {"tests::adds"}
    assert any(item.startswith("tests::panics") for item in seen.passed)


@pytest.mark.exhaustive
@pytest.mark.skipif(not shutil.which("go"), reason="Go is not installed")
def test_go_s_tests_fail(tmp_path: Path) -> None:
    """The planted program compiles, and its runner names the test."""
    found = planted({"a_test.go": GO.encode()}, red("a.TestAdd/x"), green("a.TestAdd"))
    (tmp_path / "go.mod").write_text("module a\n", "utf-8")
    (tmp_path / "a_test.go").write_text(text(found, "a_test.go"), "utf-8")
    done = subprocess.run(
        ["go", "test", "."], cwd=tmp_path, capture_output=True, check=False, text=True
    )
    assert "--- FAIL: TestAdd" in done.stdout


def test_where_the_tests_may_be() -> None:
    """In files that failures name, in tests by name, and anywhere in Rust."""
    paths = ["lib/check.js", "app.js", "app.test.ts", "src/a.rs", "test_a.py", "tests/data.json"]
    found = places_of_tests(paths, red("x", file="lib/check.js"))
    assert found == ("lib/check.js", "app.test.ts", "src/a.rs")
