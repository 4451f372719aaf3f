"""The JSON of E2B's control plane, and the Connect protocol that its machines speak.

Shapes: the models and protobuf modules of the `e2b` package; https://connectrpc.com/docs/protocol.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Mapping
from typing import Any

from aiohttp import web

STREAM = "application/connect+json"
_HEAD = struct.Struct(">BI")
_END_OF_STREAM = 2


class ApiError(Exception):
    """An error of the control plane or of the files API."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status

    def response(self) -> web.Response:
        """Return it as JSON."""
        body = {"code": self.status, "message": str(self)}
        return web.json_response(body, status=self.status)


_STATUS = {"not_found": 404, "invalid_argument": 400, "unauthenticated": 401}


class RpcError(Exception):
    """An error in the words of Connect."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def response(self) -> web.Response:
        """Return it as the answer to a unary call."""
        return web.json_response(self.body(), status=_STATUS[self.code])

    def body(self) -> dict[str, str]:
        """Return it as JSON."""
        return {"code": self.code, "message": str(self)}


def frame(message: Mapping[str, Any]) -> bytes:
    """Wrap one message of a stream."""
    return _enveloped(0, message)


def last_frame(error: RpcError | None = None) -> bytes:
    """Wrap the end of a stream."""
    return _enveloped(_END_OF_STREAM, {"error": error.body()} if error else {})


def _enveloped(flags: int, message: Mapping[str, Any]) -> bytes:
    data = json.dumps(message).encode()
    return _HEAD.pack(flags, len(data)) + data


def only_message(body: bytes) -> dict[str, Any]:
    """Unwrap the one message of a request whose answer is a stream."""
    if len(body) < _HEAD.size:
        raise RpcError("invalid_argument", "the envelope is incomplete")
    flags, length = _HEAD.unpack_from(body)
    if flags or len(body) != _HEAD.size + length:
        raise RpcError("invalid_argument", "expected one uncompressed message")
    message: dict[str, Any] = json.loads(body[_HEAD.size :])
    return message


def started(pid: int) -> dict[str, Any]:
    """Return the event that opens the stream of a command."""
    return {"event": {"start": {"pid": pid}}}


def wrote(kind: str, data: bytes) -> dict[str, Any]:
    """Return the event for a piece of `stdout` or `stderr`."""
    return {"event": {"data": {kind: base64.b64encode(data).decode()}}}


def ended(returncode: int) -> dict[str, Any]:
    """Return the event that ends a command; Go's -1 stands for every signal."""
    if returncode < 0:
        status = f"signal {-returncode}"
        end = {"exitCode": -1, "exited": False, "status": status, "error": status}
    else:
        end = {"exitCode": returncode, "exited": True, "status": f"exit status {returncode}"}
        if returncode:
            end["error"] = end["status"]
    return {"event": {"end": end}}


def user_of(authorization: str | None, default: str) -> str:
    """Return the account that the caller asks for, in HTTP's basic authorization."""
    if authorization is None:
        return default
    try:
        name = base64.b64decode(authorization.removeprefix("Basic "), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise RpcError("unauthenticated", "the authorization is not basic") from error
    return name.removesuffix(":")
