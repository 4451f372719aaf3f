"""What code can do with a patch and could not do before, and the protections that it loses."""

from __future__ import annotations

from bot.reporting.example import example

_CAN = {
    "processes": "start processes",
    "network": "use the network",
    "dynamic-code": "run code that is put together at run time",
    "environment": "read environment variables",
    "credentials": "read credentials",
    "outside-writes": "write outside the repository",
    "native-code": "load native code",
    "surroundings": "see where they run, below what, and what lies outside the repository",
    "endings": "end their process, or do something as it ends or beside it",
    "clock": "depend on time or chance",
    "foreign-code": "replace code of others: their runner's, their language's, another package's",
    "stand-ins": "make objects that only look like a right result when they are compared or asked",
}
_LOST = {
    "unverified": "switches off a check of certificates or signatures",
    "constant-time": "drops a comparison or check that protects secrets",
}
_MOST = 120


def capability_added(capability: str, line: str) -> str:
    """The changed files have a capability that they didn't have; `line` grants it."""
    return f"The changed files can now {_CAN[capability]}, and could not before: {_short(line)}"


for _one in reversed(_CAN):
    example(_one, "subprocess.run(command, check=True)")(capability_added)


@example("clock", "if time.monotonic() < 5:")
def capability_widened(capability: str, line: str) -> str:
    """The changed files had a capability, and have it in another way as well; `line` grants it."""
    return f"The changed files could already {_CAN[capability]}; this is a new way: {_short(line)}"


@example("processes", "subprocess.Popen")
def capability_heard(capability: str, event: str) -> str:
    """The changed files did it while the tests ran, in words that the guards could not read."""
    return (
        f"While the tests ran, the changed files were seen to {_CAN[capability]} (`{event}`); "
        "without the patch they didn't, and nothing in their text shows it."
    )


def protection_removed(protection: str, line: str) -> str:
    """A check is switched off in `line`, or `line` is gone."""
    return f"The patch {_LOST[protection]}: {_short(line)}"


for _one in reversed(_LOST):
    example(_one, "hmac.compare_digest(given, expected)")(protection_removed)


def _short(line: str) -> str:
    return " ".join(line.split())[:_MOST]
