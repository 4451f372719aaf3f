"""Give a sentence the example by which people proofread it in `docs/sentences.md`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Sentence = TypeVar("Sentence", bound=Callable[..., str])

_EXAMPLES = "__examples__"


def example(*args: Any, **kwargs: Any) -> Callable[[Sentence], Sentence]:
    """Keep arguments with which a sentence is worth reading; may be repeated.

    @example(attempts=1)
    @example(attempts=3)
    def attempts_used(attempts: int) -> str: ...
    """

    def keep(sentence: Sentence) -> Sentence:
        kept = ((args, kwargs), *getattr(sentence, _EXAMPLES, ()))
        setattr(sentence, _EXAMPLES, kept)
        return sentence

    return keep


def spoken(sentence: Callable[..., str]) -> tuple[str, ...]:
    """Return what a sentence says in its examples, each once; empty when it has none."""
    kept = getattr(sentence, _EXAMPLES, ())
    return tuple(dict.fromkeys(sentence(*args, **kwargs) for args, kwargs in kept))
