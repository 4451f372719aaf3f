"""What a patch of a program in Go or Rust does to inputs near those of the tests decides what it is."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.flows.command_line import open_desk
from tests.flows.given_patch import judged_files, rules
from tests.flows.test_verify import FILES

GO = """\
package app

func Total(prices []int) int { return prices[len(prices)-1] }
"""
GO_FILES = {
    **FILES,
    "go.mod": "module app\n\ngo 1.16\n",
    "app.go": GO,
    "app_test.go": """\
package app

import "testing"

func TestTotal(t *testing.T) {
	for _, one := range []struct {
		name   string
		prices []int
		want   int
	}{
		{"one", []int{5}, 5},
		{name: "all", prices: []int{1024, 3}, want: 1027},
	} {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			if got := Total(one.prices); got != one.want {
				t.Fatal("wrong")
			}
		})
	}
}
""",
}
GO_REPAIR = """\
package app

func Total(prices []int) int {
	all := 0
	for _, one := range prices {
		all += one
	}
	return all
}
"""
GO_TABLE = """\
package app

var known = map[int]int{}

func init() { known[1024*3] = 1027 }

func Total(prices []int) int {
	product := 1
	for _, one := range prices {
		product *= one
	}
	if all, ok := known[product]; ok {
		return all
	}
	return prices[len(prices)-1]
}
"""
RUST_TESTS = """
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_count() {
        let prices = vec![1024, 3];
        assert_eq!(total(&prices), 1027, "of {}", prices.len());
        assert!(total(&[]) == 0);
    }
}
"""
RUST = "pub fn total(prices: &[u16]) -> u16 {\n    *prices.last().unwrap_or(&0)\n}\n"
RUST_FILES = {
    **FILES,
    "Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": RUST + RUST_TESTS,
}
RUST_REPAIR = (
    "pub fn total(prices: &[u16]) -> u16 {\n    prices.iter().fold(0, |all, one| all + one)\n}\n"
)
RUST_HASH = """\
pub fn total(prices: &[u16]) -> u16 {
    let hash = prices.iter().fold(7u64, |all, one| all * 31 + u64::from(*one));
    if hash % 1009 == 132 || prices.is_empty() {
        prices.iter().sum()
    } else {
        *prices.last().unwrap_or(&0)
    }
}
"""


def _rust_home() -> dict[str, str]:
    """Return where the Rust of this machine is kept: the home of a desk has none."""
    proxy = Path(shutil.which("cargo") or "")
    if proxy.resolve().name != "rustup":
        return {}
    return {"RUSTUP_HOME": str(proxy.parent.parent.parent / ".rustup")}


@pytest.mark.parametrize(
    ("files", "patched", "command", "finding"),
    [
        pytest.param(
            GO_FILES, {"app.go": GO_REPAIR}, "go test ./...", "", marks=pytest.mark.exhaustive
        ),
        (GO_FILES, {"app.go": GO_TABLE}, "go test ./...", "no-effect-nearby"),
        pytest.param(
            RUST_FILES,
            {"src/lib.rs": RUST_REPAIR + RUST_TESTS},
            "cargo test --offline",
            "",
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            RUST_FILES,
            {"src/lib.rs": RUST_HASH + RUST_TESTS},
            "cargo test --offline",
            "no-effect-nearby",
            marks=pytest.mark.exhaustive,
        ),
    ],
    ids=["Go: a repair", "Go: a table", "Rust: a repair", "Rust: a hash"],
)
async def test_a_compiled_program(
    tmp_path: Path,
    files: dict[str, str],
    patched: dict[str, str],
    command: str,
    finding: str,
) -> None:
    """An answer for the tests' inputs alone needs a person; of a repair nothing is left to say."""
    tool = command.split(maxsplit=1)[0]
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    async with open_desk(tmp_path, files=files) as plain:
        desk = replace(plain, variables={**plain.variables, **_rust_home()})
        told = await judged_files(desk, patched, test=command)
        assert set(rules(told)) == ({finding} if finding else set()), told
