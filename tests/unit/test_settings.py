"""What the environment may say, and what is said about a bad one."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from bot.errors import SettingsError
from bot.settings.environment import (
    LocalSettings,
    LogFormat,
    LogLevel,
    ServerSettings,
    load_local_settings,
    load_server_settings,
    settings_warnings,
)
from bot.settings.sandbox_kind import SandboxKind
from bot.settings.table import settings_table


def private_key(password: bytes | None = None) -> str:
    """Return a new private key as GitHub hands them out."""
    key = rsa.generate_private_key(65537, 2048)
    lock = BestAvailableEncryption(password) if password else NoEncryption()
    return key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, lock).decode()


PEM = private_key()
GOOD = {
    "GITHUB_APP_ID": "12345",
    "GITHUB_PRIVATE_KEY": PEM,
    "GITHUB_WEBHOOK_SECRET": "s3cret-hook",
}


def server_problems(**changes: str) -> list[str]:
    """Return the problems of a good environment with some variables changed."""
    with pytest.raises(SettingsError) as caught:
        load_server_settings(GOOD | changes)
    return list(caught.value.problems)


def test_three_variables_are_enough_for_a_server() -> None:
    """Everything else has a default that works on one machine."""
    settings = load_server_settings(GOOD)
    assert settings.github_app_id == 12345
    assert settings.github_private_key.get_secret_value() == PEM
    assert settings.github_webhook_secret.get_secret_value() == "s3cret-hook"
    assert settings.github_api_url == "https://api.github.com"
    assert settings.github_url == "https://github.com"
    assert (settings.host, settings.port, settings.fixpoint_concurrency) == ("0.0.0.0", 8080, 2)
    assert settings.fixpoint_sandbox == (SandboxKind.AUTO,)
    assert settings.fixpoint_log_format is LogFormat.JSON
    assert settings.fixpoint_log_level is LogLevel.INFO
    data = Path.home() / ".local/share/fixpoint"
    assert settings.fixpoint_data == data
    assert settings.database_url.get_secret_value() == f"sqlite:///{data}/fixpoint.db"


def test_a_local_command_needs_nothing() -> None:
    """`fixpoint fix` runs in an empty environment, and does not care about a server's variables."""
    assert load_local_settings({}) == LocalSettings()
    assert load_local_settings({"PORT": "many", "GITHUB_APP_ID": "x"}) == LocalSettings()


def test_everything_that_is_missing_is_said_at_once() -> None:
    """One sentence per variable, with what it is."""
    with pytest.raises(SettingsError) as caught:
        load_server_settings({})
    assert caught.value.problems == (
        "GITHUB_APP_ID is not set. The App's ID, a number shown on the App's settings page.",
        (
            "GITHUB_PRIVATE_KEY is not set. The App's private key: PEM text (newlines may be written "
            "as \\n), the same in base64, or the path of a file."
        ),
        "GITHUB_WEBHOOK_SECRET is not set. The App's webhook secret.",
    )


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("GITHUB_APP_ID", "my-app", "GITHUB_APP_ID must be a valid integer. "),
        ("GITHUB_APP_ID", "0", "GITHUB_APP_ID must be greater than 0. "),
        ("PORT", "99999", "PORT must be less than or equal to 65535. "),
        ("FIXPOINT_CONCURRENCY", "0", "FIXPOINT_CONCURRENCY must be greater than or equal to 1. "),
        (
            "FIXPOINT_SANDBOX",
            "vm",
            "FIXPOINT_SANDBOX must be auto, or some of e2b, docker and bubblewrap, separated by commas. ",
        ),
        ("FIXPOINT_LOG_FORMAT", "xml", "FIXPOINT_LOG_FORMAT must be 'json' or 'console'. "),
        (
            "ANTHROPIC_BASE_URL",
            "localhost:1",
            "ANTHROPIC_BASE_URL must be a URL that starts with https:// or http://. ",
        ),
        (
            "OPENAI_BASE_URL",
            "http://[x",
            "OPENAI_BASE_URL must be a URL that starts with https:// or http://. ",
        ),
        ("DATABASE_URL", "mysql://a:hunter2@b/c", "DATABASE_URL must look like sqlite:////path/"),
        ("DATABASE_URL", "hunter2", "DATABASE_URL must look like sqlite:////path/"),
        ("DATABASE_URL", "sqlite://", "DATABASE_URL must look like sqlite:////path/"),
        ("GITHUB_PRIVATE_KEY", "hunter2", "GITHUB_PRIVATE_KEY must be PEM text, the same in "),
        (
            "GITHUB_PRIVATE_KEY",
            "-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----",
            "GITHUB_PRIVATE_KEY must be the App's private key in PEM form, without a password. ",
        ),
    ],
)
def test_a_bad_value_is_explained_and_not_shown(name: str, value: str, sentence: str) -> None:
    """The sentence names the variable and what it must be; the value may be a secret."""
    [problem] = server_problems(**{name: value})
    assert problem.startswith(sentence)
    assert "hunter2" not in problem


def test_a_bad_environment_leaves_no_secret_in_the_traceback() -> None:
    """The error has no cause or context that holds what was read."""
    with pytest.raises(SettingsError) as caught:
        load_server_settings({"GITHUB_WEBHOOK_SECRET": "hunter2", "PORT": "x"})
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_secrets_do_not_show_in_settings() -> None:
    """Printing settings prints no secret, the database's password included."""
    settings = load_server_settings(
        GOOD
        | {
            "ANTHROPIC_API_KEY": "hunter2",
            "OPENAI_API_KEY": "hunter2",
            "E2B_API_KEY": "hunter2",
            "SENTRY_DSN": "https://hunter2@sentry.test/1",
            "DATABASE_URL": "postgresql://fixpoint:hunter2@db/fixpoint",
        }
    )
    assert "hunter2" not in f"{settings!r} {settings}"
    assert "s3cret" not in repr(settings)
    assert "BEGIN" not in repr(settings)


@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_an_empty_variable_counts_as_unset(blank: str) -> None:
    """Compose files and dashboards set variables to nothing."""
    assert load_server_settings(GOOD | {"PORT": blank, "ANTHROPIC_API_KEY": blank}).port == 8080
    assert server_problems(GITHUB_WEBHOOK_SECRET=blank)[0].startswith(
        "GITHUB_WEBHOOK_SECRET is not set."
    )


def test_line_ends_around_a_value_are_dropped() -> None:
    """Secret stores that keep files add them."""
    settings = load_server_settings(GOOD | {"GITHUB_WEBHOOK_SECRET": "s3cret-hook\n"})
    assert settings.github_webhook_secret.get_secret_value() == "s3cret-hook"


def test_a_key_may_be_text_one_line_or_a_file(tmp_path: Path) -> None:
    r"""PEM text, the same with `\n` for line ends, and the path of a file are one key."""
    file = tmp_path / "key.pem"
    file.write_text(PEM)
    for given in (PEM, PEM.strip(), PEM.replace("\n", "\\n"), str(file)):
        settings = load_server_settings(GOOD | {"GITHUB_PRIVATE_KEY": given})
        assert settings.github_private_key.get_secret_value() == PEM


def test_a_key_with_a_password_is_refused() -> None:
    """Nobody is there to type it."""
    [problem] = server_problems(GITHUB_PRIVATE_KEY=private_key(b"hunter2"))
    assert "without a password" in problem


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_the_urls_of_hosting_platforms_work(scheme: str) -> None:
    """`postgres://` and `postgresql://` name the driver that is installed."""
    settings = load_server_settings(GOOD | {"DATABASE_URL": f"{scheme}://u:p@db:5432/fixpoint"})
    assert settings.database_url.get_secret_value() == "postgresql+psycopg://u:p@db:5432/fixpoint"


def test_the_database_lies_in_the_data_folder(tmp_path: Path) -> None:
    """Without DATABASE_URL; XDG_DATA_HOME moves both, FIXPOINT_DATA comes before it."""
    moved = load_server_settings(GOOD | {"XDG_DATA_HOME": str(tmp_path)})
    assert moved.fixpoint_data == tmp_path / "fixpoint"
    assert moved.database_url.get_secret_value() == f"sqlite:///{tmp_path}/fixpoint/fixpoint.db"
    chosen = load_server_settings(
        GOOD | {"XDG_DATA_HOME": str(tmp_path), "FIXPOINT_DATA": "~/elsewhere"}
    )
    assert chosen.fixpoint_data == Path.home() / "elsewhere"


def test_words_may_be_written_in_capitals() -> None:
    """LOG_LEVEL=INFO is what most people type."""
    settings = load_local_settings({"FIXPOINT_LOG_LEVEL": "DEBUG", "FIXPOINT_SANDBOX": "E2B",
                                    "E2B_API_KEY": "x"})  # fmt: skip
    assert settings.fixpoint_log_level is LogLevel.DEBUG
    assert settings.fixpoint_sandbox == (SandboxKind.E2B,)


def test_addresses_lose_their_last_slash() -> None:
    """Paths are appended to them."""
    enterprise = {"GITHUB_API_URL": "https://ghe.test/api/v3/", "GITHUB_URL": "https://ghe.test/"}
    settings = load_server_settings(GOOD | enterprise)
    assert settings.github_api_url == "https://ghe.test/api/v3"
    assert settings.github_url == "https://ghe.test"


def test_variables_that_belong_together_are_checked_together() -> None:
    """Also when another variable is bad: everything is said at once."""
    assert server_problems(FIXPOINT_SANDBOX="e2b", GITHUB_URL="https://ghe.test", PORT="x") == [
        "PORT must be a valid integer. Port the server listens on.",
        "FIXPOINT_SANDBOX is e2b, but E2B_API_KEY is not set. Set the key, or choose auto.",
        "GITHUB_URL is set, but GITHUB_API_URL is not. They must name the same GitHub, so set both.",
    ]


def test_misspelt_variables_are_noticed() -> None:
    """Ours by their prefix, with the nearest name; other programs' variables are left alone."""
    assert settings_warnings(
        {"FIXPOINT_CONCURENCY": "3", "FIXPOINT_COLOUR_OF_THE_SKY": "blue", "PATH": "/bin"}
    ) == (
        "FIXPOINT_COLOUR_OF_THE_SKY is not a known setting.",
        "FIXPOINT_CONCURENCY is not a known setting; did you mean FIXPOINT_CONCURRENCY?",
    )


def test_a_misspelt_setting_of_the_app_is_noticed() -> None:
    """Not what GitHub Actions and other programs set, though it begins the same way."""
    others = {"GITHUB_SHA": "1", "GITHUB_TOKEN": "x", "GITHUB_REPOSITORY": "a/b", "GITHUB_ENV": "y"}
    assert settings_warnings(
        {"GITHUB_PRIVATEKEY": "x", "GITHUB_WEBHOOK_SECRETS": "x", **others}
    ) == (
        "GITHUB_PRIVATEKEY is not a known setting; did you mean GITHUB_PRIVATE_KEY?",
        "GITHUB_WEBHOOK_SECRETS is not a known setting; did you mean GITHUB_WEBHOOK_SECRET?",
    )
    assert settings_warnings({"GITHUB_API": "x", "GITHUB_ACTIONS": "true"}) == ()


def test_a_setting_of_earlier_versions_is_noticed() -> None:
    """It is no mistake to have it, and people should know that it does nothing."""
    [warning] = settings_warnings({"FIXPOINT_SERVER_NAME": "blue"})
    assert warning == (
        "FIXPOINT_SERVER_NAME has no effect any more. Each server makes up an ID of its own; "
        "remove the setting."
    )


def test_half_a_provider_is_noticed() -> None:
    """An OpenAI-compatible provider needs a model and an address or a key."""
    assert settings_warnings({"OPENAI_BASE_URL": "http://x"}) == (
        "OPENAI_BASE_URL has no effect unless OPENAI_MODEL is set.",
    )
    assert settings_warnings({"OPENAI_MODEL": "m"}) == (
        "OPENAI_MODEL has no effect unless OPENAI_BASE_URL or OPENAI_API_KEY is set.",
    )
    assert settings_warnings({"OPENAI_MODEL": "m", "OPENAI_API_KEY": "x"}) == ()


def test_the_table_has_every_variable() -> None:
    """The table is made of the settings themselves: name, meaning, default."""
    rows = settings_table().splitlines()[2:]
    assert len(rows) == len(ServerSettings.model_fields)
    assert rows[0] == (
        "| `GITHUB_APP_ID` | The App's ID, a number shown on the App's settings page. | required |"
    )
    assert "| `PORT` | Port the server listens on. | `8080` |" in rows
    assert (
        "| `FIXPOINT_LOG_LEVEL` | Minimum log level: `debug`, `info`, `warning` or `error`. | `info` |"
        in rows
    )
