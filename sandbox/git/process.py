"""Run git so that nothing in an untrusted repository can run anything else.

The repositories and trees that this module touches are not trusted. Every call therefore runs
with no system or user configuration, no hooks, no file-system monitor, no external diff or filter
and no prompt; a credential travels in the environment, never in argv or in a remote's URL.

What guards against the settings of a repository itself is that git only ever runs in repositories
that were made here, and looks for no other: those of other people are read through `foreign`.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from sandbox.spawn import finished

_SAFE_CONFIG = (
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("core.quotePath", "false"),
    ("core.protectHFS", "true"),  # a name that is `.git` on somebody's Mac or Windows is refused
    ("core.protectNTFS", "true"),
    ("diff.ignoreSubmodules", "all"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("protocol.allow", "never"),
    ("safe.directory", "*"),
    ("http.lowSpeedLimit", "1000"),  # bytes per second; slower for a minute counts as silence
    ("http.lowSpeedTime", "60"),
    ("core.alternateRefsCommand", "true"),  # or git runs in the repository that objects are of
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("commit.gpgSign", "false"),
    ("advice.addEmbeddedRepo", "false"),
    ("user.name", "Fixpoint"),
    ("user.email", "fixpoint@localhost"),
)

_ASKING = frozenset({"fetch", "ls-remote", "push"})
"""Commands that are given an address. No other one may ask a server, for a missing object say."""

_ASKED = (
    ("protocol.file.allow", "always"),
    ("protocol.http.allow", "always"),
    ("protocol.https.allow", "always"),
    ("protocol.ssh.allow", "user"),
)

_NOWHERE = Path("/")
"""Where a command runs that needs no repository: below it, git would find somebody's."""

_PASSED_ON = ("PATH", "LANG", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO")
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


class GitError(Exception):
    """A git command failed; the text is its own last words."""


@dataclass(frozen=True, slots=True)
class Credential:
    """A token for one host, sent as Basic auth of a user, at GitHub `x-access-token`.

    Source: https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app
    """

    url: str
    token: str
    user: str = "x-access-token"

    def __repr__(self) -> str:
        return f"Credential(url={self.url!r})"

    def config(self) -> tuple[str, str]:
        """Return the git setting that sends it, to this URL alone."""
        basic = base64.b64encode(f"{self.user}:{self.token}".encode()).decode()
        return f"http.{self.url}.extraHeader", f"Authorization: Basic {basic}"


def parted(address: str) -> tuple[str, Credential | None]:
    """Return an address that may be shown, and the credential that was a part of it.

    Of other schemes than http and https, git itself sends the user alone and no password.

    Raises:
        ValueError: When it is no address; the text quotes nothing of it.
    """
    try:
        parts = urlsplit(address)
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
    except ValueError:
        raise ValueError("This is not the address of a repository.") from None
    host = parts.netloc.rpartition("@")[2]
    if parts.scheme not in {"http", "https"}:
        whom = f"{quote(user)}@" if user else ""
        return urlunsplit(parts._replace(netloc=whom + host)), None
    url = urlunsplit(parts._replace(netloc=host))
    return url, Credential(url, password, user) if user or password else None


def environment(
    extra: Mapping[str, str] | None = None,
    credential: Credential | None = None,
    *,
    config: Sequence[tuple[str, str]] = (),
) -> dict[str, str]:
    """Return the whole environment of a git process; `config` has further settings."""
    config = [*_SAFE_CONFIG, *config, *([credential.config()] if credential else [])]
    variables = {name: os.environ[name] for name in (*_PASSED_ON, *_PROXIES) if name in os.environ}
    variables |= {
        "HOME": os.devnull,
        "XDG_CONFIG_HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_COUNT": str(len(config)),
    }
    for index, (key, value) in enumerate(config):
        variables[f"GIT_CONFIG_KEY_{index}"] = key
        variables[f"GIT_CONFIG_VALUE_{index}"] = value
    return variables | dict(extra or {})


async def git(
    *arguments: str,
    git_dir: Path | None = None,
    cwd: Path = _NOWHERE,
    extra: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    credential: Credential | None = None,
    config: Sequence[tuple[str, str]] = (),
) -> bytes:
    """Run one git command and return its stdout.

    Args:
        arguments: The command's name first.
        git_dir: A repository that was made here; without it, the command knows of none.
        cwd: Where it runs.
        extra: Variables besides `environment`.
        stdin: What it reads.
        credential: What it may send to a server.
        config: Settings besides those of `environment`.

    Raises:
        GitError: When it exits with another status than zero.
    """
    asking = _ASKED if arguments[0] in _ASKING else ()
    place = {} if git_dir is None else {"GIT_DIR": str(git_dir.absolute())}
    code, out, err = await finished(
        *("git", *arguments),
        cwd=cwd if place else _NOWHERE,
        env=environment({**place, **(extra or {})}, credential, config=(*asking, *config)),
        given=stdin,
    )
    if code:
        last_words = err.decode("utf-8", "replace").strip()[-2000:]
        raise GitError(f"git {arguments[0]} failed: {last_words}")
    return out
