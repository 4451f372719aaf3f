"""Compare a repaired program with the right one, in a process of its own with a time limit.

python behaviour.py PROGRAM RIGHT_FOLDER REPAIRED_FOLDER
"""

from __future__ import annotations

import copy
import importlib.util
import sys
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from bench.search import drawn_plays, fresh_plays, held_out_plays
from bench.search.inputs import FRESH, INPUTS

PLAYS = {**held_out_plays.PLAYS, **fresh_plays.PLAYS, **drawn_plays.PLAYS}


def load(folder: str, program: str) -> ModuleType:
    """Return a program as a module."""
    return load_file(str(Path(folder) / f"{program}.py"), program)


def load_file(path: str, program: str) -> ModuleType:
    """Return a file as a module."""
    spec = importlib.util.spec_from_file_location(program, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(program)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answer(module: ModuleType, name: str, arguments: tuple[Any, ...]) -> str:
    """Return what a call answers, or which error it raises, as text."""
    mine = copy.deepcopy(arguments)
    try:
        return repr(_call(module, name, mine))
    except Exception as error:  # noqa: BLE001 - how it fails is its behaviour
        return type(error).__name__


def _call(module: ModuleType, name: str, arguments: tuple[Any, ...]) -> Any:
    match name:
        case "account":
            return _played(module, *arguments)
        case "in_order":
            return list(module.in_order(module.built(*arguments)))
        case "height":
            return module.height(module.built(*arguments))
        case "round_trip":
            return module.to_number(module.to_roman(*arguments))
        case _:
            return getattr(module, name)(*arguments)


def _played(module: ModuleType, acts: list[tuple[int, int]]) -> Any:
    """Return the state of two accounts after a number of acts."""
    one, other = module.Account("one"), module.Account("other")
    said = []
    for act, amount in acts:
        try:
            (one.deposit, one.withdraw, lambda money: one.transfer(other, money))[act](amount)
        except (ValueError, module.TooLittle) as error:
            said.append(str(error))
    return one.balance, other.balance, one.history, other.history, said


def played(module: ModuleType, program: str, seed: int) -> str:
    """Return what a play of a program sees, or which error ends it, as text."""
    try:
        return repr(PLAYS[program](module, Random(seed)))
    except Exception as error:  # noqa: BLE001 - how it fails is its behaviour
        return type(error).__name__


def parted(program: str, right: ModuleType, repaired: ModuleType) -> str:
    """Return the first use on which they answer differently, or ""."""
    if program in PLAYS:
        seeds = range(INPUTS)
        apart = (n for n in seeds if played(right, program, n) != played(repaired, program, n))
        return next((f"play {n}" for n in apart), "")
    chance = Random(7)
    for _ in range(INPUTS):
        for fresh in FRESH[program]:
            name, arguments = fresh(chance)
            answers = {answer(module, name, arguments) for module in (right, repaired)}
            if len(answers) > 1:
                return f"{name} {arguments} {answers}"
    return ""


def main() -> int:
    """Return 0 when they answer alike."""
    program, right, repaired = sys.argv[1:]
    apart = parted(program, load(right, program), load(repaired, program))
    print(apart)
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
