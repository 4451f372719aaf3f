"""Endpoints of the App itself: who it is, where it is installed, its tokens and deliveries."""

from __future__ import annotations

from pydantic import Field

from tests.fakes.github.credentials import LEVELS, AsInstallation
from tests.fakes.github.endpoint import Call, Endpoint, Fields, Refusal, Reply, not_found
from tests.fakes.github.model import Delivery, Installation, Repository


class TokenRequest(Fields):
    """What a token shall be narrowed to."""

    repositories: list[str] | None = None
    repository_ids: list[int] | None = None
    permissions: dict[str, str] | None = Field(default=None)


def convert_manifest(call: Call) -> Reply:
    """Hand out the App that was made of a manifest, once."""
    app = call.state.app
    if call.state.manifests.pop(call.parameters["code"], None) is None:
        raise not_found()
    secrets = {
        "client_id": app.client_id,
        "client_secret": app.client_secret,
        "webhook_secret": app.webhook_secret,
        "pem": app.private_key,
    }
    return Reply(201, call.views.app() | secrets)


class Nothing(Fields):
    """A body without fields."""


def show_app(call: Call) -> Reply:
    """Show the App to itself."""
    return Reply(200, call.views.app())


def list_installations(call: Call) -> Reply:
    """List where the App is installed."""
    return call.page(list(call.state.installations.values()), call.views.installation)


def show_installation(call: Call) -> Reply:
    """Show one installation."""
    return Reply(200, call.views.installation(_installation(call)))


def list_repositories(call: Call) -> Reply:
    """List what the caller's installation covers."""
    assert isinstance(call.caller, AsInstallation)
    token = call.caller.token
    covered = [
        repository for repository in call.state.repositories.values() if token.covers(repository)
    ]
    return call.page(covered, call.views.repository, key="repositories")


def installation_of_repository(call: Call) -> Reply:
    """Show the installation that covers a repository."""
    found = call.state.installation_of(call.repo)
    if found is None:
        raise not_found()
    return Reply(200, call.views.installation(found))


def create_token(call: Call) -> Reply:
    """Make a token, narrowed as asked."""
    installation = _installation(call)
    if installation.suspended:
        raise Refusal(403, "This installation has been suspended")
    asked = call.given(TokenRequest)
    token = call.state.mint(
        installation, _permissions(installation, asked), _repositories(call, installation, asked)
    )
    return Reply(201, call.views.token(token))


def _permissions(installation: Installation, asked: TokenRequest) -> dict[str, str]:
    if asked.permissions is None:
        return dict(installation.permissions)
    for name, level in asked.permissions.items():
        if LEVELS[level] > LEVELS.get(installation.permissions.get(name, ""), 0):
            raise Refusal(422, "The permissions requested are not granted to this installation.")
    return dict(asked.permissions)


def _repositories(
    call: Call, installation: Installation, asked: TokenRequest
) -> list[Repository] | None:
    if asked.repositories is None and asked.repository_ids is None:
        return None
    chosen = [
        repo
        for repo in call.state.repositories.values()
        if installation.covers(repo)
        and (repo.name in (asked.repositories or ()) or repo.id in (asked.repository_ids or ()))
    ]
    if len(chosen) < len(asked.repositories or ()) + len(asked.repository_ids or ()):
        raise Refusal(
            422,
            "There is at least one repository that does not exist or is not accessible to the "
            "parent installation.",
        )
    return chosen


def revoke_token(call: Call) -> Reply:
    """Make the caller's own token useless."""
    assert isinstance(call.caller, AsInstallation)
    call.caller.token.revoked = True
    return Reply(204)


def list_deliveries(call: Call) -> Reply:
    """List attempts to deliver, newest first, by cursor as GitHub does."""
    newest_first = list(reversed(call.state.deliveries))
    size = min(int(call.query.get("per_page", "30")), 100)
    cursor = int(call.query.get("cursor", "v1_0").removeprefix("v1_"))
    following = cursor + size
    link = f'<{call.url}?per_page={size}&cursor=v1_{following}>; rel="next"'
    headers = {"Link": link} if following < len(newest_first) else {}
    shown = [call.views.delivery(delivery) for delivery in newest_first[cursor:following]]
    return Reply(200, shown, headers)


def redeliver(call: Call) -> Reply:
    """Note that a delivery shall be tried again."""
    call.state.redeliveries.append(_delivery(call))
    return Reply(202, {})


def _installation(call: Call) -> Installation:
    installation = call.state.installations.get(call.number("installation_id"))
    if installation is None:
        raise not_found()
    return installation


def _delivery(call: Call) -> Delivery:
    wanted = call.number("delivery_id")
    for delivery in call.state.deliveries:
        if delivery.id == wanted:
            return delivery
    raise not_found()


ENDPOINTS = (
    Endpoint("GET", "/app", show_app),
    Endpoint("POST", "/app-manifests/{code}/conversions", convert_manifest, public=True),
    Endpoint("GET", "/app/installations", list_installations),
    Endpoint("GET", "/app/installations/{installation_id}", show_installation),
    Endpoint(
        "POST",
        "/app/installations/{installation_id}/access_tokens",
        create_token,
        body=TokenRequest,
    ),
    Endpoint("DELETE", "/installation/token", revoke_token, needs=({},)),
    Endpoint("GET", "/installation/repositories", list_repositories, needs=({"metadata": "read"},)),
    Endpoint("GET", "/repos/{owner}/{repo}/installation", installation_of_repository),
    Endpoint("GET", "/app/hook/deliveries", list_deliveries),
    Endpoint("POST", "/app/hook/deliveries/{delivery_id}/attempts", redeliver, body=Nothing),
)
