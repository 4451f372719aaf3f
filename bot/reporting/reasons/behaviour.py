"""What changed functions answer before and after: the row of a proof card, and its facts."""

from __future__ import annotations

from collections.abc import Mapping

from bot.model.proof_card import Answers, Nearness
from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.markdown import code

NOTHING_CHANGED = "No function of the program changes."
ONLY_LOADED = "No function of the program changes; what happens when it is loaded is not compared."
NOT_RUN = (
    "The tests are not run by pytest or unittest, so that no call of theirs could be repeated."
)
NO_ANSWER = "The tests could not be loaded so that their calls are recorded."

_WHY = {
    "not called": "no test calls it",
    "tests": "the tests could not be run so that their calls are seen",
    "files": "it needs files or the network",
    "depends on more than its arguments": "its answers depend on more than what it is given",
    "opaque": "its answers can't be looked into",
    "objects": "what it is given can't be made the same on both sides",
    "unsteady": "its answers differ from run to run",
    "time": "the time ended",
    "too many": "too many functions change",
    "unloaded": "its module can't be loaded on both sides",
}

_NEAR = {
    Nearness.OWN: "from the tests",
    Nearness.NEIGHBOUR: "similar to these",
    Nearness.ELSEWHERE: "other",
}


@example(Answers("clamp(low=3, high=1)", "raises ValueError", "(1, 3)", Nearness.OWN), 1)
@example(Answers("total([1, 2])", "2", "3", Nearness.NEIGHBOUR), 15)
def difference(answers: Answers, alike: int) -> str:
    """Return what a function answers on both sides, and how many other inputs are alike."""
    more = f" (and {count(alike - 1, 'input')} alike)" if alike > 1 else ""
    return f"{code(answers.call)}: {code(answers.before)} -> {code(answers.after)}{more}"


@example("parse(b'3')", "raises TypeError: expected str")
def still(call: str, answer: str) -> str:
    return f"{code(call)} still {code(answer)}, as an input of the tests did before."


@example("fee(order=Order(5000, 'EUR'))", "order.currency", 16, retyped=False)
@example("size([1, 2])", "value[0]", 3, retyped=True)
def pinned(call: str, part: str, tried: int, *, retyped: bool) -> str:
    """Say that a new answer hangs on one value, or on one type, of a part of an input."""
    others = count(tried, "value")
    if retyped:
        others = f"{others} of other types"
    return (
        f"{code(call)} changes for this {code(part)} alone: {others} in its place change nothing."
    )


@example("price(12, 7)", "84", 41, "83")
def worn(call: str, first: str, calls: int, then: str) -> str:
    """Say that a new answer wears off within one process; the old one doesn't."""
    return (
        f"{code(call, 100)} gives {code(first, 100)}, but call {calls} of the same kind gives "
        f"{code(then, 100)}; without the change, its answer stays."
    )


@example("middle([9, 1, 5])", "values = [1, 5, 9]")
def marked(call: str, change: str) -> str:
    return f"{code(call, 100)} now changes what it is given, too: it leaves {code(change, 100)}."


@example("app.py", 3, "sys.setrecursionlimit(9000)")
def loaded(file: str, line: int, text: str) -> str:
    """Say that a statement reaches beyond the answers of functions."""
    at = f"{code(text, 100)} at {code(f'{file}:{line}')}"
    return f"{at} runs when the file is loaded; what it changes was not compared."


@example("shop.Basket.total", "files")
def not_compared(name: str, reason: str) -> str:
    return f"{code(name)} was not compared: {_WHY.get(reason, reason)}."


@example("render", "request: Request")
def not_copied(name: str, argument: str) -> str:
    what = f" ({code(argument)})" if argument else ""
    return f"{code(name)} was not compared: an argument of its calls can't be copied{what}."


@example("total", "JavaScript")
def other_language(name: str, language: str) -> str:
    return f"{code(name)} was not compared: it is written in {language}."


@example("shop.js")
def rest_not_compared(file: str) -> str:
    return f"What {code(file)} does outside of functions was not compared."


@example("shop.rb")
def program_not_compared(file: str) -> str:
    return f"{code(file)} was not compared: programs in its language are not run here."


@example(3)
def more_not_compared(left: int) -> str:
    return f"{left} more {'was' if left == 1 else 'were'} not compared."


@example("shop.total")
def gone(name: str) -> str:
    return f"{code(name)} is no longer there."


@example(2, 412, {Nearness.OWN: 2, Nearness.NEIGHBOUR: 21, Nearness.ELSEWHERE: 1}, 0)
@example(1, 96, {}, 0)
@example(1, 44, {Nearness.OWN: 1}, 40)
def summary(functions: int, inputs: int, differing: Mapping[Nearness, int], alone: int) -> str:
    """Return what was compared, and where the answers differ.

    Args:
        functions: That were run.
        inputs: On which.
        differing: Inputs with another answer, by where they come from.
        alone: Inputs near the tests' own that all stay as they were, while these change.
    """
    ran = _ran(functions, inputs)
    other = sum(differing.values())
    if not other:
        return f"{ran}: all give the same result."
    parts = [f"{number} {_NEAR[near]}" for near, number in differing.items() if number]
    said = (
        f"{ran}: {inputs - other} give the same result, {other} another one ({', '.join(parts)})."
    )
    if alone:
        return f"{said} Only inputs of the tests give another result: {alone} similar ones do not."
    return said


def _ran(functions: int, inputs: int) -> str:
    ran = f"{count(functions, 'changed function')} ran with {count(inputs, 'input')}"
    return f"{ran} before and after the change"


@example(1, 179)
def unseen(functions: int, inputs: int) -> str:
    """Return what is said where the tests prove a change, and no input that was compared shows it."""
    return (
        f"{_ran(functions, inputs)}: all give the same result. What makes the tests pass is not "
        "among them."
    )


@example(2)
def nothing_compared(functions: int) -> str:
    return (
        f"None of {count(functions, 'changed function')} could be run before and after the change."
    )
