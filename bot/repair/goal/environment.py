"""Recognise failures that come from the sandbox or from what is installed in it. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from bot.ci.network import UNRESOLVED
from bot.ci.workflow.services.missing_services import refused_ports
from bot.model import Failure
from bot.repair.goal.failure_location import errors, raised_outside
from bot.reporting.reasons import outside_causes as reasons


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the project's files tell of what is its own, and of what it expects to run beside it.

    Attributes:
        owns: Whether a top-level module is the project's own.
        services: Returns names by the port of this machine at which they listen; asked only where a
            connection was refused, since they stand in files that are slow to read.
        downloads: Returns the commands that its workflows, task files and README download data with;
            asked only where something was not found.
        has_downloaded: Whether the setup has run such a command: then its data is there.
    """

    owns: Callable[[str], bool]
    services: Callable[[], Mapping[str, str]] = dict
    downloads: Callable[[], Collection[str]] = tuple
    has_downloaded: bool = False


@dataclass(frozen=True, slots=True)
class _Sign:
    """Words by which a cause is known, and how it is told."""

    words: re.Pattern[str]
    cause: str


def _sign(words: str, cause: str) -> _Sign:
    return _Sign(re.compile(words, re.VERBOSE), cause)


_OF_SANDBOX = (
    _Sign(
        re.compile(
            UNRESOLVED
            + r"|getaddrinfo failed|no such host|ConnectTimeout\b|socket\.timeout:|Errno 110\]"
        ),
        reasons.NEEDS_NETWORK,
    ),
    _sign(
        r"""(?:refused|ECONNREFUSED|connect).{0,120}?[:\s(](?:5432|6379|3306|27017|5672|9200|11211)\b
          | /var/run/docker\.sock | Cannot\ connect\ to\ the\ Docker\ daemon""",
        reasons.NEEDS_SERVICE,
    ),
    _sign(
        r"""DID\ NOT\ RAISE\ <class\ '(?:\w+\.)*PermissionError'> | PermissionError\ not\ raised
          | Operation\ not\ permitted | (?:running|run)\ as\ root | must\ not\ be\ root""",
        reasons.NEEDS_OTHER_RIGHTS,
    ),
    _sign(r"Read-only\ file\ system | \bEROFS\b", reasons.NEEDS_WRITABLE_FILES),
    _sign(
        r"""unsupported\ locale\ setting | ZoneInfoNotFoundError | No\ time\ zone\ found
          | UnknownTimeZoneError""",
        reasons.NEEDS_LOCALE,
    ),
    _sign(
        r"no\ display\ name | cannot\ open\ display | could\ not\ connect\ to\ display",
        reasons.NEEDS_DISPLAY,
    ),
    _sign(
        r"""Executable\ doesn't\ exist\ at\ \S | (?:npx\ )?playwright\ install\b
          | (?:[Cc]ould\ not|[Cc]annot)\ find\ (?:a\ )?(?:Chrom(?:e|ium)|Firefox|browser)\b
          | Unable\ to\ obtain\ driver\ for\ \w+ | No\ binary\ for\ \w+\ browser""",
        reasons.NEEDS_BROWSER,
    ),
    _sign(
        r"No\ space\ left\ on\ device | Cannot\ allocate\ memory | Too\ many\ open\ files",
        reasons.NEEDS_ROOM,
    ),
)
"""What a sandbox lacks, whatever is installed in it."""

# What has to be downloaded, a program says itself: that something is not there, and how to get it. Or it
# says only what is not there, and the project's own files how to get that.
_ABSENT = re.compile(
    r"not found|\bmissing\b|\bno such\b|(?:can(?:'t|not)|could(?:n't| not)|unable to) (?:find|locate|load|open)"
    r"|(?:not|n't) (?:exist|installed|available|present|downloaded|a valid)\b",
    re.IGNORECASE,
)
_TO_DOWNLOAD = re.compile(
    r"(?:\b(?:please|must|should|needs?|have|run(?:ning)?|use|using|via|with|first|(?:you|it) can"
    r"|(?<!failed )(?<!able )(?<!tr[yi]ng )(?<!tried )(?<!used )(?<!want )to)\b"
    r"(?:(?![.!?]\s).){0,80}?\bdownload"
    r"|\.download\w*\(['\"]|\bdownload\w*=True)",
    re.IGNORECASE | re.DOTALL,
)
_OF_CODE = re.compile(
    r"(?:\w+\.)*(?:Assertion|Type|Attribute|Name|Index|Import|ModuleNotFound|UnboundLocal|Syntax)Error\b"
    r"|assert |expect\("
)
"""How a failure begins that is a fault of code, or what a test compares: it may quote anything."""

_RUNNER = (
    r"(?:python[\d.]{0,5}|uvx?|poetry|pdm|hatch|npx|npm|pnpm|yarn|bunx?|node|make|just|task|tox|nox|(?:ba)?sh"
    r"|ruby|bundle|rake|go|cargo|java|curl|wget)"
)
_WORD = r"[\w./:=@-]{1,60}"
_DOWNLOAD = re.compile(
    rf"(?<![\w./-]){_RUNNER}(?: {_WORD}){{0,4}}?"
    r" (?:(?:(?<=make )|(?<=run )|-m [\w.]{1,60} )download[\w./:-]{0,40}"
    r"|[\w./:@-]{0,60}(?:[./_:-]download|download[./_:-])[\w./:@=-]{0,40})"
    rf"(?: {_WORD}){{0,4}}"
    r"|(?<![\w/.-])\./[\w./-]{0,60}download[\w./-]{0,40}"
    r"|\b[A-Za-z_]\w{0,40}(?:\.\w{1,40}){0,3}\.download\w{0,40}\((?:\"[\w./-]{1,40}\"|'[\w./-]{1,40}')\)"
)
"""A command that runs something named after a download, or such a call in Python."""

_QUOTED = re.compile(r"['\"`](?P<name>[\w@][\w@./:-]{3,80})['\"`]")

_PLUGIN = re.compile(r"fixture '\w+' not found|async def functions are not natively supported")
_PROGRAM = re.compile(
    r"(?:No such file or directory: '(?P<python>[\w+-]+)'"
    r"|sh: (?:line )?(?:\d+: )?(?P<shell>[\w.+-]+): (?:command )?not found"
    r'|exec: "(?P<go>[\w.+-]+)": executable file not found'
    r"|spawn (?P<node>[\w.+-]+) ENOENT)"
)
_MODULE = re.compile(
    r"No module named '(?P<missing>\w+)(?:\.[\w.]*)?'"
    r"|cannot import name '\w+' from '(?P<imported>\w+)(?:\.[\w.]*)?'"
    r"|module '(?P<used>\w+)(?:\.[\w.]*)?' has no attribute '"
)
_WARNING = re.compile(
    r"^(?:\w+\.)*(?P<name>\w*(?:Deprecation|Future|RemovedIn\w+)Warning): ", re.MULTILINE
)


def causes_by_test(
    failures: Iterable[Failure],
    surroundings: Surroundings,
    cause: Callable[[Failure, Surroundings], str],
) -> dict[str, str]:
    """Return the cause of each failure, "" where there is none, by test.

    Where very many fail, only the first ones have an account. The others have the cause of those
    with the same message, if each of these has one.
    """
    failures = tuple(failures)
    causes = {failure.test: cause(failure, surroundings) for failure in failures}
    known: dict[str, list[str]] = {}
    for failure in failures:
        if failure.detail and failure.message:
            known.setdefault(failure.message, []).append(causes[failure.test])
    for failure in failures:
        alike = known.get(failure.message, [])
        if not failure.detail and alike and all(alike):
            causes[failure.test] = causes[failure.test] or alike[0]
    return causes


def environment_cause(failure: Failure, surroundings: Surroundings) -> str:
    """Return why a failure says nothing about the project's code, as a person reads it, or "".

    Args:
        failure: With its account.
        surroundings: Of the project.
    """
    said = errors(failure)
    return (
        lacked_by_sandbox(failure, surroundings)
        or (reasons.NEEDS_PLUGIN if _PLUGIN.search(said) else "")
        or _foreign_module(said, surroundings)
        or _warning(failure, said)
    )


def lacked_by_sandbox(failure: Failure, surroundings: Surroundings) -> str:
    """Return which part of a machine a failure is for want of, as a person reads it, or "".

    No other package or patch would help, other than with the rest of `environment_cause`.
    """
    said = errors(failure)
    refused = tuple(refused_ports(said))
    services = surroundings.services() if refused else {}
    absent = next((port for port in refused if port in services), None)
    if absent is not None:
        return reasons.needs_service(services[absent], absent)
    known = next((sign.cause for sign in _OF_SANDBOX if sign.words.search(said)), "")
    return known or _missing_program(failure, said) or _not_downloaded(failure, said, surroundings)


def download_commands(text: str) -> tuple[str, ...]:
    """Return the commands and calls in a text that download something."""
    return tuple(match[0].rstrip(" .,") for match in _DOWNLOAD.finditer(text))


def _not_downloaded(failure: Failure, said: str, surroundings: Surroundings) -> str:
    """Return the cause of a failure for want of data that somebody has to download, or ""."""
    if surroundings.has_downloaded or _OF_CODE.match(failure.message) or not _ABSENT.search(said):
        return ""
    absent = {match["name"] for match in _QUOTED.finditer(said)}
    absent = {name for name in absent if not surroundings.owns(name)}
    own = (each for each in surroundings.downloads() if absent & {*re.split(r"[\s=]", each)})
    tells = _TO_DOWNLOAD.search(said) is not None
    told = download_commands(said) if tells else ()
    command = next(iter((*told, *own)), "")
    return reasons.needs_download(command) if tells or command else ""


def of_other_version(failure: Failure, surroundings: Surroundings) -> bool:
    """Whether a package of others lacks what the failing code takes from it, or warns of its end."""
    said = errors(failure)
    match = _MODULE.search(said)
    lacks = (
        match is not None and not match["missing"] and bool(_foreign_module(match[0], surroundings))
    )
    return lacks or bool(_warning(failure, said))


def _missing_program(failure: Failure, said: str) -> str:
    match = _PROGRAM.search(said)
    if match is None or (match["python"] and "subprocess" not in failure.detail):
        return ""
    return reasons.needs_program(next(filter(None, match.groups())))


def _foreign_module(said: str, surroundings: Surroundings) -> str:
    """Return the cause of a failure about a module that is not the project's own."""
    match = _MODULE.search(said)
    if match is None:
        return ""
    name = next(filter(None, match.groups()))
    if surroundings.owns(name):
        return ""
    return reasons.needs_module(name) if match["missing"] else reasons.needs_other_version(name)


def _warning(failure: Failure, said: str) -> str:
    """Return the cause of a failure that is a warning of code which is not the project's."""
    match = _WARNING.search(said)
    pytests = match is not None and match["name"].startswith("Pytest")
    if match is None or not (pytests or raised_outside(failure)):
        return ""
    return reasons.warning_as_error(match["name"])
