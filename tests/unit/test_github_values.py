"""GitHub's JSON read, and ours written: the parts without a connection."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.github import payloads
from bot.github.checks import check_body
from bot.github.commits import TREE_BYTES, TREE_ENTRIES, batches, inline_entry
from bot.github.deliveries import missed
from bot.github.values import DeliveryAttempt, FileChange, Permission
from bot.model.check_report import CheckAction, CheckReport

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("role", "permission", "expected"),
    [
        ("maintain", "write", Permission.MAINTAIN),
        ("triage", "read", Permission.TRIAGE),
        ("security-team", "write", Permission.WRITE),
        ("none", "none", Permission.NONE),
    ],
)
def test_roles(role: str, permission: str, expected: Permission) -> None:
    """A custom role of an organisation counts as the permission it builds on."""
    assert payloads.permission({"role_name": role, "permission": permission}) is expected


def test_a_deleted_account_is_the_ghost() -> None:
    """GitHub sends null for a user that is gone."""
    answer = {
        "id": 1,
        "user": None,
        "author_association": "NONE",
        "body": None,
        "created_at": "2026-01-01T12:00:00Z",
    }
    comment = payloads.comment(answer)
    assert (comment.author, comment.body, comment.written_at) == ("ghost", "", NOON)


def test_a_pull_request_of_a_deleted_fork_is_a_fork() -> None:
    """Without its repository nobody can push to it, so it must not pass for one of ours."""
    answer: dict[str, Any] = {
        "number": 2,
        "title": "t",
        "html_url": "u",
        "state": "open",
        "draft": False,
        "user": None,
        "labels": [],
        "head": {"ref": "main", "sha": "1" * 40, "repo": None},
        "base": {"ref": "main", "sha": "2" * 40, "repo": {"id": 70, "full_name": "acme/app"}},
    }
    pull = payloads.pull_request(answer)
    assert (pull.is_fork, pull.head_repository) == (True, None)


@given(st.binary(max_size=200))
def test_inline_text_is_exactly_the_content(content: bytes) -> None:
    """What goes into JSON as text comes out as the same bytes."""
    entry = inline_entry(FileChange("f", "100644", content))
    assert entry is None or entry["content"].encode() == content


def test_deletions_and_submodules_need_no_upload() -> None:
    """A deleted path has a null id, a submodule its commit."""
    deleted, submodule = FileChange("a", None), FileChange("b", "160000", b"1" * 40)
    assert inline_entry(deleted) == {"path": "a", "mode": "100644", "type": "blob", "sha": None}
    assert inline_entry(submodule) == {
        "path": "b",
        "mode": "160000",
        "type": "commit",
        "sha": "1" * 40,
    }


@given(st.lists(st.integers(0, TREE_BYTES), max_size=12), st.integers(0, 2 * TREE_ENTRIES))
def test_batches_keep_order_and_limits(sizes: list[int], small: int) -> None:
    """Nothing is lost or moved, and no request is too big."""
    entries: list[dict[str, Any]] = [
        *({"path": f"{n}", "content": "x" * size} for n, size in enumerate(sizes)),
        *({"path": f"small {n}", "sha": "1"} for n in range(small)),
    ]
    cut = list(batches(entries))
    assert [entry for batch in cut for entry in batch] == entries
    assert all(len(batch) <= TREE_ENTRIES for batch in cut)
    assert all(sum(len(item.get("content", "")) for item in batch) <= TREE_BYTES for batch in cut)


def test_a_check_run_sends_only_what_is_there() -> None:
    """GitHub refuses nulls: absent fields stay away."""
    report = CheckReport("Fixpoint", "1" * 40, "run", "queued", "Waiting", "Soon.")
    assert check_body(report) == {
        "name": "Fixpoint",
        "external_id": "run",
        "status": "queued",
        "output": {"title": "Waiting", "summary": "Soon."},
    }
    button = CheckAction("retry", "Retry", "Again")
    done = CheckReport(
        "Fixpoint", "1" * 40, "run", "completed", "Fixed", "Yes.", "success", actions=(button,)
    )
    assert check_body(done)["conclusion"] == "success"
    assert check_body(done)["actions"] == [
        {"label": "Retry", "description": "Again", "identifier": "retry"}
    ]


def delivery(number: int, guid: str, status: int) -> DeliveryAttempt:
    """Return an attempt, `number` minutes after noon."""
    moment = NOON + timedelta(minutes=number)
    return DeliveryAttempt(number, guid, "issue_comment", "created", moment, status)


def test_missed_deliveries() -> None:
    """An event counts as missed when no attempt arrived; its latest attempt is told."""
    attempts = [
        delivery(5, "later arrived", 202),
        delivery(4, "never", 502),
        delivery(3, "never", 500),
        delivery(2, "later arrived", 503),
        delivery(1, "early", 0),
    ]
    assert [(attempt.guid, attempt.id) for attempt in missed(attempts)] == [
        ("early", 1),
        ("never", 4),
    ]
