"""The App that GitHub made of a manifest: fetched once, and kept as settings."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import quote

import aiohttp
from pydantic import BaseModel, SecretStr, ValidationError

from bot.errors import GitHubError
from bot.registration.manifest import GITHUB, Registration

_SECONDS = aiohttp.ClientTimeout(total=60)


class _Owner(BaseModel):
    login: str
    type: str


class _Conversion(BaseModel):
    owner: _Owner
    id: int
    slug: str
    html_url: str
    client_id: str
    client_secret: SecretStr
    webhook_secret: SecretStr
    pem: SecretStr


@dataclass(frozen=True, slots=True)
class CreatedApp:
    """What GitHub answered.

    Attributes:
        slug: Its name in addresses; it comments as `slug[bot]`.
        page: Its public page.
        settings: Variables of the server with their values, secrets among them.
    """

    slug: str
    page: str
    settings: dict[str, str] = field(repr=False)

    @property
    def install(self) -> str:
        """Return the page on which the App is installed on repositories."""
        return f"{self.page}/installations/new"


async def created_app(
    session: aiohttp.ClientSession, registration: Registration, code: str
) -> CreatedApp:
    """Turn the code that came back from GitHub into the App; it can be done once, for an hour.

    https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest

    Raises:
        GitHubError: When GitHub doesn't answer, or doesn't know the code.
    """
    address = f"{registration.api}/app-manifests/{quote(code, safe='')}/conversions"
    try:
        async with session.post(
            address, headers={"Accept": "application/vnd.github+json"}, timeout=_SECONDS
        ) as answer:
            if answer.status != HTTPStatus.CREATED:
                raise GitHubError(
                    f"{registration.api} answered {answer.status} when it was asked for the new "
                    "App. The code from GitHub is good for an hour, and only once: start again. An "
                    "App that was created already can be deleted in its settings on GitHub."
                )
            found = _Conversion.model_validate(await answer.json())
    except (aiohttp.ClientError, TimeoutError) as error:
        raise GitHubError(
            f"{registration.api} can't be reached ({error or 'no answer'}), so the new App's key "
            "was not fetched. Load this page again."
        ) from error
    except ValidationError:
        # Its message would quote what it read.
        raise GitHubError(f"{registration.api} answered without the App's key.") from None
    return CreatedApp(found.slug, found.html_url, _settings(found, registration))


def _settings(found: _Conversion, registration: Registration) -> dict[str, str]:
    """Return them without a blank or a line end, so that each reader of such files takes them."""
    pem = found.pem.get_secret_value()
    settings = {
        "GITHUB_APP_ID": str(found.id),
        "GITHUB_PRIVATE_KEY": base64.b64encode(pem.encode()).decode(),
        "GITHUB_WEBHOOK_SECRET": found.webhook_secret.get_secret_value(),
        "GITHUB_CLIENT_ID": found.client_id,
        "GITHUB_CLIENT_SECRET": found.client_secret.get_secret_value(),
        "FIXPOINT_PUBLIC_URL": registration.server,
    }
    if found.owner.type == "User":
        settings["FIXPOINT_ADMINS"] = found.owner.login
    if registration.github != GITHUB:
        settings |= {"GITHUB_URL": registration.github, "GITHUB_API_URL": registration.api}
    if registration.smee:
        settings["FIXPOINT_SMEE_URL"] = registration.smee
    return settings
