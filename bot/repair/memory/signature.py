"""Read the signature of a failure: what stays the same when it happens again. Pure."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator

from bot.ci.error_lines import levelled, telling_lines
from bot.ci.failure_identity import SubjectKind, identity_of
from bot.ci.failures.work_tree import relative_path
from bot.code.files import is_test_file
from bot.model import Failure, Observation, Reproduction
from bot.model.memory import FailureSignature

MOST_FRAMES = 3

_DETAIL = 20_000
"""Characters of a runner's account that are read, at its end."""

_LONGEST_PATH = 200

_PYTHON = re.compile(r'File "(?P<file>[^"\n]{1,300})", line \d{1,9},? in (?P<name>[\w.<>]{1,100})')
_JAVASCRIPT = re.compile(
    r"^ *at (?:async )?(?:(?P<name>[\w$.<>]{1,100}) )?\(?(?P<file>[^\s():]{1,300}):\d{1,9}:\d{1,9}\)?$",
    re.MULTILINE,
)
_PLAIN = re.compile(
    r"^\s{0,20}(?:-->\s)?(?P<file>[\w./\\@+-]{1,300}\.\w{1,8}):\d{1,9}(?::\d{1,9})?(?:: (?:in (?P<name>\w{1,100}))?|:?(?=\s|$))",
    re.MULTILINE,
)
"""pytest (`a.py:3: in f`, `a.py:3: KeyError`), Go (`a_test.go:3: ...`), rustc (`--> src/a.rs:3:5`)."""

_INSTALLED = re.compile(
    r"(?:site|dist)-packages|node_modules|[\\/]lib[\\/]python\d|^node:|<frozen |[\\/]go[\\/]pkg[\\/]"
    r"|[\\/]rustc[\\/]|[\\/]usr[\\/]|[\\/]\.cargo[\\/]"
)
_SEPARATORS = re.compile(r"::|\.|/")
_RAISED = re.compile(r"^(?:[\w$]{1,100}\.){0,8}(?P<name>[A-Z][\w$]{0,100})(?::|$)")
_MENTIONED = re.compile(r"\b(?P<name>[A-Z]\w{0,80}(?:Error|Exception|Warning|Panic))\b")

_NAMES = """
ava bandit black cargo clippy codespell djlint eslint flake8 go gofmt golangci-lint gradle isort jest
karma make mocha mvn mypy nox npm nyc phpunit pnpm pre-commit prettier pylint pyright pytest rspec ruff
rustfmt shellcheck sphinx-build standard tap tox tsc tslint tsx twine unittest vitest yamllint yarn yapf
"""
_TOOLS = frozenset(_NAMES.split())
"""Programs that are named after what they check, and not after how they are started."""

_STARTERS = frozenset({"make", "npm", "nox", "pnpm", "tox", "yarn", "pre-commit"})
"""Of those, the ones that start others: they count where no other is named."""


def signature_of(reproduction: Reproduction) -> FailureSignature | None:
    """Return the signature of what a reproduction shows; None when it shows no failure."""
    seen = reproduction.observation
    if seen is None or seen.ok:
        return None
    whole = (reproduction.whole or seen).command
    job = next(iter(reproduction.jobs), None)
    step = f"{job.check}: {job.step}" if job is not None and job.step else whole
    return signature_of_run(seen, step=step, command=whole)


def signature_of_run(seen: Observation, *, step: str, command: str) -> FailureSignature:
    """Return the signature of a run that fails.

    Args:
        seen: The run.
        step: What it belongs to.
        command: In which its tool is named.
    """
    tool = tool_of(command)
    failure = leading(seen.named)
    if failure is None:
        lines = list(telling_lines(seen.output))
        message = lines[-1] if lines else ""
        frames = tuple(_frames(seen.output[-_DETAIL:]))[:MOST_FRAMES]
        return FailureSignature(message, _exception(message), frames, levelled(step), tool)
    identity = identity_of(failure)
    rule = identity.name if identity.kind is SubjectKind.PLACE else ""
    message = identity.message
    frames = tuple(_frames(failure.detail[-_DETAIL:])) or _place(failure)
    if all(is_test_file(frame.partition(" ")[0]) for frame in frames):
        frames = tuple(_in_test(frame, failure.test) for frame in frames)
    name = _exception(failure.message) or rule
    return FailureSignature(message, name, frames[:MOST_FRAMES], levelled(step), tool)


def leading(failures: tuple[Failure, ...]) -> Failure | None:
    """Return the failure that stands for several: of the commonest message, the first by name.

    The order in which a runner names them may differ from run to run.
    """
    if not failures:
        return None
    counts = Counter(levelled(failure.message) for failure in failures)
    return min(failures, key=lambda failure: (-counts[levelled(failure.message)], failure.test))


def tool_of(command: str) -> str:
    """Return what a command runs: the last program of a known name, or the first word."""
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        words = command.split()
    names = [re.sub(r"^.*/", "", word) for word in words]
    known = [name for name in names if name in _TOOLS]
    direct = [name for name in known if name not in _STARTERS]
    return next(iter([*direct[-1:], *known[-1:], *names[:1]]), "")


def _exception(message: str) -> str:
    found = _RAISED.match(message) or _MENTIONED.search(message)
    return found["name"] if found else ""


def _place(failure: Failure) -> tuple[str, ...]:
    return (failure.file,) if failure.file else ()


def _in_test(frame: str, test: str) -> str:
    """Return a frame in the test's own file with the test's name, where the runner leaves it out.

    pytest shows a failing line without its function. Where no frame is in the code under test, two
    tests of a file that say the same are two failures; parameters of one are not.
    """
    path, _, function = frame.partition(" ")
    module = path.rpartition(".")[0]
    held = test.partition("[")[0]
    place = held.replace("/", ".").removeprefix(".")
    if function or not module or not place.startswith(module.replace("/", ".")):
        return frame
    name = _SEPARATORS.split(held)[-1]
    return f"{path} {name}" if name.isidentifier() else frame


def _frames(detail: str) -> Iterator[str]:
    """Yield the frames of a traceback that lie in the work tree, innermost first, each once."""
    found = [*_read(_PYTHON, detail), *_read(_JAVASCRIPT, detail), *_read(_PLAIN, detail)]
    javascript = _JAVASCRIPT.search(detail) is not None
    ordered = found if javascript else list(reversed(found))
    yield from dict.fromkeys(ordered)


def _read(pattern: re.Pattern[str], detail: str) -> Iterator[str]:
    for match in pattern.finditer(detail):
        path = relative_path(match["file"])
        if path.startswith("/") or _INSTALLED.search(match["file"]) or len(path) > _LONGEST_PATH:
            continue
        yield f"{path} {match['name']}" if match["name"] else path
