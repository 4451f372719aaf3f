"""The one list of sandboxes: every kind that can be chosen is there, and can tell of its key."""

from __future__ import annotations

import os
from pathlib import Path

from bot.app import SANDBOXES
from bot.app.sandboxes import shown_programs
from bot.settings.environment import LocalSettings, variable_of
from bot.settings.sandbox_kind import KEYS, SandboxKind


def test_every_kind_has_one_entry() -> None:
    """`auto` is a choice among them."""
    kinds = [entry.kind for entry in SANDBOXES]
    assert sorted((*kinds, SandboxKind.AUTO)) == sorted(SandboxKind)


def test_keys_are_settings() -> None:
    """A kind with a key is there only when that is set."""
    assert set(KEYS.values()) <= {variable_of(name) for name in LocalSettings.model_fields}
    settings = LocalSettings.model_validate({})
    assert {entry.kind for entry in SANDBOXES if not entry.has_key(settings)} == set(KEYS)


def test_pythons_that_only_sandboxes_see_are_on_their_path(tmp_path: Path) -> None:
    """`fixpoint doctor` looks there: a pyenv keeps more than its shims on the host's `PATH` find."""
    python = tmp_path / ".pyenv" / "versions" / "3.12.1" / "bin" / "python3"
    python.parent.mkdir(parents=True)
    python.touch(mode=0o755)
    shown = shown_programs({"HOME": str(tmp_path), "PATH": "/nowhere"}).split(os.pathsep)
    assert shown[-1] == "/nowhere"
    assert str(python.parent) in shown
