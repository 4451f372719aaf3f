"""Conditions in Go and Rust that keep a patch from inputs near those of the tests.

The finding is `condition-unneeded`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.code.change import FileDiff
from bot.repair.verification.perturbation.conditions import settled
from bot.repair.verification.perturbation.guarded_conditions import BothTrees, held_back
from bot.repair.verification.perturbation.varied.compiled_conditions import (
    conditions_of_compiled,
    watched_programs,
)
from bot.repair.verification.perturbation.varied.compiled_files import (
    compiled_files,
    for_other_tree,
    settled_programs,
    with_seen,
)
from bot.repair.verification.perturbation.varied.files import comparable, shown_by, with_settled
from bot.repair.verification.perturbation.varied.writing import Naming

RUST = """\
pub fn total(prices: &[u32]) -> u32 {
    BODY
}

#[cfg(test)]
mod tests {
    #[test]
    fn sums() {
        let answer = super::total(&[1024, 3]);
        assert_eq!(answer, 1027);
    }
}
"""
RUST_SUM = "prices.iter().sum::<u32>()"
RUST_LAST = "prices[prices.len() - 1]"
GO = """\
package app

func Total(prices []int) int {
	all := 0
	for _, one := range prices {
		all += one
	}
	BODY
	return all
}
"""
GO_TEST = """\
package app

import "testing"

func TestTotal(t *testing.T) {
	if got := Total([]int{1024, 3}); got != 1027 {
		t.Fatal("wrong")
	}
}
"""
GO_LAST = "{ return prices[len(prices)-1] }"


class Project:
    """A program with a test of its own, compiled here."""

    def __init__(self, folder: Path, path: str, test: str, command: str) -> None:
        self._folder = folder
        self._path = path
        self._test = test
        self._command = command
        self._naming = Naming("__fixpoint_0123abcd", str(folder / "noted"), is_shared=True)

    def held(self, before: str, after: str, name: str, more: Mapping[str, str]) -> list[str]:
        """Return the conditions that keep inputs near the test's from the patch."""
        changes = [FileDiff(self._path, before.encode(), after.encode())]
        conditions = conditions_of_compiled(changes)
        watched = watched_programs(changes, conditions, self._naming)
        files = {key: text.encode() for key, text in more.items()}
        here, there = ({**files, self._path: text.encode()} for text in (after, before))
        here, there = ({self._test: item[self._test]} for item in ({**here, **watched}, there))
        varied = compiled_files(here, [name], "", self._naming)
        other = for_other_tree(varied, here, there, self._naming)
        plain = {**files, self._path: before.encode()}
        old = shown_by(self._noted({**plain, **other.files}), varied)
        noted = self._noted({**files, **watched, **varied.files})
        new = with_seen(shown_by(noted, varied), noted, varied)
        again = settled_programs(here, varied, new, self._naming)
        if again.runs:
            new = with_settled(new, self._noted({**files, **watched, **again.files}), again)
        found = held_back(BothTrees(*comparable(old, new)))
        return [conditions[number].text for item in found for number, _ in item.settled]

    def _noted(self, files: Mapping[str, bytes]) -> bytes:
        for name, data in files.items():
            (self._folder / name).write_bytes(data)
        (self._folder / "noted").unlink(missing_ok=True)
        environment = {
            **os.environ, "GOFLAGS": "-vet=off", "GOCACHE": str(self._folder / "cache"),
        }  # fmt: skip
        done = subprocess.run(
            ["bash", "-c", self._command], cwd=self._folder, env=environment, check=False,
            capture_output=True, text=True,
        )  # fmt: skip
        assert (self._folder / "noted").exists(), done.stdout + done.stderr
        return (self._folder / "noted").read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("rustc"), reason="Rust is not installed")
@pytest.mark.parametrize(
    ("body", "held"),
    [
        (
            f"if {RUST_SUM} % 3 == 1 {{ {RUST_SUM} }} else {{ {RUST_LAST} }}",
            [f"{RUST_SUM} % 3 == 1"],
        ),
        pytest.param(
            f"match prices.len() {{ 2 if prices[1] < 9 => {RUST_SUM}, _ => {RUST_LAST} }}",
            ["prices[1] < 9"],
            marks=pytest.mark.exhaustive,
        ),
        (f"if prices.is_empty() {{ 0 }} else {{ {RUST_SUM} }}", []),
    ],
    ids=["a remainder", "an arm's guard", "a repair"],
)
def test_rust(tmp_path: Path, body: str, held: list[str]) -> None:
    """A small remainder lets some inputs near by through; what it keeps away is seen all the same."""
    project = Project(
        tmp_path, "a.rs", "a.rs", "rustc --edition 2021 --test a.rs -o a && ./a --exact tests::sums"
    )
    before, after = RUST.replace("BODY", RUST_LAST), RUST.replace("BODY", body)
    assert project.held(before, after, "tests::sums", {}) == held


@pytest.mark.skipif(not shutil.which("go"), reason="Go is not installed")
def test_go(tmp_path: Path) -> None:
    """The same; the innermost condition is named."""
    project = Project(tmp_path, "app.go", "app_test.go", "go test -run ^TestTotal$ .")
    before = GO.replace("BODY", f"if true {GO_LAST}")
    after = GO.replace("BODY", f"if len(prices) == 0 || all%3 != 1 {GO_LAST}")
    more = {"go.mod": "module app\n\ngo 1.16\n", "app_test.go": GO_TEST}
    assert project.held(before, after, "app.TestTotal", more) == ["all%3 != 1"]


def test_conditions_that_cannot_ask() -> None:
    """The compiler computes them, a loop goes on by them, they bind names, or a test asks them."""
    program = (
        "const fn few(n: u32) -> bool { n < 9 }\n"
        "fn all(mut n: u32) { while n < 9 { n += 1; } if let Some(_) = Some(n) {} }\n"
        "#[cfg(test)]\nmod tests { fn a(n: u32) -> bool { n == 1 } }\n"
    )
    assert conditions_of_compiled([FileDiff("a.rs", b"", program.encode())]) == ()


def test_settled_conditions_are_asked_all_the_same() -> None:
    """As Go and Rust write it."""
    source = b"package app\n\nfunc Few(n int) bool {\n\tif n < 9 {\n\t\treturn true\n\t}\n\treturn false\n}\n"
    (condition,) = conditions_of_compiled([FileDiff("a.go", b"package app\n", source)])
    for value, words in (("true", b"((n < 9) || true)"), ("false", b"((n < 9) && false)")):
        files = settled({"a.go": source}, [(condition, value)])
        assert files["a.go"] == source.replace(b"n < 9", words)
