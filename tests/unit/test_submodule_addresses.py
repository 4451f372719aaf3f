"""Which repositories submodules are; what their addresses can't do."""

from __future__ import annotations

import pytest

from bot.runs.submodules import Submodule, SubmoduleRefusal, repository_of, submodules_of


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("../lib", "acme/lib"),
        ("../lib.git/", "acme/lib"),
        ("../../other/lib.git", "other/lib"),
        ("https://github.test/acme/lib", "acme/lib"),
        ("https://github.test/acme/lib.git", "acme/lib"),
        ("http://github.test/acme/lib.git", "acme/lib"),
        ("git@github.test:acme/lib.git", "acme/lib"),
        ("ssh://git@github.test/acme/lib.git", "acme/lib"),
        ("git://github.test/acme/.github", "acme/.github"),
        ("./lib", SubmoduleRefusal.ODD_ADDRESS),
        ("../../../lib", SubmoduleRefusal.ODD_ADDRESS),
        ("../../../../etc/passwd", SubmoduleRefusal.ODD_ADDRESS),
        ("../../../acme/lib", SubmoduleRefusal.ODD_ADDRESS),
        ("../..", SubmoduleRefusal.ODD_ADDRESS),
        ("../lib/../../../x", SubmoduleRefusal.ODD_ADDRESS),
        ("https://evil.test/acme/lib", SubmoduleRefusal.OTHER_HOST),
        ("https://github.test.evil.test/acme/lib", SubmoduleRefusal.OTHER_HOST),
        ("https://github.test:8443/acme/lib", SubmoduleRefusal.OTHER_HOST),
        ("https://github.test@evil.test/acme/lib", SubmoduleRefusal.OTHER_HOST),
        ("https://me:secret@github.test/acme/lib", SubmoduleRefusal.ODD_ADDRESS),
        ("git@evil.test:acme/lib.git", SubmoduleRefusal.OTHER_HOST),
        ("https://github.test/acme/lib?x=/other/y", SubmoduleRefusal.ODD_ADDRESS),
        ("https://github.test/acme/lib#x", SubmoduleRefusal.ODD_ADDRESS),
        ("https://github.test/acme/..", SubmoduleRefusal.ODD_ADDRESS),
        ("https://github.test/acme/lib/info/refs", SubmoduleRefusal.ODD_ADDRESS),
        ("https://github.test:port/acme/lib", SubmoduleRefusal.ODD_ADDRESS),
        ("https://[github.test/acme/lib", SubmoduleRefusal.ODD_ADDRESS),
        ("ext::sh -c 'touch /tmp/x'", SubmoduleRefusal.ODD_ADDRESS),
        ("--upload-pack=touch /tmp/x", SubmoduleRefusal.ODD_ADDRESS),
        ("-u./x", SubmoduleRefusal.ODD_ADDRESS),
        ("file:///etc", SubmoduleRefusal.ODD_ADDRESS),
        ("/srv/git/lib", SubmoduleRefusal.ODD_ADDRESS),
        ("../lib\nurl = ext::sh", SubmoduleRefusal.ODD_ADDRESS),
        ("", SubmoduleRefusal.ODD_ADDRESS),
    ],
)
def test_an_address_is_a_repository_on_the_same_github(
    address: str, found: str | SubmoduleRefusal
) -> None:
    """Or a reason why it isn't; git is never given it."""
    assert repository_of(address, "acme/app", "github.test") == found


def test_a_port_belongs_to_the_host() -> None:
    """As where GitHub Enterprise Server listens elsewhere."""
    address = "http://127.0.0.1:8080/acme/lib.git"
    assert repository_of(address, "acme/app", "127.0.0.1:8080") == "acme/lib"
    assert repository_of(address, "acme/app", "127.0.0.1") is SubmoduleRefusal.OTHER_HOST


def test_a_submodule_is_found_by_its_path() -> None:
    """The tree says which there are, and `.gitmodules` where they come from."""
    settings = {
        "submodule.one.path": "vendor/one",
        "submodule.one.url": "../one",
        "submodule.one.update": "!touch /tmp/x",
        "submodule.gone.path": "vendor/gone",
        "submodule.gone.url": "../gone",
        "submodule.half.path": "vendor/half",
    }
    links = {"vendor/one": "1" * 40, "vendor/half": "2" * 40, "other": "3" * 40}
    assert list(submodules_of(links, settings, below="acme/app", host="github.test")) == [
        Submodule("vendor/one", "1" * 40, "acme/one"),
        Submodule("vendor/half", "2" * 40, SubmoduleRefusal.NO_ADDRESS),
        Submodule("other", "3" * 40, SubmoduleRefusal.NO_ADDRESS),
    ]
