"""Show an output as CI and the tools around a test runner do: with their lines, and what they put before each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

_RUN = "##[group]Run npm test\nnpm test\nshell: /usr/bin/bash -e {0}\n##[endgroup]\n"
_EXIT = "##[error]Process completed with exit code 1.\n"


def _each(text: str, before: str) -> str:
    return "".join(f"{before}{line}\n" for line in text.removesuffix("\n").split("\n"))


def _npm(text: str) -> str:
    head = "\n> shop@1.0.0 test\n> runner --all\n\n"
    tail = "npm error Lifecycle script `test` failed with error:\nnpm error code 1\nnpm error path /workspace\n"
    return f"{head}{text}{tail}"


def _make(text: str) -> str:
    return (
        "make: Entering directory '/workspace'\nrunner --all\n"
        f"{text}make: *** [Makefile:2: test] Error 1\nmake: Leaving directory '/workspace'\n"
    )


def _stamped(text: str) -> str:
    return _each(f"{_RUN}{text}{_EXIT}", "2026-01-02T03:04:05.1234567Z ")


def _compose(text: str) -> str:
    other = "db-1   | 2026-01-02 03:04:05.678 UTC [1] LOG:  database system is ready\n"
    return f"Attaching to app-1, db-1\n{other}{_each(text, 'app-1  | ')}{other}app-1 exited with code 1\n"


SURROUNDINGS: Mapping[str, Callable[[str], str]] = {
    "alone": str,
    "make": _make,
    "npm": _npm,
    "yarn": lambda text: f"yarn run v1.22.22\n$ runner --all\n{text}error Command failed with exit code 1.\n",
    "GitHub": _stamped,
    "compose": _compose,
    "turbo": lambda text: (
        f"• Packages in scope: @w/a\n@w/a:test: cache miss, executing 12ab\n{_each(text, '@w/a:test: ')}"
        "@w/a:test: ERROR: command finished with error\n Tasks:    0 successful, 1 total\n"
    ),
    "pnpm": lambda text: (
        f"Scope: 2 of 3 workspace projects\npackages/a test$ runner --all\n{_each(text, 'packages/a test: ')}"
        "packages/a test: Failed\n"
    ),
    "lerna": lambda text: f"lerna notice cli v8.2.4\n{_each(text, '@w/a: ')}lerna ERR! exited 1 in '@w/a'\n",
    "nx": lambda text: (
        f"\n> nx run a:test\n\n{text}\n————————————————————————————————————\n\n"
        " NX   Running target test for project a failed\n\nFailed tasks:\n\n- a:test\n"
    ),
    "concurrently": lambda text: f"{_each(text, '[0] ')}[0] npm test exited with code 1\n",
    "tox": lambda text: f"py311: commands[0]> runner --all\n{text}py311: exit 1 (0.50 seconds) /workspace> runner --all pid=12\n",
    "buildkit": lambda text: f"#12 [test 3/3] RUN make test\n{_each(text, '#12 3.456 ')}#12 ERROR: process \"/bin/sh -c make test\" did not complete successfully: exit code: 1\n",
}  # fmt: skip
"""By what is around; each takes what the runner printed."""
