"""GraphQL, as far as it is asked: documents are parsed, and only fields that exist answered."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from pydantic import Field

from tests.fakes.github.account_views import stamp
from tests.fakes.github.credentials import AsInstallation
from tests.fakes.github.endpoint import Call, Endpoint, Fields, Reply
from tests.fakes.github.model import Account, Comment, Issue, Reaction, Repository, ReviewThread
from tests.fakes.github.views import Json, node

_TOKEN = re.compile(r'\.\.\.|[{}():!$\[\]]|-?\d+|\w+|"(?:[^"\\]|\\.)*"')
_MOST_NODES = 100
_CONSTANTS: Mapping[str, object] = {"true": True, "false": False, "null": None}


class Document(Fields):
    """What is asked."""

    query: str
    variables: dict[str, Any] = Field(default_factory=dict)


class Failure(Exception):
    """An answer with status 200 that holds an error."""

    def __init__(self, message: str, kind: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.error: Json = {"message": message}
        if kind is not None:
            self.error["type"] = kind
        if code is not None:  # of a document that GitHub does not take
            self.error["extensions"] = {"code": code}


@dataclass(frozen=True, slots=True)
class Selected:
    """A field that a document selects; `fields` are what it selects of the object there.

    An inline fragment is named `...`, and its key is the type that it is on.
    """

    key: str
    name: str
    arguments: Mapping[str, object]
    fields: tuple[Selected, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """An object: its type's name, what each of its fields gives, and the interfaces that it has."""

    type: str
    fields: Mapping[str, Callable[[Mapping[str, Any]], Any]] = field(default_factory=dict)
    interfaces: tuple[str, ...] = ()


class _Parser:
    def __init__(self, text: str, variables: Mapping[str, object]) -> None:
        self._tokens = _TOKEN.findall(text)[::-1]
        self._variables = variables
        self._declared: set[str] = set()

    def document(self) -> tuple[str, tuple[Selected, ...]]:
        """Return the kind of the operation and what it selects."""
        kind = self._next()
        if kind not in {"query", "mutation"}:
            raise Failure(f"Expected query or mutation, actual: {kind}")
        if self._peek() == "(":
            while (token := self._next()) != ")":
                if token == "$":
                    self._declared.add(self._next())
        return kind, self._selection()

    def _selection(self) -> tuple[Selected, ...]:
        self._expect("{")
        found = []
        while self._peek() != "}":
            found.append(self._field())
        self._expect("}")
        return tuple(found)

    def _field(self) -> Selected:
        key = name = self._next()
        if name == "...":
            self._expect("on")
            return Selected(self._next(), name, {}, self._selection())
        if self._peek() == ":":
            self._expect(":")
            name = self._next()
        arguments = self._pairs("(", ")") if self._peek() == "(" else {}
        fields = self._selection() if self._peek() == "{" else ()
        return Selected(key, name, arguments, fields)

    def _pairs(self, opening: str, closing: str) -> dict[str, object]:
        self._expect(opening)
        found: dict[str, object] = {}
        while self._peek() != closing:
            name = self._next()
            self._expect(":")
            found[name] = self._value()
        self._expect(closing)
        return found

    def _value(self) -> object:
        if self._peek() == "{":
            return self._pairs("{", "}")
        token = self._next()
        if token == "$":
            name = self._next()
            if name not in self._declared:
                raise Failure(f"Variable ${name} is used but not declared")
            return self._variables.get(name)
        if token in _CONSTANTS:
            return _CONSTANTS[token]
        return token[1:-1] if token.startswith('"') else int(token)

    def _peek(self) -> str:
        return self._tokens[-1] if self._tokens else ""

    def _next(self) -> str:
        if not self._tokens:
            raise Failure("Unexpected end of document")
        return str(self._tokens.pop())

    def _expect(self, token: str) -> None:
        found = self._next()
        if found != token:
            raise Failure(f'Expected "{token}", actual: "{found}"')


def answer(call: Call) -> Reply:
    """Do what a document asks for."""
    given = call.given(Document)
    try:
        kind, selection = _Parser(given.query, given.variables).document()
    except Failure as failure:
        return Reply(200, {"errors": [failure.error]})
    root = _mutation(call) if kind == "mutation" else _query(call)
    data: Json = {}
    for selected in selection:
        try:
            data |= _show(root, (selected,))
        except Failure as failure:
            error = {**failure.error, "path": [selected.key]}
            return Reply(200, {"data": {**data, selected.key: None}, "errors": [error]})
    return Reply(200, {"data": data})


def _show(shown: Shown, selection: tuple[Selected, ...]) -> Json:
    found: Json = {}
    for selected in selection:
        if selected.name == "...":
            if selected.key in {shown.type, *shown.interfaces}:
                found |= _show(shown, selected.fields)
            continue
        if selected.name == "__typename":
            found[selected.key] = shown.type
            continue
        if selected.name not in shown.fields:
            message = f"Field '{selected.name}' doesn't exist on type '{shown.type}'"
            raise Failure(message, code="undefinedField")
        value = shown.fields[selected.name](selected.arguments)
        found[selected.key] = _value(value, selected)
    return found


def _value(value: Any, selected: Selected) -> Any:
    if isinstance(value, list):
        return [_value(item, selected) for item in value]
    if isinstance(value, Shown):
        return _show(value, selected.fields)
    return value


def _query(call: Call) -> Shown:
    def repository(wanted: Mapping[str, Any]) -> Shown:
        name = f"{wanted['owner']}/{wanted['name']}"
        repo = call.state.repository_named(name) or call.state.old_names.get(name)
        if repo is None or not _may(call, repo, "pull_requests", "read"):
            raise Failure(f"Could not resolve to a Repository with the name '{name}'.", "NOT_FOUND")
        return _repository(repo)

    def nodes(wanted: Mapping[str, Any]) -> list[Shown | None]:
        if len(wanted["ids"]) > _MOST_NODES:
            raise Failure(f"Please provide no more than {_MOST_NODES} node ids.", "ARGUMENT_LIMIT")
        there = _comments(call)
        return [there[item]() if item in there else None for item in wanted["ids"]]

    return Shown("Query", {"repository": repository, "nodes": nodes})


def _comments(call: Call) -> dict[str, Callable[[], Shown]]:
    """Return all that has the interface `Comment` and may be read, by its global id."""
    found: dict[str, Callable[[], Shown]] = {}
    for repo in call.state.repositories.values():
        for issue in repo.issues.values():
            pull = issue.pull
            if not _may(call, repo, "pull_requests" if pull else "issues", "read"):
                continue
            name = node("PR", pull.id) if pull else node("I", issue.id)
            kind = "PullRequest" if pull else "Issue"
            found[name] = partial(_written, call, kind, name, issue, issue.editor, issue.edited_at)
            for comment in issue.comments:
                name = node("IC", comment.id)
                found[name] = partial(
                    _written, call, "IssueComment", name, comment, comment.editor, comment.edited_at
                )
            for thread in pull.threads if pull else ():
                for remark in thread.comments:
                    edited = thread.edits.get(remark["id"], (None, None))
                    found[remark["node_id"]] = partial(_remark, call, remark, *edited)
    return found


def _written(
    call: Call,
    kind: str,
    name: str,
    said: Comment | Issue,
    editor: Account | None,
    edited: datetime | None,
) -> Shown:
    fields = {
        "id": lambda _: name,
        "author": lambda _: _actor(said.author),
        "body": lambda _: said.body or "",
        "createdAt": lambda _: stamp(said.created_at),
        "editor": lambda _: _actor(editor),
        "lastEditedAt": lambda _: stamp(edited),
        "reactionGroups": lambda _: _reaction_groups(call, said.reactions),
    }
    return Shown(kind, fields, ("Node", "Comment", "Reactable"))


def _remark(call: Call, remark: Json, editor: Account | None, edited: datetime | None) -> Shown:
    fields = {
        "id": lambda _: remark["node_id"],
        "author": lambda _: _actor(call.state.account(remark["user"]["login"])),
        "body": lambda _: remark["body"],
        "createdAt": lambda _: remark["created_at"],
        "editor": lambda _: _actor(editor),
        "lastEditedAt": lambda _: stamp(edited),
        "reactionGroups": lambda _: _reaction_groups(call, ()),
    }
    return Shown("PullRequestReviewComment", fields, ("Node", "Comment", "Reactable"))


def _reaction_groups(call: Call, reactions: Sequence[Reaction]) -> list[Shown]:
    """Show reactions by their content; the viewer is the App."""
    ours = {reaction.content for reaction in reactions if reaction.user is call.state.app.bot}

    def shown(content: str) -> Shown:
        fields = {
            "content": lambda _: content.upper(),
            "viewerHasReacted": lambda _: content in ours,
        }
        return Shown("ReactionGroup", fields)

    return [shown(content) for content in ("+1", "eyes")]


def _actor(account: Account | None) -> Shown | None:
    """Show an account; a bot's login has no `[bot]` behind it here."""
    if account is None:
        return None
    login = account.login.removesuffix("[bot]")
    return Shown(account.kind, {"login": lambda _: login}, ("Actor",))


def _repository(repo: Repository) -> Shown:
    def pull_request(wanted: Mapping[str, Any]) -> Shown:
        issue = repo.issues.get(wanted["number"])
        if issue is None or issue.pull is None:
            message = f"Could not resolve to a PullRequest with the number of {wanted['number']}."
            raise Failure(message, "NOT_FOUND")
        threads = issue.pull.threads
        return Shown(
            "PullRequest",
            {"reviewThreads": _connection(threads, "PullRequestReviewThread", _thread)},
        )

    return Shown("Repository", {"pullRequest": pull_request})


def _connection(
    items: list[Any], of: str, show: Callable[[Any], Shown]
) -> Callable[[Mapping[str, Any]], Shown]:
    """Return a field with pages; a cursor is how many items came before."""

    def page(wanted: Mapping[str, Any]) -> Shown:
        first = wanted.get("first")
        if not isinstance(first, int) or not 0 < first <= 100:
            raise Failure(f"You must provide a `first` of 1 to 100 on the `{of}` connection.")
        start = int(wanted.get("after") or 0)
        end = min(start + first, len(items))
        info = Shown(
            "PageInfo", {"hasNextPage": lambda _: end < len(items), "endCursor": lambda _: str(end)}
        )
        nodes = [show(item) for item in items[start:end]]
        return Shown(f"{of}Connection", {"pageInfo": lambda _: info, "nodes": lambda _: nodes})

    return page


def _thread(thread: ReviewThread) -> Shown:
    comments = _connection(thread.comments, "PullRequestReviewComment", _comment)
    return Shown(
        "PullRequestReviewThread",
        {
            "id": lambda _: node("PRRT", thread.id),
            "isResolved": lambda _: thread.resolved,
            "path": lambda _: thread.path,
            "comments": comments,
        },
    )


def _comment(comment: Json) -> Shown:
    return Shown(
        "PullRequestReviewComment",
        {"databaseId": lambda _: comment["id"], "body": lambda _: comment["body"]},
    )


def _mutation(call: Call) -> Shown:
    def resolve(wanted: Mapping[str, Any]) -> Shown:
        given = wanted["input"]["threadId"]
        found = [
            (repo, thread)
            for repo in call.state.repositories.values()
            for issue in repo.issues.values()
            for thread in (issue.pull.threads if issue.pull else ())
            if node("PRRT", thread.id) == given
        ]
        if not found:
            message = f"Could not resolve to a node with the global id of '{given}'"
            raise Failure(message, "NOT_FOUND")
        [(repo, thread)] = found
        if not _may(call, repo, "contents", "write"):
            raise Failure("Resource not accessible by integration", "FORBIDDEN")
        thread.resolved = True
        return Shown("ResolveReviewThreadPayload", {"thread": lambda _: _thread(thread)})

    return Shown("Mutation", {"resolveReviewThread": resolve})


def _may(call: Call, repo: Repository, permission: str, level: str) -> bool:
    return isinstance(call.caller, AsInstallation) and call.caller.may(repo, permission, level)


ENDPOINT = Endpoint("POST", "/graphql", answer, ({"metadata": "read"},), Document)
