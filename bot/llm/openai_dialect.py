"""What an OpenAI-compatible server or model understands: learnt from what it refuses. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

_NO_TOOLS = re.compile(
    # Ollama and OpenRouter | vLLM | llama.cpp | Together, Groq and gateways
    r"does(?: not|n't) support (?:the )?(?:tools?|function)|support tool use"
    r"|tool choice requires --enable-auto-tool-choice|tools param requires --jinja"
    r"|(?:tools?|function calling|tool calling) (?:is|are) not (?:supported|available|enabled)",
    re.IGNORECASE,
)
_ONE_CALL = re.compile(
    r"single tool[- ]calls? at once|parallel tool|multiple tool[- ]calls|one tool[- ]call (?:per|at)",
    re.IGNORECASE,
)
"""Chat templates of Llama and Mistral that allow one call in a turn, and what gateways say of them."""
_THOUGHTS = re.compile(r"\breasoning(?:_content|_details)?\b", re.IGNORECASE)
_DEMANDED = re.compile(
    r"must be (?:passed|sent|provided)|\bmissing\b|\brequire[sd]\b", re.IGNORECASE
)
"""DeepSeek and Kimi want thoughts back; Mistral, Groq and DeepSeek's older models refuse them."""

_IDS = re.compile(r"tool[_ ]calls?(?:\[\d+\]\.|[_ ])ids?\b[^\n]{0,120}\blength\b", re.IGNORECASE)
"""Mistral takes nine letters and digits, OpenAI 40 characters."""
_ORDER = re.compile(
    r"unexpected role '?user'? after role '?tool|conversation roles must alternate", re.IGNORECASE
)
"""Mistral's API, and its models' chat templates."""
_NO_SYSTEM = re.compile(
    # Gemma's template | gateways | Google of Gemma
    r"system (?:role|messages?|prompts?) (?:is |are )?not supported|does not support system"
    r"|developer instruction is not enabled",
    re.IGNORECASE,
)

Thoughts = Literal["with calls", "always", "never"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server or model understands; learnt from its refusals, see `adapt`.

    Attributes:
        limit: The field for the answer's longest length. Compatible servers know `max_tokens`;
            OpenAI's own models since o1 only the newer name.
        usage: Whether `stream_options` may ask for the token counts.
        effort: `asked` sends what is asked for; `none` turns reasoning off, which OpenAI demands
            of its newest models when tools are used in this API; `omit` sends nothing.
        temperature: Whether one may be asked for.
        tools: `native` has the API's own field; `text` describes tools in the system prompt, see
            `bot.llm.text_tools`.
        one_call: A turn may have one call: turns of several are told as several turns.
        thoughts: Which turns are told with the thoughts that they came with: `with calls`, those
            that call tools; `always`, all, with words of ours where a turn came without.
        short_ids: Calls are told by nine letters and digits, made of their ids.
        bridged: A word of the model's stands between results of tools and what a user says.
        system: Whether there are system messages; else the user's first one begins with it.
    """

    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    usage: bool = True
    effort: Literal["asked", "none", "omit"] = "asked"
    temperature: bool = True
    tools: Literal["native", "text"] = "native"
    one_call: bool = False
    thoughts: Thoughts = "with calls"
    short_ids: bool = False
    bridged: bool = False
    system: bool = True


def adapt(dialect: Dialect, refusal: str) -> Dialect | None:
    """Return the dialect to try after a 400 that says `refusal`, or None when it is no such thing."""
    return next(_lessons(dialect, refusal), None)


def _lessons(dialect: Dialect, refusal: str) -> Iterator[Dialect]:
    """Yield what a refusal may mean, the likeliest first."""
    text = refusal.lower()
    if dialect.limit == "max_tokens" and "max_completion_tokens" in text:
        yield replace(dialect, limit="max_completion_tokens")
    if dialect.limit == "max_completion_tokens" and dialect.limit in text:
        yield replace(dialect, limit="max_tokens")
    if dialect.usage and ("stream_options" in text or "include_usage" in text):
        yield replace(dialect, usage=False)
    if dialect.effort != "omit" and "reasoning_effort" in text:
        off = dialect.effort == "asked" and "none" in text
        yield replace(dialect, effort="none" if off else "omit")
    if dialect.temperature and "temperature" in text:
        yield replace(dialect, temperature=False)
    habits = (
        (_NO_TOOLS, replace(dialect, tools="text")),
        (_ONE_CALL, replace(dialect, one_call=True)),
        (_IDS, replace(dialect, short_ids=True)),
        (_ORDER, replace(dialect, bridged=True)),
        (_NO_SYSTEM, replace(dialect, system=False)),
    )
    yield from (other for words, other in habits if other != dialect and words.search(refusal))
    if _THOUGHTS.search(refusal):
        yield replace(dialect, thoughts="always" if _DEMANDED.search(refusal) else "never")
