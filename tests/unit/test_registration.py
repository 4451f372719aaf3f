"""What is registered, what GitHub answers as settings, and the file that keeps them."""

from __future__ import annotations

import base64
import json
import stat
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from bot.errors import UsageError
from bot.registration.manifest import (
    DESCRIPTION,
    EVENTS,
    PERMISSIONS,
    registration_of,
)
from bot.server.smee import Relayed, relayed
from bot.settings.environment_file import add_environment_files, write_settings

ROOT = Path(__file__).parents[2]


def test_the_manifest_is_that_of_app_yml() -> None:
    """Who registers by hand, by the form or by `fixpoint setup` gets the same App."""
    declared = YAML(typ="safe").load((ROOT / "app.yml").read_text())
    server = "https://fixpoint.example.com"
    manifest = registration_of("Fixpoint", f" {server}/ ").manifest(f"{server}/setup/created")
    assert manifest.pop("redirect_url") == f"{server}/setup/created"
    assert manifest == declared
    assert (DESCRIPTION, PERMISSIONS, list(EVENTS)) == (
        declared["description"], declared["default_permissions"], declared["default_events"],
    )  # fmt: skip


def test_where_an_app_is_registered() -> None:
    """One's own account or an organization's, on github.com or a server of one's own."""
    own = registration_of("a", "https://x.test")
    assert (own.form, own.api) == (
        "https://github.com/settings/apps/new", "https://api.github.com",
    )  # fmt: skip
    theirs = registration_of("a", "https://x.test", "https://git.x.test/", "acme")
    assert theirs.form == "https://git.x.test/organizations/acme/settings/apps/new"
    assert theirs.api == "https://git.x.test/api/v3"
    channel = registration_of("a", "http://localhost:1", smee="https://smee.io/abc")
    assert (
        channel.manifest("http://localhost:1/b")["hook_attributes"]["url"] == "https://smee.io/abc"
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("", "https://x.test"), "An App needs a name"),
        (("n" * 35, "https://x.test"), "An App needs a name"),
        (("a", "x.test"), "The server's address must be a URL"),
        (("a", "https://u:p@x.test"), "The server's address must be a URL"),
        (("a", "https://x.test/?q"), "The server's address must be a URL"),
        (("a", "https://["), "The server's address must be a URL"),
        (("a", "https://x.test", "ftp://g"), "GitHub's address must be a URL"),
        (("a", "https://x.test", "", "a/b"), "'a/b' is no name of an organization"),
        (("a", "https://x.test", "", "", "smee"), "The channel must be a URL"),
        (("a", "http://localhost:8080"), "github.com can't deliver to http://localhost:8080"),
        (("a", "http://127.0.0.1"), "github.com can't deliver to http://127.0.0.1"),
    ],
)
def test_what_can_not_be_registered(given: tuple[str, ...], said: str) -> None:
    """A sentence about the first thing that is wrong."""
    with pytest.raises(UsageError, match=f"^{said}"):
        registration_of(*given)


def test_a_file_of_settings_is_only_its_owners(tmp_path: Path) -> None:
    """Written so, read only so; what is set already wins, and quotes of other tools are no part."""
    file = tmp_path / "data" / ".env"
    write_settings(file, {"A": "1", "B": "2"})
    file.write_text(file.read_text() + "export C='three'\n# a note\n")
    write_settings(file, {"B": "3"})
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text() == "A=1\nexport C='three'\n# a note\nB=3\n"
    environ = {"FIXPOINT_DATA": str(file.parent), "A": "mine"}
    add_environment_files(environ)
    assert environ == {"FIXPOINT_DATA": str(file.parent), "A": "mine", "B": "3", "C": "three"}
    file.chmod(0o640)
    with pytest.raises(UsageError, match="other users of this machine can read or change it"):
        add_environment_files(environ)


def test_settings_that_can_not_be_written_are_said() -> None:
    """The file is named, with what the system says."""
    with pytest.raises(UsageError, match=r"^/proc/\.env can't be written: "):
        write_settings(Path("/proc/.env"), {"A": "1"})


def test_what_a_channel_passes_on() -> None:
    """The headers that the webhook reads, and the body as GitHub signed it."""
    head = {"x-github-event": "ping", "x-hub-signature-256": "sha256=1", "host": "smee.io"}
    text = json.dumps({**head, "body": {"zen": "schön", "n": [1]}, "query": {}, "timestamp": 1})
    assert relayed(text) == Relayed(
        {"x-github-event": "ping", "x-hub-signature-256": "sha256=1", "content-type": "application/json"},
        '{"zen":"schön","n":[1]}'.encode(),
    )  # fmt: skip
    raw = json.dumps({**head, "bodyB": base64.b64encode(b'{"a": 1}').decode()})
    passed = relayed(raw)
    assert passed is not None
    assert passed.body == b'{"a": 1}'
    for nothing in ("{}", "[]", "x", json.dumps({**head, "bodyB": "%"})):
        assert relayed(nothing) is None
