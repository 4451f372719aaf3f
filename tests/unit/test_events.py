"""Which payloads are which events."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import MalformedPayload
from bot.github.github import GitHub
from bot.intake.check_dispatch import CheckEvents
from bot.intake.comment_dispatch import CommentEvents
from bot.intake.comment_values import CommentCreated, CommentEdited, EventComment, Sender, Thread
from bot.intake.events import Event, Pinged, Unhandled, parse_event
from bot.intake.onboarding import Onboarding
from bot.intake.proof_dispatch import ProofEvents
from bot.intake.review_dispatch import ReviewEvents
from bot.intake.router import Malformed, Router, read_delivery
from bot.model.repository import Repo
from bot.storage.deliveries import Delivery
from bot.storage.names import NameStore

PAYLOAD: dict[str, Any] = {
    "action": "created",
    "issue": {
        "number": 12,
        "title": "It crashes",
        "state": "open",
        "locked": False,
        "body": None,
        "user": {"login": "bob", "type": "User"},
    },
    "comment": {
        "id": 501,
        "body": "/fix",
        "user": {"login": "ada", "type": "User"},
        "author_association": "MEMBER",
        "created_at": "2026-03-01T12:30:00Z",
        "updated_at": "2026-03-01T13:30:00+01:00",
        "performed_via_github_app": None,
    },
    "repository": {"id": 70, "full_name": "octo/widgets", "private": False},
    "installation": {"id": 7, "node_id": "x"},
    "sender": {"login": "ada", "type": "User"},
}


def payload(**changes: Any) -> bytes:
    """Return the payload with values at dotted paths replaced (`comment__body`) or removed (...)."""
    changed = copy.deepcopy(PAYLOAD)
    for path, value in changes.items():
        *parents, name = path.split("__")
        place = changed
        for parent in parents:
            place = place[parent]
        if value is ...:
            del place[name]
        else:
            place[name] = value
    return json.dumps(changed).encode()


def test_a_comment_is_read() -> None:
    """Only the fields that are used, as flat frozen values with times in UTC."""
    assert parse_event("issue_comment", payload()) == CommentCreated(
        repo=Repo("octo/widgets", 7, 70),
        thread=Thread(
            12, is_pull_request=False, title="It crashes", is_open=True, locked=False, author="bob"
        ),
        sender=Sender("ada", is_bot=False),
        comment=EventComment(
            id=501,
            author="ada",
            author_association="MEMBER",
            body="/fix",
            via_app=None,
            created_at=datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
            updated_at=datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
        ),
    )


def test_a_comment_on_a_pull_request_says_so() -> None:
    """GitHub marks it by a `pull_request` object in the issue."""
    event = parse_event("issue_comment", payload(issue__pull_request={"url": "x"}))
    assert isinstance(event, CommentCreated)
    assert event.thread.is_pull_request


@pytest.mark.parametrize(
    ("changes", "previous"),
    [
        ({"body": {"from": "before"}}, "before"),
        ({"body": {"from": ""}}, ""),
        ({"body": {}}, ""),
        ({}, "/fix"),
        (..., "/fix"),
    ],
)
def test_an_edit_carries_what_the_comment_said_before(changes: Any, previous: str) -> None:
    """Without a change of the body it said the same."""
    data = {"action": "edited"} | ({} if changes is ... else {"changes": changes})
    event = parse_event("issue_comment", payload(**data))
    assert isinstance(event, CommentEdited)
    assert event.previous_body == previous


def test_the_sender_of_an_edit_is_the_editor() -> None:
    """Whoever edits asks, not whoever wrote."""
    event = parse_event("issue_comment", payload(action="edited", sender__login="eve"))
    assert isinstance(event, CommentEdited)
    assert (event.sender.login, event.comment.author) == ("eve", "ada")


@pytest.mark.parametrize(
    ("changes", "via_app"),
    [
        ({"comment__performed_via_github_app": {"slug": "helper", "id": 1}}, "helper"),
        ({"comment__performed_via_github_app": {"id": 1}}, "unknown"),
        ({"comment__performed_via_github_app": ...}, None),
    ],
)
def test_comments_through_apps_name_the_app(changes: dict[str, Any], via_app: str | None) -> None:
    """An App's comment is known as one even when it speaks in a person's name."""
    event = parse_event("issue_comment", payload(**changes))
    assert isinstance(event, CommentCreated)
    assert event.comment.via_app == via_app


def test_odd_but_legal_payloads_are_read() -> None:
    """A deleted account, a null body, a closed and locked issue."""
    event = parse_event(
        "issue_comment",
        payload(comment__user=None, comment__body=None, issue__state="closed", issue__locked=True),
    )
    assert isinstance(event, CommentCreated)
    assert (event.comment.author, event.comment.body) == ("ghost", "")
    assert (event.thread.is_open, event.thread.locked) == (False, True)


@pytest.mark.parametrize(
    ("name", "data", "event"),
    [
        ("ping", b'{"zen": "..."}', Pinged()),
        ("star", b'{"action": "created"}', Unhandled("star", "created")),
        ("create", b"{}", Unhandled("create", None)),
        ("issue_comment", b'{"action": "deleted"}', Unhandled("issue_comment", "deleted")),
    ],
)
def test_other_events_are_named(name: str, data: bytes, event: object) -> None:
    """They are recognised without a look at fields that they may lack."""
    assert parse_event(name, data) == event


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"installation": ...}, "installation: Field required."),
        ({"comment__id": "501"}, "comment.id: should be a valid integer."),
        ({"comment__id": True}, "comment.id: should be a valid integer."),
        ({"comment__body": 3}, "comment.body: should be a valid string."),
        ({"comment__created_at": "yesterday"}, "comment.created_at: should be a valid datetime"),
        (
            {"comment__updated_at": "2026-03-01T12:30:00"},
            "comment.updated_at: should have timezone",
        ),
        ({"issue": None}, "issue: Field required."),
        ({"issue__pull_request": "x"}, "issue.pull_request: should be an object."),
        ({"sender": []}, "sender: should be an object."),
        ({"repository__full_name": "octo"}, "repository.full_name: should match pattern"),
        ({"repository__full_name": "../../x"}, "repository.full_name: should match pattern"),
        ({"repository__full_name": "a/b\n"}, "repository.full_name: should match pattern"),
    ],
)
def test_a_missing_or_odd_field_is_named(changes: dict[str, Any], sentence: str) -> None:
    """The error says which field and what it should be, never the payload's own text."""
    with pytest.raises(MalformedPayload) as caught:
        parse_event("issue_comment", payload(**changes))
    assert str(caught.value).startswith(f"The issue_comment webhook could not be read: {sentence}")
    assert caught.value.__context__ is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from([*PAYLOAD, *PAYLOAD["comment"], *PAYLOAD["issue"]]), inner
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(sorted(PAYLOAD)), JSON, st.sampled_from(["created", "edited"]))
def test_no_payload_is_too_odd(field: str, value: Any, action: str) -> None:
    """Whatever stands in a field, the payload is an event or a `MalformedPayload`."""
    data = json.dumps(PAYLOAD | {"action": action, field: value}).encode()
    try:
        parse_event("issue_comment", data)
    except MalformedPayload as error:
        assert str(error).endswith(".")  # noqa: PT017 - most payloads are wrong, and some are not


def test_every_event_has_a_handler() -> None:
    """The table of the router holds each event that a webhook can be, and no other."""
    takers = CommentEvents, CheckEvents, ReviewEvents, ProofEvents, Onboarding
    router = Router(object.__new__(GitHub), object.__new__(NameStore), *map(object.__new__, takers))
    assert set(router.handlers) == {*get_args(Event), Malformed}


@pytest.mark.parametrize(
    ("name", "body", "thread"),
    [
        ("issue_comment", payload(), "70#12"),
        ("issue_comment", b'{"action": "created"}', "d1"),
        ("issue_comment", b"no JSON", "d1"),
        ("ping", b"{}", "d1"),
    ],
)
def test_a_delivery_is_read_with_its_thread(name: str, body: bytes, thread: str) -> None:
    """Comments of a thread are one claim; all others, and what can't be read, are their own."""
    delivery = Delivery("d1", name, body, datetime(2026, 1, 1, tzinfo=UTC))
    assert read_delivery(delivery).thread == thread
