"""What models are told: Jinja2 files that fail loudly on a variable nobody gave."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


def render(name: str, /, **variables: object) -> str:
    """Return the prompt `name` (`repair_task`, ...) with its variables filled in.

    Text of strangers must be quoted by the caller: nothing is escaped here.

    Raises:
        jinja2.UndefinedError: When the prompt names a variable that was not given.
        jinja2.TemplateNotFound: When there is no such prompt.
    """
    return _environment().get_template(f"{name}.j2").render(variables).strip()


def prepare() -> None:
    """Import and set up what `render` needs: a moment of work that can be done ahead."""
    _environment()


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("prompts", ""),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - plain text for a model, never HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
