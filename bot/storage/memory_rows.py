"""Turn what earlier runs tried into rows of the database and back."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Row

from bot.model import Patch
from bot.model.embedding import Vector
from bot.model.memory import Became, FailureSignature, Remark, RemarkKind, TriedRepair
from bot.model.memory_sharing import SharingScope
from bot.model.repository import Repo
from bot.model.search_words import search_words
from bot.storage.tables import number_of

MOST_PATCH = 64_000
"""Bytes of a patch that is kept."""

MOST_BEFORE = 256_000
"""Compressed bytes of the files that a patch changes; beyond, the patch alone is kept."""

_MOST_INFLATED = 16_000_000
_SUMMARY = 2_000
_REASON = 1_000


def row_of(
    entry: TriedRepair,
    repo: Repo,
    expires_at: datetime,
    embedder: str,
    vector: Vector,
    reach: SharingScope | None,
) -> dict[str, Any]:
    """Return an entry as a row of its table; what is too large of its patch is left out."""
    signature, patch = entry.signature, entry.patch
    kept = len(patch.data) <= MOST_PATCH
    before = _packed(entry.before) if kept else b""
    said = {
        "message": signature.message,
        "exception": signature.exception,
        "frames": list(signature.frames),
        "step": signature.step,
        "tool": signature.tool,
        "proposer": entry.proposer,
        "summary": entry.summary[:_SUMMARY],
        "reason": entry.reason[:_REASON],
        "model": entry.model,
        "cost_usd": None if entry.cost_usd is None else str(entry.cost_usd),
        "files": list(patch.files),
        "added": patch.added,
        "removed": patch.removed,
    }
    return {
        "id": entry.id,
        "run_id": entry.run_id,
        "repository": repo.full_name.lower(),
        "identity": repo.identity,
        "installation_id": repo.installation_id,
        "fingerprint": signature.fingerprint,
        "entry": json.dumps(said, ensure_ascii=False),
        "patch": patch.data if kept and patch else None,
        "before": before if before and len(before) <= MOST_BEFORE else None,
        "became": entry.became.value,
        "pull_request": entry.pull_request,
        "url": entry.url,
        "commit_sha": entry.commit,
        "merge_sha": entry.merge_commit,
        "remarks": written_remarks(entry.remarks),
        "reach": reach,
        "words": " ".join(search_words(signature.text)),
        "embedder": embedder,
        "vector": vector,
        "made_at": entry.made_at,
        "expires_at": expires_at,
    }


def row_as_merged(
    row: Row[Any], patch: Patch, before: tuple[tuple[str, bytes], ...], commit: str
) -> dict[str, Any]:
    """Return the row of what was merged instead of an attempt's patch; see `keep_as_merged`.

    Who wrote which part of it is not known, so it names no model, costs nothing, and has no summary.
    """
    entry = replace(
        entry_of(row),
        id=f"{row.id}-merged",
        summary="",
        patch=patch,
        before=before,
        became=Became.VERIFIED,
        commit=commit,
        model=None,
        cost_usd=Decimal(0),
    )
    repo = Repo(row.repository, row.installation_id, number_of(row.identity))
    return row_of(entry, repo, row.expires_at, row.embedder, row.vector, row.reach)


def entry_of(row: Row[Any], reader: Repo | None = None) -> TriedRepair:
    """Return the entry that `row_of` made a row of; one read without its patch has none.

    Args:
        row: Of the table.
        reader: For whom it is read: what is of another repository says so. None for the operator.
    """
    said = json.loads(row.entry)
    data = getattr(row, "patch", None) or b""
    before = getattr(row, "before", None)
    return TriedRepair(
        id=row.id,
        run_id=row.run_id,
        signature=FailureSignature(
            said["message"], said["exception"], tuple(said["frames"]), said["step"], said["tool"]
        ),
        proposer=said["proposer"],
        summary=said["summary"],
        patch=Patch(data, tuple(said["files"]), said["added"], said["removed"]),
        before=_unpacked(before) if before else (),
        became=Became(row.became),
        made_at=row.made_at,
        reason=said["reason"],
        pull_request=row.pull_request,
        url=row.url,
        commit=row.commit_sha,
        merge_commit=row.merge_sha,
        model=said["model"],
        cost_usd=None if said["cost_usd"] is None else Decimal(said["cost_usd"]),
        remarks=read_remarks(row.remarks),
        origin=_origin(row, reader),
    )


def written_remarks(remarks: Sequence[Remark]) -> str | None:
    """Return remarks as they are kept; None for none."""
    told = [{"kind": remark.kind.value, "by": remark.by, "text": remark.text} for remark in remarks]
    return json.dumps(told, ensure_ascii=False) if told else None


def read_remarks(written: str | None) -> tuple[Remark, ...]:
    """Return the remarks that `written_remarks` wrote."""
    told = json.loads(written) if written else []
    return tuple(Remark(RemarkKind(text["kind"]), text["by"], text["text"]) for text in told)


def _origin(row: Row[Any], reader: Repo | None) -> Repo | None:
    there = Repo(row.repository, row.installation_id, number_of(row.identity))
    return None if reader is None or there == reader else there


def changed_lines(patch: Patch) -> bytes:
    """Return what two patches of the same change have in common, wherever it stands."""
    changed = (b"+", b"-", b"GIT binary")
    lines = (line for line in patch.data.split(b"\n") if line.startswith(changed))
    return b"\n".join(lines)


def _packed(before: tuple[tuple[str, bytes], ...]) -> bytes:
    if not before:
        return b""
    files = {path: base64.b64encode(content).decode() for path, content in before}
    return zlib.compress(json.dumps(files).encode("utf-8", "surrogatepass"), 6)


def _unpacked(data: bytes) -> tuple[tuple[str, bytes], ...]:
    files = json.loads(zlib.decompressobj().decompress(data, _MOST_INFLATED))
    return tuple((path, base64.b64decode(content)) for path, content in files.items())
