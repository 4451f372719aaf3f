"""What is wrong in a repo config, each behind `FILE:LINE: `."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example


@example("'setup[1]'")
def text_required(name: str) -> str:
    return f"{name} must be text; put it in quotes."


@example("'draft'")
def true_or_false(name: str) -> str:
    return f"{name} must be true or false."


@example("'attempts'")
def whole_number(name: str) -> str:
    return f"{name} must be a whole number."


@example("'labels'")
def list_required(name: str) -> str:
    return f"{name} must be a list."


@example("'proposers'")
def empty(name: str) -> str:
    return f"{name} must not be empty."


@example("'sandbox'", ["image", "template"])
@example("the file", ["setup", "test", "sandbox"])
def mapping_required(name: str, keys: Sequence[str]) -> str:
    return f"{name} must be a mapping with keys such as {', '.join(keys)}."


@example("'attempts'", "must be less than or equal to 10", nearest="")
@example("'effort'", "must be 'low', 'medium' or 'high'", nearest="medium")
def requirement_missed(name: str, requirement: str, *, nearest: str) -> str:
    """A check refused the value; `requirement` is the end of its sentence."""
    hint = f"; did you mean '{nearest}'?" if nearest else "."
    return f"{name} {requirement}{hint}"


@example("test_command", ["setup", "test"])
def unknown_key(key: str, known: Sequence[str]) -> str:
    return f"unknown key '{key}'; the keys are {', '.join(known)}."


@example("atempts", "attempts")
def misspelt_key(key: str, nearest: str) -> str:
    return f"unknown key '{key}'; did you mean '{nearest}'?"


@example("allowed", "paths")
def key_of_section(key: str, section: str) -> str:
    return f"unknown key '{key}'; it belongs under '{section}'."


@example("timeout")
def key_of_top_level(key: str) -> str:
    return f"unknown key '{key}'; it belongs at the top level of the file."


@example("!!python/object")
def forbidden_tag(tag: str) -> str:
    return f"the tag {tag} is not allowed."


@example("setup")
def repeated_key(key: str) -> str:
    return f"the key '{key}' appears twice."


INDENTED_WITH_TAB = "tabs can't indent YAML; use spaces."
SEVERAL_DOCUMENTS = "only one YAML document is allowed; remove the line `---`."


@example(20)
def nested_too_deeply(levels: int) -> str:
    return f"is nested more than {levels} levels deep."


@example("could not find expected ':'")
def invalid_yaml(problem: str) -> str:
    return f"is not valid YAML: {problem}."


@example(".github/fixpoint.yml", 1)
@example(".github/fixpoint.yml", 7)
def more_problems(source: str, more: int) -> str:
    return f"{source}: and {more} more problem{'s' if more > 1 else ''}."
