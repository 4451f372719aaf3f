"""Tests in Go and Rust, written so that they run on inputs near their own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bot.code.syntax import parse
from bot.repair.verification.generalisation import Generalisation, reached
from bot.repair.verification.perturbation.varied.compiled_files import (
    cannot_compile,
    compiled_files,
    for_other_tree,
)
from bot.repair.verification.perturbation.varied.files import (
    VariedFiles,
    comparable,
    records_of,
    shown_by,
)
from bot.repair.verification.perturbation.varied.writing import Naming

GO = """\
package app

import "testing"

var many = []string{"b-c", "d"}

func TestShown(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ in, want string }{{"Ab cd", "ab-cd"}, {in: "e", want: "e"}} {
		t.Run(one.in, func(t *testing.T) {
			got, err := Shown(one.in, len(many))
			if err != nil && one.want != "" {
				t.Fatalf("%q: %v", one.in, err)
			}
			if got != one.want {
				t.Fatal("wrong")
			}
			if Length(Length(got), 2) > 1 {
				t.Error("long")
			}
			assert.Equal(t, one.want, Other(got))
		})
	}
}
"""
RUST = """\
#[cfg(test)]
mod tests {
    use super::*;
    const KNOWN: &[u32] = &[1024, 3];

    #[test]
    fn sums() -> Result<(), String> {
        let (first, _) = pair(17)?;
        assert_eq!(total(&[1024, 3]), 1027, "of {}", 7);
        assert!(first == KNOWN[0] && first > 2);
        assert!(!total(KNOWN).to_string().contains("99"));
        match first {
            1024 => assert_ne!(total(&[5]), 6),
            _ => panic!("31"),
        }
        Ok(())
    }

    #[test]
    async fn waits() {}
}
"""
NAMING = Naming("__fixpoint_0123abcd", "/noted")


def varied(path: str, source: str, *names: str, said: str = "") -> VariedFiles:
    """Return the varied file, which is a program still."""
    found = compiled_files({path: source.encode()}, names, said, NAMING)
    for name, data in found.files.items():
        syntax = parse(name, data)
        assert syntax is not None
        assert not syntax.root.has_error, data.decode()
    return found


def test_go_notes_what_calls_come_to() -> None:
    """Results, calls in conditions and arguments; a test goes on, in its own function."""
    found = varied("a/app_test.go", GO, "app.TestShown/Ab_cd", "app.TestShown")
    assert set(found.files) == {"a/app_test.go", "a/fixpoint_0123abcd_app_test.go"}
    text = found.files["a/app_test.go"].decode()
    r = "__fixpoint_0123abcd_r"
    assert text.count("func TestShown(") == 1
    assert f"{r}.Parallel()" in text
    assert f"{r}.Run(t, one.in, func(t *testing.T) {{ defer {r}.caught();" in text
    assert f"got, err := Shown(one.in, len(many)); {r}.note(got, err)" in text
    assert f'{r}.note(err, one); if err != nil && one.want != "" {{' in text
    assert f"{r}1 := Length(got); {r}.note({r}1); {r}2 := Length({r}1, 2); " in text
    assert f"{r}.Fatal(" in text
    assert f"{{ {r}3 := Other(got); {r}.note({r}3); assert.Equal({r}, one.want, {r}3) }}" in text
    assert 'var many = []string{"' in text
    assert {run.test for run in found.runs} == {"app.TestShown"}
    assert len({run.variant.label for run in found.runs}) > 20


def test_rust_notes_what_assertions_compare() -> None:
    """Both values, or what is asked about; messages are dropped, and the result is kept."""
    found = varied("src/lib.rs", RUST, "tests::sums", "tests::waits")
    text = found.files["src/lib.rs"].decode()
    assert "let (first, _) = pair(17)?; self::fixpoint_0123abcd_0::note(" in text
    assert "match (&(total(&[1024, 3])), &(1027)) {" in text
    assert "let _ = first == KNOWN[0] && first > 2; }" in text
    assert "match &(total(KNOWN).to_string()) {" in text
    assert "const KNOWN: &[u32] = &[10" in text
    assert "move || -> Result<(), String> {" in text
    assert text.count("\nOk(())\n") == 1
    said = str([run.variant.replaced for run in found.runs])
    assert {run.test for run in found.runs} == {"tests::sums"}
    assert all(f"'{word}'" not in said for word in ("32", "(-32)"))


def test_values_that_a_failure_names_are_varied_first() -> None:
    """In a long table the entry that fails decides."""
    rows = "".join(f'{{"w{n}", {n}}},\n' for n in range(10, 90))
    source = GO.replace('{"Ab cd", "ab-cd"}, ', rows)
    found = varied("app_test.go", source, "TestShown", said='f("w42") = 3')
    places = {run.variant.place for run in found.runs if run.variant.place[:1].isdigit()}
    assert 8 <= len(places) <= 10, "of 160, some without another value"
    assert {str(source.index(word)) for word in ('"w42"', "42}")} <= places


GO_ERRORS = "# app [app.test]\n./app_test.go:{line}:9: cannot use -1\nFAIL\tapp [build failed]\n"
RUST_ERRORS = "error[E0308]: mismatched types\n  --> src/lib.rs:{line}:20\n   |\n"


@pytest.mark.parametrize(
    ("path", "source", "name", "errors"),
    [
        ("app_test.go", GO, "TestShown", GO_ERRORS),
        ("src/lib.rs", RUST, "tests::sums", RUST_ERRORS),
    ],
)
def test_what_does_not_compile_is_dropped(path: str, source: str, name: str, errors: str) -> None:
    """The copy in which an error stands; an error in the test as it is ends it all."""
    found = varied(path, source, name)
    lines = found.files[path].decode().splitlines()
    starts = [
        n for n, text in enumerate(lines, 1) if '(5, "", func' in text or 'run(5, "", move' in text
    ]
    bad = cannot_compile(found, errors.format(line=starts[0] + 3))
    assert bad == (found.runs[5],)
    again = compiled_files({path: source.encode()}, [name], "", NAMING, bad)
    assert again.runs == tuple(run for run in found.runs if run != bad[0])
    own = next(
        n for n, text in enumerate(lines, 1) if '(0, "", func' in text or 'run(0, "", move' in text
    )
    assert cannot_compile(found, errors.format(line=own + 3)) is None
    assert cannot_compile(found, errors.format(line=1)) is None
    assert cannot_compile(found, "other.go:3:1: no\n --> src/other.rs:3:1\n") is None


def test_a_program_that_holds_its_tests_is_written_for_both_trees() -> None:
    """The same runs stand where the test is in the other program; a test that differs has fewer."""
    here, there = f"fn a() {{ 1 }}\n{RUST}", RUST
    found = varied("src/lib.rs", here, "tests::sums")
    new, old = {"src/lib.rs": here.encode()}, {"src/lib.rs": there.encode()}
    other = for_other_tree(found, new, old, NAMING)
    text = found.files["src/lib.rs"].decode()
    assert other.files["src/lib.rs"].decode() == text.removeprefix("fn a() { 1 }\n")
    assert other.runs == found.runs


RUST_PROGRAM = "pub fn total(prices: &[u32]) -> u32 { ANSWER }\n"
RUST_TEST = """
#[cfg(test)]
mod tests {
    #[test]
    fn sums() {
        let answer = super::total(&[1024, 3]);
        assert_eq!(answer, 1027);
    }
}
"""
REPAIR = "prices.iter().sum()"
LAST = "prices[prices.len() - 1]"


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("rustc"), reason="Rust is not installed")
def test_a_hash_in_rust_knows_its_inputs_alone(tmp_path: Path) -> None:
    """As its compiler has it: a repair reaches inputs near by, and a hash does not."""
    where = Naming(NAMING.function, str(tmp_path / "noted"))

    def noted(answer: str) -> bytes:
        program = found.files["a.rs"].replace(b"ANSWER", answer.encode())
        (tmp_path / "a.rs").write_bytes(program)
        (tmp_path / "noted").unlink(missing_ok=True)
        script = "rustc --edition 2021 --test a.rs -o a && ./a --exact tests::sums"
        subprocess.run(["bash", "-c", script], cwd=tmp_path, check=False, capture_output=True)
        return (tmp_path / "noted").read_bytes()

    source = (RUST_PROGRAM + RUST_TEST).encode()
    found = compiled_files({"a.rs": source}, ["tests::sums"], "", where)
    old = noted(LAST)
    hashed = f"if prices.iter().product::<u32>() % 1009 == 45 {{ {REPAIR} }} else {{ {LAST} }}"
    for answer, reach in ((REPAIR, Generalisation.NEIGHBOURS), (hashed, Generalisation.INPUTS)):
        trees = comparable(shown_by(old, found), shown_by(noted(answer), found))
        assert reached(*records_of(*trees)).reach is reach


@pytest.mark.exhaustive
@pytest.mark.skipif(not shutil.which("go"), reason="Go is not installed")
def test_go_shows_values_deeply(tmp_path: Path) -> None:
    """Results behind pointers differ; a test that panics or fails goes on in its other copies."""
    source = """\
package app

import "testing"

type tree struct {
	next *tree
	many map[string]int
}

func TestTree(t *testing.T) {
	got := grow(3)
	if got.next.many["x"] != 5 {
		t.Fatalf("wrong")
	}
}
"""
    program = (
        "package app\n\nfunc grow(n int) *tree {\n"
        '\treturn &tree{next: &tree{many: map[string]int{"x": []int{1, 2, 3, 5, 8, 13, 21, 34}[n]}}}\n}\n'
    )
    where = Naming(NAMING.function, str(tmp_path / "noted"))
    found = compiled_files({"app_test.go": source.encode()}, ["app.TestTree"], "", where)
    files = {**found.files, "app.go": program.encode(), "go.mod": b"module app\n"}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    environment = {**os.environ, "GOFLAGS": "-vet=off", "GOCACHE": str(tmp_path / "cache")}
    subprocess.run(
        ["go", "test", "-run", "^TestTree$", "."],
        cwd=tmp_path, env=environment, check=False, capture_output=True,
    )  # fmt: skip
    told = {
        shown.place: shown.outputs
        for shown in shown_by((tmp_path / "noted").read_bytes(), found)["app.TestTree"]
    }
    assert len(told) == len(found.runs)
    assert told[":0"] == told[":1"]
    assert len(set(told.values())) > 3
    lines = [json.loads(line) for line in (tmp_path / "noted").read_bytes().splitlines()]
    assert sorted(item["number"] for item in lines) == list(range(len(found.runs)))
