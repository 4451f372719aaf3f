"""Parameters of queries: each is read by the same rules that the OpenAPI document shows."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Generic, Protocol, TypeVar

from aiohttp import web

from bot.web.problems import ApiProblem

T_co = TypeVar("T_co", covariant=True)


class ParameterKind(Protocol[T_co]):
    """What a parameter can be."""

    def schema(self) -> dict[str, Any]:
        """Return its JSON Schema."""

    def wanted(self) -> str:
        """Return what it must be, as the end of a sentence."""

    def read(self, text: str) -> T_co:
        """Return its value; raises `ValueError` when it is something else."""

    def unset(self) -> T_co:
        """Return what it is when nobody says."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from `least` to `most`."""

    least: int
    most: int
    default: int

    def schema(self) -> dict[str, Any]:
        """Return its JSON Schema."""
        return {
            "type": "integer",
            "minimum": self.least,
            "maximum": self.most,
            "default": self.default,
        }

    def wanted(self) -> str:
        """Return what it must be."""
        return f"a whole number from {self.least} to {self.most}"

    def read(self, text: str) -> int:
        """Return the number."""
        digits = text.isascii() and text.isdigit() and len(text) <= len(str(self.most))
        if not digits or not self.least <= int(text) <= self.most:
            raise ValueError
        return int(text)

    def unset(self) -> int:
        """Return the default."""
        return self.default


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some words."""

    words: tuple[str, ...]

    def schema(self) -> dict[str, Any]:
        """Return its JSON Schema."""
        return {"type": "string", "enum": list(self.words)}

    def wanted(self) -> str:
        """Return what it must be."""
        return ", ".join(self.words)

    def read(self, text: str) -> str:
        """Return the word."""
        if text not in self.words:
            raise ValueError
        return text

    def unset(self) -> str:
        """Return that it does not matter."""
        return ""


@dataclass(frozen=True, slots=True)
class Words:
    """Text of at most so many characters."""

    most: int

    def schema(self) -> dict[str, Any]:
        """Return its JSON Schema."""
        return {"type": "string", "maxLength": self.most}

    def wanted(self) -> str:
        """Return what it must be."""
        return f"text of at most {self.most} characters"

    def read(self, text: str) -> str:
        """Return the text."""
        if len(text) > self.most:
            raise ValueError
        return text

    def unset(self) -> str:
        """Return that it does not matter."""
        return ""


@dataclass(frozen=True, slots=True)
class Parameter(Generic[T_co]):
    """A parameter of a query.

    Attributes:
        name: In the query.
        meaning: Markdown.
        kind: What it can be.
    """

    name: str
    meaning: str
    kind: ParameterKind[T_co]

    def of(self, request: web.Request, *, of_form: bool = False) -> T_co:
        """Return its value in a request.

        Args:
            request: That has it in its query.
            of_form: Whether a form sent it, which sends what is unset as empty text.

        Raises:
            ApiProblem: When it is something else, or is there twice.
        """
        given = request.query.getall(self.name, [])
        if not given or (of_form and given == [""]):
            return self.kind.unset()
        problem = ApiProblem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"The parameter {self.name} must be {self.kind.wanted()}, and there once.",
        )
        if len(given) > 1:
            raise problem
        try:
            return self.kind.read(given[0])
        except ValueError:
            raise problem from None


LIMIT = Parameter("limit", "Of how many at most.", Whole(1, 100, 50))
OFFSET = Parameter("offset", "How many to leave out.", Whole(0, 2**31 - 1, 0))
