"""ShellCheck in its formats, `diff` aside: https://github.com/koalaman/shellcheck/blob/master/shellcheck.1.md.

Any level of what it reports makes it fail; versions before 0.7 name none.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator

from bot.ci.failures.base import ACCOUNT_LINES, Reading, tool_failure
from bot.model import Failure

# In script.sh line 3:
# echo $foo
#      ^--^ SC2086 (info): Double quote to prevent globbing and word splitting.
_PLACE = re.compile(r"^In (?P<file>\S[^\n]*) line (?P<line>\d+):$", re.MULTILINE)
_FINDING = re.compile(r"^(?P<indent> *)\^[-^]* (?P<code>SC\d{4})(?: \(\w+\))?: (?P<why>\S.*)$")
_GCC = re.compile(
    r"^(?P<file>(?!\s)[^\s:][^:\n]*):(?P<line>\d+):(?P<column>\d+): (?:note|warning|error): "
    r"(?P<why>\S[^\n]*) \[(?P<code>SC\d{4})\]$",
    re.MULTILINE,
)
# [{"file":"a.sh","line":3,...,"code":2086,"message":"..."}]; json1 has them as `comments`
_JSON = re.compile(r'^(?:\{"comments":)?\[\{"file":[^\n]*$', re.MULTILINE)
# <file name='a.sh' >\n<error line='3' column='6' severity='info' message='...' source='ShellCheck.SC2086' />
_CHECKSTYLE = re.compile(
    r"^<file name='(?P<file>[^']*)'|^<error line='(?P<line>\d+)' column='(?P<column>\d+)'[^>\n]*"
    r" message='(?P<why>[^'\n]*)' source='ShellCheck\.(?P<code>SC\d{4})'",
    re.MULTILINE,
)


def parse(text: str) -> Reading | None:
    """Return its findings, in order."""
    found = [
        *_of_places(text),
        *((match.start(), _failure(match, match["file"])) for match in _GCC.finditer(text)),
        *_of_json(text),
        *_of_checkstyle(text),
    ]
    if not found:
        return None
    return Reading(tuple(failure for _, failure in found), start=found[0][0])


def _of_places(text: str) -> list[tuple[int, Failure]]:
    found = []
    places = list(_PLACE.finditer(text))
    ends = [*(place.start() for place in places[1:]), len(text)]
    for place, end in zip(places, ends, strict=False):
        for line in text[place.end() : end].split("\n")[:ACCOUNT_LINES]:
            if match := _FINDING.match(line):
                at = int(place["line"]), match["code"], match["why"]
                column = len(match["indent"]) + 1
                found.append((place.start(), tool_failure(place["file"], *at, column=column)))
    return found


def _of_json(text: str) -> Iterator[tuple[int, Failure]]:
    for match in _JSON.finditer(text):
        try:
            said = json.loads(match[0])
            for entry in said["comments"] if isinstance(said, dict) else said:
                code, column = f"SC{entry['code']}", int(entry["column"])
                place = str(entry["file"]), int(entry["line"])
                failure = tool_failure(*place, code, str(entry["message"]), column=column)
                yield match.start(), failure
        except (ValueError, KeyError, TypeError):  # another tool's, or cut off
            continue


def _of_checkstyle(text: str) -> Iterator[tuple[int, Failure]]:
    file = ""
    for match in _CHECKSTYLE.finditer(text):
        if match["code"]:
            yield match.start(), _failure(match, file)
        else:
            file = html.unescape(match["file"])


def _failure(match: re.Match[str], file: str) -> Failure:
    line, column = int(match["line"]), int(match["column"])
    return tool_failure(file, line, match["code"], html.unescape(match["why"]), column=column)
