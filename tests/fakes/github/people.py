"""Endpoints for the App as a person: who that is, and what both of them see."""

from __future__ import annotations

from tests.fakes.github.credentials import AsClient, AsUser
from tests.fakes.github.endpoint import Call, Endpoint, Fields, Reply, not_found
from tests.fakes.github.model import Account, Installation, Repository


class TokenToRevoke(Fields):
    """A person's token."""

    access_token: str


def show_user(call: Call) -> Reply:
    """Show the person."""
    return Reply(200, call.views.public_user(_account(call)))


def list_installations(call: Call) -> Reply:
    """List the installations in which the person has been given something."""
    account = _account(call)
    found = [
        installation
        for installation in call.state.installations.values()
        if not installation.suspended
        and (installation.account is account or _repositories(call, installation))
    ]
    return call.page(found, call.views.installation, "installations")


def list_repositories(call: Call) -> Reply:
    """List the repositories of an installation that the person has been given."""
    installation = call.state.installations.get(call.number("installation_id"))
    if installation is None or installation.suspended:
        raise not_found()
    account = _account(call)
    return call.page(
        _repositories(call, installation),
        lambda repo: call.views.repository_of(repo, account),
        "repositories",
    )


def revoke_token(call: Call) -> Reply:
    """Make a person's token useless."""
    assert isinstance(call.caller, AsClient)
    if call.parameters["client_id"] != call.state.app.client_id:
        raise not_found()
    token = call.state.user_tokens.get(call.given(TokenToRevoke).access_token)
    if token is None:
        raise not_found()
    token.revoked = True
    return Reply(204)


def _account(call: Call) -> Account:
    assert isinstance(call.caller, AsUser)
    return call.caller.token.account


def _repositories(call: Call, installation: Installation) -> list[Repository]:
    account = _account(call)
    return [
        repo
        for repo in call.state.repositories.values()
        if installation.covers(repo) and repo.explicit(account)
    ]


ENDPOINTS = (
    Endpoint("GET", "/user", show_user, by=AsUser),
    Endpoint("GET", "/user/installations", list_installations, by=AsUser),
    Endpoint(
        "GET", "/user/installations/{installation_id}/repositories", list_repositories, by=AsUser
    ),
    Endpoint(
        "DELETE",
        "/applications/{client_id}/token",
        revoke_token,
        body=TokenToRevoke,
        by=AsClient,
    ),
)
