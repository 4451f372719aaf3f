"""Turn requests and reports into JSON and back, so that the database outlives changes of code."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from bot.errors import StorageError
from bot.model import Report
from bot.model.proof_card import ProofCard
from bot.model.proof_request import ProofRequest
from bot.model.request import FixRequest

T = TypeVar("T")


class _StoredRequest(BaseModel):
    request: FixRequest


class _StoredReport(BaseModel):
    # Patches are bytes of any kind.
    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    report: Report


def dump_request(request: FixRequest) -> bytes:
    """Return a request as JSON."""
    return _encode(_StoredRequest(request=request).model_dump(mode="json"))


def dump_report(report: Report) -> bytes:
    """Return a report as JSON."""
    return _encode(_StoredReport(report=report).model_dump(mode="json"))


def load_request(data: bytes) -> FixRequest:
    """Return the request that `dump_request` wrote.

    Raises:
        StorageError: When the data is something else.
    """
    try:
        return _StoredRequest.model_validate_json(data).request
    except ValidationError as error:
        raise StorageError(
            "A stored request can't be read because another version of Fixpoint wrote it."
        ) from error


def load_report(data: bytes) -> Report:
    """Return the report that `dump_report` wrote.

    Raises:
        StorageError: When the data is something else.
    """
    try:
        return _StoredReport.model_validate_json(data).report
    except ValidationError as error:
        raise StorageError(
            "A stored report can't be read because another version of Fixpoint wrote it."
        ) from error


_CARDS = TypeAdapter(ProofCard)
_PROOF_REQUESTS = TypeAdapter(ProofRequest)


def dump_card(card: ProofCard) -> bytes:
    """Return a proof card as JSON."""
    return _encode(_CARDS.dump_python(card, mode="json"))


def dump_proof_request(request: ProofRequest) -> bytes:
    """Return what a proof starts from as JSON."""
    return _encode(_PROOF_REQUESTS.dump_python(request, mode="json"))


def load_card(data: bytes) -> ProofCard:
    """Return the card that `dump_card` wrote.

    Raises:
        StorageError: When the data is something else.
    """
    return _loaded(_CARDS, data)


def load_proof_request(data: bytes) -> ProofRequest:
    """Return the request that `dump_proof_request` wrote.

    Raises:
        StorageError: When the data is something else.
    """
    return _loaded(_PROOF_REQUESTS, data)


def _loaded(kind: TypeAdapter[T], data: bytes) -> T:
    try:
        return kind.validate_json(data)
    except ValidationError as error:
        raise StorageError(
            "A stored proof can't be read because another version of Fixpoint wrote it."
        ) from error


def _encode(value: Any) -> bytes:
    # Lone surrogates come from models' JSON and from file names; UTF-8 has no place for them.
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
