"""A step's script in two: what installs, with network, and what checks, without."""

from __future__ import annotations

import pytest

from bot.ci.workflow.actions.install_commands import divide, editable, installs, must_succeed
from bot.ci.workflow.runner.command import Command


@pytest.mark.parametrize(
    ("script", "preparing", "checking"),
    [
        ("pip install tox && tox -e py", "pip install tox", "tox -e py"),
        ("python -m pip install -U pip\npip install -e .[test]\npytest -q",
         "python -m pip install -U pip\npip install -e .[test]", "pytest -q"),
        ("# first\ncd backend\nnpm ci\n\nnpm test", "cd backend\nnpm ci", "cd backend\nnpm test"),
        ("export A=1\nuv sync \\\n  --all-extras\nuv run pytest",
         "export A=1\nuv sync --all-extras", "export A=1\nuv run pytest"),
        ("sudo apt-get install -y x\nmake", "sudo apt-get install -y x", "make"),
        ("command -v tox >/dev/null || pip install tox\ntox", "command -v tox >/dev/null || pip install tox", "tox"),
        ("npm ci", "", "npm ci"),
        ("uv run pytest", "", "uv run pytest"),
        ("pytest\npip install twine\ntwine check dist/*", "", "pytest\npip install twine\ntwine check dist/*"),
        ("if [ -f x ]; then\n  pip install x\nfi\npytest", "", "if [ -f x ]; then\n  pip install x\nfi\npytest"),
        ("pip install 'a", "", "pip install 'a"),
        ("", "", ""),
    ],
)  # fmt: skip
def test_installs_are_taken_apart(script: str, preparing: str, checking: str) -> None:
    """Plain lines are divided; what can't be divided safely, or only installs, stays whole."""
    divided = divide(script)
    assert (divided.preparing, divided.checking) == (preparing, checking)


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ("pip install .", "pip install -e ."),
        ("python -m pip install --upgrade pip .\npytest", "python -m pip install --upgrade pip -e .\npytest"),
        ("pip install '.[test, docs]' -c x.txt", "pip install -e '.[test, docs]' -c x.txt"),
        ("uv pip install --system .[dev] && pytest", "uv pip install --system -e .[dev] && pytest"),
        ("pip install -e .", "pip install -e ."),
        ("pip install ./sub six", "pip install ./sub six"),
        ("pip install build; ls .", "pip install build; ls ."),
    ],
)  # fmt: skip
def test_the_work_tree_itself_is_installed(script: str, wanted: str) -> None:
    """A copy of the package would show neither a repair nor another commit."""
    assert editable(script) == wanted


def test_what_installs() -> None:
    """A program of that name with another subcommand installs nothing."""
    assert installs("cd x && python3.12 -m pip install y")
    assert installs("sudo DEBIAN_FRONTEND=noninteractive apt-get -qy install tox")
    assert not installs("git fetch --tags\ncurl -O https://example.org/x")
    assert must_succeed("pip install x\npip list")
    assert not must_succeed("if [ -f x ]; then\n  pip install x\nfi")
    assert not installs("pip --version\nnpm test\ngo test ./...")


@pytest.mark.parametrize(
    ("command", "typed"),
    [
        (Command("1", "pytest -q"), "pytest -q"),
        (Command("1", "make a\nmake b"), "make a && make b"),
        (Command("1", "npm test", directory="/workspace/web app"), "cd 'web app' && npm test"),
        (Command("1", "make | tee log", shell="bash"), "set -eo pipefail\nmake | tee log"),
        (Command("1", "make; true", directory="/workspace/x"), "set -e\ncd x\nset -e\nmake; true"),
        (Command("1", "! grep x y\nmake"), "set -e\n! grep x y\nmake"),
    ],
)
def test_commands_as_a_person_types_them(command: Command, typed: str) -> None:
    """Short where the options of the shell make no difference, and with them where they do."""
    assert command.typed() == typed
