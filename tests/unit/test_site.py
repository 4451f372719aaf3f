"""The site of the documentation is built without a warning, and every link in it leads somewhere."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.prefix) / "publishing-tools" / "bin"


class Page(HTMLParser):
    """What a page leads to, and the places in it that others may lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        for name, value in attrs:
            if name in {"href", "src"} and value:
                self.targets.append(value)
            elif name in {"id", "name"} and value:
                self.places.add(value)


@pytest.mark.slow
def test_the_site_is_whole(tmp_path: Path) -> None:
    """Also what stands outside of docs/: the README is its first page."""
    if not TOOLS.is_dir():
        pytest.skip("The tools that publish are not installed (`make publishing-tools`).")
    command = [str(TOOLS / "python"), "-m", "mkdocs", "build", "--strict", "--quiet"]
    built = subprocess.run(
        [*command, "--site-dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    pages = {path: Page(path.read_text("utf-8")) for path in tmp_path.rglob("*.html")}
    assert {"index.html", "self-hosting.html", "settings.html"} <= {page.name for page in pages}
    dead = defaultdict(list)
    outside = set()
    for path, page in pages.items():
        if path.name == "404.html":
            continue  # its links begin at the root of a server
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                outside.add(target)
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if there.is_dir():
                there /= "index.html"
            known = pages[there].places if there in pages else set[str]()
            if not there.exists() or (parts.fragment and unquote(parts.fragment) not in known):
                dead[path.name].append(target)
    assert dead == {}
    assert not [target for target in outside if target.endswith((".js", ".css", ".woff2"))]
