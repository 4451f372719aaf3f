"""Hear what code of the project does beside computing: processes, connections, code made at run time.

The interpreter tells of it by audit events (PEP 578), in whatever words the code asks.
"""

from __future__ import annotations

import sys
from typing import Any, Tuple

from .trace import Files

Heard = Tuple[str, str, str, int]
"""A capability as the guards name it, the event, and the file and line that caused it."""

_ANYWHERE = {
    "subprocess.Popen": "processes",
    "os.system": "processes",
    "os.exec": "processes",
    "os.spawn": "processes",
    "os.posix_spawn": "processes",
    "os.fork": "processes",
    "os.forkpty": "processes",
    "pty.spawn": "processes",
    "socket.connect": "network",
    "socket.bind": "network",
    "socket.sendto": "network",
    "socket.getaddrinfo": "network",
    "socket.gethostbyname": "network",
    "urllib.Request": "network",
    "ctypes.dlopen": "native-code",
}
"""Events that count for the code of the project that is nearest to them, through any library."""

_DIRECT = {
    "exec": "dynamic-code",
    "compile": "dynamic-code",
    "marshal.loads": "dynamic-code",
    "code.__new__": "dynamic-code",
    "sys._getframe": "surroundings",
    "sys._current_frames": "surroundings",
    "sys.settrace": "surroundings",
    "sys.setprofile": "surroundings",
    "gc.get_objects": "surroundings",
    "gc.get_referrers": "surroundings",
}
"""Events that libraries cause all the time: they count where the project itself asks for them."""


class Audit:
    """Hears the events of this process while it is on; a hook can't be taken away.

    Attributes:
        heard: What the changed files did, each capability once.
    """

    def __init__(self, files: Files, changed: set[str]) -> None:
        self.heard: list[Heard] = []
        self._files = files
        self._changed = changed
        self._known: set[str] = set()
        self._is_on = False
        if hasattr(sys, "addaudithook"):  # from Python 3.8 on
            sys.addaudithook(self._event)

    def start(self) -> None:
        """Begin to hear."""
        self._is_on = True

    def stop(self) -> None:
        """Hear no more."""
        self._is_on = False

    def _event(self, event: str, arguments: Any) -> None:
        del arguments
        if not self._is_on:
            return
        capability = _ANYWHERE.get(event) or _DIRECT.get(event)
        if capability is None or capability in self._known:
            return
        self._is_on = False
        try:
            self._note(capability, event, sys._getframe(1))  # noqa: SLF001 - the only way to see who asks
        finally:
            self._is_on = True

    def _note(self, capability: str, event: str, frame: Any) -> None:
        while frame is not None:
            name = self._files.name(frame.f_code.co_filename)
            if name in self._changed:
                self._known.add(capability)
                self.heard.append((capability, event, name, frame.f_lineno))
            if name is not None or event in _DIRECT:
                return
            frame = frame.f_back
