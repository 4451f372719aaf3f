"""What runs inside a sandbox, on whatever Python it has, and bash; nothing here is imported by the bot."""

from __future__ import annotations

from importlib.resources import files

_FILES = files(__name__)


def source(name: str, **values: str) -> str:
    """Return the text of a file of this folder, with each `@NAME@` replaced by its value.

    Raises:
        FileNotFoundError: There is no such file.
        KeyError: The file does not name one of the values.
    """
    text = (_FILES / name).read_text("utf-8")
    for key, value in values.items():
        if f"@{key}@" not in text:
            raise KeyError(key)
        text = text.replace(f"@{key}@", value)
    return text
