"""What the `/etc` of a jail is made of."""

from __future__ import annotations

from pathlib import Path

from sandbox.bubblewrap.etc_files import etc_files
from sandbox.bubblewrap.host_system import host_views


def _pip_settings(home: Path, text: str) -> dict[str, str]:
    (home / ".pip").mkdir(parents=True)
    (home / ".pip" / "pip.conf").write_text(text)
    return {"HOME": str(home)}


def test_a_constraint_file_below_etc_comes_along(tmp_path: Path) -> None:
    """What pip's settings name there is part of the jail's own `/etc`, or pip would not start."""
    etc = tmp_path / "etc"
    (etc / "xdg" / "pip").mkdir(parents=True)
    (etc / "xdg" / "pip" / "constraints.txt").write_text("attrs<30\n")
    environ = _pip_settings(
        tmp_path / "home", f"[global]\nconstraint = {etc}/xdg/pip/constraints.txt\n"
    )
    assert etc_files(etc, environ)["xdg/pip/constraints.txt"] == b"attrs<30\n"


def test_a_bundle_below_etc_that_a_variable_names_comes_along(tmp_path: Path) -> None:
    """Authorities of a company, named by `PIP_CERT`."""
    bundle = tmp_path / "etc" / "company.pem"
    bundle.parent.mkdir()
    bundle.write_text("a certificate")
    environ = {"HOME": str(tmp_path), "PIP_CERT": str(bundle)}
    assert etc_files(bundle.parent, environ)["company.pem"] == b"a certificate"


def test_a_private_key_stays_outside(tmp_path: Path) -> None:
    """A client certificate holds a key: neither its file nor the setting comes along."""
    etc = tmp_path / "etc"
    etc.mkdir()
    (etc / "client.pem").write_text("a key")
    environ = _pip_settings(tmp_path / "home", f"[global]\nclient_cert = {etc}/client.pem\n")
    files = etc_files(etc, environ)
    assert "client.pem" not in files
    assert b"client_cert" not in bytes(files["pip.conf"])


def test_nothing_is_mounted_into_the_composed_etc(tmp_path: Path) -> None:
    """It is read-only, so bubblewrap could not make a place there."""
    views = host_views(tmp_path, "[global]\nconstraint = /etc/passwd\n", {})
    assert "/etc/passwd" not in {str(mount.target) for mount in views.online.mounts}


def test_a_release_file_as_ubuntu_has_it_is_made(tmp_path: Path) -> None:
    """A step that asks whether it is there, and writes it otherwise, would fail: `/etc` is read-only."""
    (tmp_path / "os-release").write_text('ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian 12"\n')
    made = etc_files(tmp_path, {"HOME": str(tmp_path)})["lsb-release"]
    assert made == (
        b'DISTRIB_ID=Debian\nDISTRIB_RELEASE=12\nDISTRIB_CODENAME=\nDISTRIB_DESCRIPTION="Debian 12"\n'
    )
