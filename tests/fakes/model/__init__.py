"""A model server that says what a script tells it to, over Anthropic's and OpenAI's wire.

    async with ModelServer([Call("bash", {"command": "ls"}), Say("Done.")]) as server:
        AnthropicModel(key, base_url=server.anthropic_url)
        OpenAIModel(models=..., base_url=server.openai_url)

A script is a sequence of steps, one per request, or a function from the `Request` to a step, which
may tell conversations apart (`request.first`, `request.text`) and count turns (`request.turn`).
"""

from tests.fakes.model.request import Request, Result, Seen
from tests.fakes.model.server import ModelServer
from tests.fakes.model.steps import (
    Answer,
    Call,
    Counts,
    CutStream,
    ErrorMidStream,
    Overloaded,
    Rejected,
    Say,
    Script,
    ServerError,
    Slow,
    Step,
    Think,
    TooLong,
    Unauthorized,
    by_turn,
)
from tests.fakes.model.window import Window

__all__ = [
    "Answer",
    "Call",
    "Counts",
    "CutStream",
    "ErrorMidStream",
    "ModelServer",
    "Overloaded",
    "Rejected",
    "Request",
    "Result",
    "Say",
    "Script",
    "Seen",
    "ServerError",
    "Slow",
    "Step",
    "Think",
    "TooLong",
    "Unauthorized",
    "Window",
    "by_turn",
]
