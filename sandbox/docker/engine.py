"""Speak to a Docker Engine over its unix socket.

The API is described at https://docs.docker.com/reference/api/engine/. Paths carry no version, so
the engine answers in its newest one; only calls that are the same in all of them are used.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from sandbox.base import SandboxError, SandboxUnavailable

_HEADER = 8
"""Bytes in front of each piece of an attached stream: stream number, three zeros, length."""

_PIECE = 1 << 16
_CONNECT_SECONDS = 10.0
_STATUS_POLL_SECONDS = 0.01
_STATUS_POLLS = 500


class EngineError(SandboxError):
    """The engine refused; `status` is HTTP's."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"The Docker Engine refused ({status}): {text}")
        self.status = status


@dataclass(frozen=True, slots=True)
class ContainerExecution:
    """One command in a running container."""

    command: tuple[str, ...]
    user: str
    environment: Mapping[str, str] = field(default_factory=dict)


class Engine:
    """A Docker Engine. Every method raises `EngineError`, or `SandboxUnavailable` without it."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def ask(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: object = None,
    ) -> Any:
        """Send a request and return the JSON of the answer, or None."""
        async with self._request(method, path, params=params, json=body) as response:
            data = await response.read()
        is_json = response.content_type == "application/json"
        return json.loads(data) if data and is_json else None

    async def put_archive(self, container: str, path: str, archive: Path | bytes) -> None:
        """Unpack a tar inside a container."""
        data = archive if isinstance(archive, bytes) else _pieces_of(archive)
        url = f"/containers/{container}/archive"
        async with self._request(
            "PUT",
            url,
            params={"path": path},
            data=data,
            headers={"Content-Type": "application/x-tar"},
        ):
            return

    async def get_archive(self, container: str, path: str, archive: Path, *, limit: int) -> None:
        """Pack what a container has at `path` into a tar on this machine, of at most `limit` bytes.

        Raises:
            SandboxError: There is more, as where files have holes that no disk notices.
        """
        url = f"/containers/{container}/archive"
        left = limit
        async with self._request("GET", url, params={"path": path}) as response:
            with archive.open("wb") as file:
                async for piece in response.content.iter_chunked(_PIECE):
                    left -= len(piece)
                    if left < 0:
                        raise SandboxError(
                            f"The files at {path} are larger than {limit // 2**20} MiB; make the "
                            "commands clean up after themselves."
                        )
                    await asyncio.to_thread(file.write, piece)

    async def execute(
        self,
        container: str,
        execution: ContainerExecution,
        on_output: Callable[[bytes], object],
    ) -> int:
        """Run a command with empty standard input, pass its output on, return its exit status."""
        created = await self.ask(
            "POST",
            f"/containers/{container}/exec",
            body={
                "AttachStdout": True,
                "AttachStderr": True,
                "Cmd": portable(execution.command),
                "User": execution.user,
                "Env": [f"{name}={value}" for name, value in execution.environment.items()],
            },
        )
        start = f"/exec/{created['Id']}/start"
        async with self._request("POST", start, json={"Detach": False, "Tty": False}) as response:
            async for piece in _pieces(response.content):
                on_output(piece)
        return await self._exit_code(created["Id"])

    async def _exit_code(self, execution: str) -> int:
        """The output may end a moment before the engine knows the status."""
        for _ in range(_STATUS_POLLS):
            state = await self.ask("GET", f"/exec/{execution}/json")
            if not state["Running"] and state["ExitCode"] is not None:
                return int(state["ExitCode"])
            await asyncio.sleep(_STATUS_POLL_SECONDS)
        raise SandboxError("The Docker Engine did not report a command's exit code.")

    @contextlib.asynccontextmanager
    async def _request(
        self, method: str, path: str, **options: Any
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Yield a successful answer."""
        try:
            async with self._connected().request(method, path, **options) as response:
                if not response.ok:
                    raise EngineError(response.status, _message(await response.text()))
                yield response
        except aiohttp.ClientConnectorError as error:
            raise SandboxUnavailable(
                f"The Docker Engine can't be reached at {self._socket} ({error.strerror}): start "
                "it, give this user access to its socket, or configure the right socket."
            ) from error
        except aiohttp.ClientError as error:
            raise SandboxError(f"The Docker Engine did not answer: {error}") from error

    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                "http://docker",
                connector=aiohttp.UnixConnector(str(self._socket)),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
            )
        return self._session


def portable(command: Sequence[str]) -> list[str]:
    """Return a command that JSON can carry; file names may be bytes that are no UTF-8."""
    try:
        "".join(command).encode()
    except UnicodeEncodeError:
        return ["/bin/bash", "-c", f"exec {' '.join(map(_quoted, command))}"]
    return list(command)


def _quoted(argument: str) -> str:
    """Quote in the way of bash's `$'...'`, byte by byte."""
    escaped = "".join(f"\\x{byte:02x}" for byte in os.fsencode(argument))
    return f"$'{escaped}'"


def _message(text: str) -> str:
    try:
        return str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        return text.strip()


async def _pieces(stream: aiohttp.StreamReader) -> AsyncIterator[bytes]:
    """Undo the multiplexing of stdout and stderr."""
    while True:
        try:
            header = await stream.readexactly(_HEADER)
            yield await stream.readexactly(int.from_bytes(header[4:], "big"))
        except asyncio.IncompleteReadError:
            return


async def _pieces_of(archive: Path) -> AsyncIterator[bytes]:
    with archive.open("rb") as file:
        while piece := await asyncio.to_thread(file.read, _PIECE * 16):
            yield piece
