"""Workflow and action files as a program writes them, half of them with a fault somewhere."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

_TRUE = True
_EXPRESSIONS = (
    "github.ref", "inputs.x", "vars.X", "secrets.T", "needs.a.outputs.x", "matrix.os", "strategy.job-index",
    "steps.s.outcome", "job.status", "runner.os", "env.A", "jobs.a.result", "success()", "always() && env.A",
    "hashFiles('*')", "format('{0}', github.sha)", "failure()", "contains(github.ref, 'x')", "nothing.x",
    "unheard(1)", "case(true, 1, 2)", "1 +", "fromJSON('[1]')", "matrix.*.x", "!cancelled()",
)  # fmt: skip
_ODD: tuple[Any, ...] = (
    None, "", "text", "12", 12, 1.5, True, [], {}, ["a", "b"], [{"a": 1}], {"a": "b"}, {"name": "x"}, "${{ env.A }}",
    "${{ github.ref }}", "a ${{ matrix.os }} b", "${{ 'plain' }}", "${{ open",
)  # fmt: skip
_KEYS = ("runn", "Env", "with", "uses", "run", "steps", "name", "if", "needs", "on", "shell", "wait-all", "x y", "1", "${{ env.A }}",
         "${{ insert }}", "timeout-minutes", "parallel", "background", "outputs", "group", "type", "image")  # fmt: skip


class Workflows:
    """Writes workflow and action files; the same seed writes the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def file(self) -> str:
        """Return a workflow. Each of its top keys begins a line, behind which it is JSON."""
        workflow = self._some(
            {"on": self._on(), "jobs": {f"j{n}": self._job(n) for n in range(self._random.randint(1, 3))}},
            {"name": "CI", "run-name": self._text(), "env": self._texts(), "defaults": self._defaults(),
             "permissions": self._one_of("read-all", {"contents": "read"}), "concurrency": self._one_of("x", {"group": "x"})},
        )  # fmt: skip
        for _ in range(self._random.choice((0, 0, 1, 1, 2))):
            if isinstance(workflow.get("jobs"), dict):
                self._break({"jobs": workflow["jobs"]})
        return _written(workflow)

    def action(self) -> str:
        """Return an action, written in the same way."""
        action = self._some(
            {"runs": self._runs()},
            {"name": "An action", "description": self._one_of("text", 1), "author": "x", "branding": {"icon": "x"},
             "inputs": {"x": self._some({}, {"default": self._text(), "required": _TRUE, "type": ["a"]})},
             "outputs": {"o": self._some({}, {"value": self._text(), "description": "text"})}},
        )  # fmt: skip
        for _ in range(self._random.choice((0, 0, 1, 1, 2))):
            if action:
                self._break(action)
        return _written(action)

    def _runs(self) -> Any:
        around = {"pre": "a.js", "post": "b.js"}
        return self._one_of(
            self._some({"using": self._one_of("node20", "node24", "node8"), "main": "a.js"}, around),
            self._some(
                {"using": "docker", "image": self._one_of("Dockerfile", "docker://a:1", "")},
                {"args": [self._text(), "x"], "env": self._texts(), "entrypoint": "a.sh"},
            ),
            {"using": "composite", "steps": [self._own_step(n) for n in range(self._random.randint(1, 3))]},
        )  # fmt: skip

    def _own_step(self, number: int) -> Any:
        step = self._step(number)
        return (
            step
            if self._random.random() < 0.1
            else self._some({"shell": "bash"} if "run" in step else {}, step)
        )

    def _one_of(self, *values: Any) -> Any:
        return self._random.choice(values)

    def _some(self, always: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
        return always | {
            key: value for key, value in others.items() if self._random.random() < 0.25
        }

    def _text(self) -> Any:
        return self._one_of(
            "text", "${{ github.ref }}", f"a ${{{{ {self._one_of(*_EXPRESSIONS)} }}}}"
        )

    def _texts(self) -> Any:
        return {name: self._one_of(self._text(), 1, _TRUE, None) for name in ("A", "B")}

    def _on(self) -> Any:
        call = {
            "inputs": {"x": {"type": "string", "default": self._text()}},
            "outputs": {"o": {"value": self._text()}},
        }
        return self._one_of(
            "push", ["push", "pull_request"], {"push": {"branches": ["main"]}, "workflow_dispatch": None},
            {"workflow_call": call}, {"schedule": [{"cron": self._one_of("0 5 * * 1", "*/5 1-3 1,15 jan-mar sun", "61 * * * *", "x")}]},
        )  # fmt: skip

    def _defaults(self) -> Any:
        return {"run": self._some({}, {"shell": "bash", "working-directory": "a"})}

    def _job(self, number: int) -> dict[str, Any]:
        needs = (
            {"needs": self._one_of(f"j{number - 1}", [f"j{self._random.randrange(number)}"])}
            if number
            else {}
        )
        common = {
            "name": self._text(),
            "if": self._condition(),
            "strategy": self._strategy(),
            "permissions": {"checks": "write"},
        } | needs
        if self._random.random() < 0.15:
            return self._some(
                {"uses": "./.github/workflows/a.yml"},
                {
                    **common,
                    "with": self._texts(),
                    "secrets": self._one_of("inherit", self._texts()),
                },
            )
        return self._some(
            {"runs-on": self._one_of("ubuntu-latest", ["self-hosted", "x"], {"group": "g"}, "${{ matrix.os }}"),
             "steps": [self._step(n) for n in range(self._random.randint(1, 4))]},
            {**common, "env": self._texts(), "timeout-minutes": self._one_of(5, "${{ fromJSON('5') }}"), "outputs": {"o": self._text()},
             "continue-on-error": self._one_of(_TRUE, "${{ matrix.x }}"), "container": self._one_of("node", {"image": "node", "env": self._texts()}),
             "services": {"db": self._one_of("postgres", {"image": "postgres", "ports": ["1:1", 5432]})}, "defaults": self._defaults(),
             "environment": self._one_of("x", {"name": "x", "url": self._text()}), "concurrency": {"group": "x", "cancel-in-progress": True}},
        )  # fmt: skip

    def _strategy(self) -> Any:
        matrix = self._one_of(
            {"os": ["a", 1]},
            {"include": [{"os": "a"}]},
            "${{ fromJSON(needs.j0.outputs.m) }}",
            {"os": "${{ fromJSON('[1]') }}"},
        )
        return self._some({"matrix": matrix}, {"fail-fast": False, "max-parallel": 2})

    def _condition(self) -> Any:
        expression = self._one_of(*_EXPRESSIONS)
        return self._one_of(expression, expression, f"${{{{ {expression} }}}}", _TRUE)

    def _step(self, number: int) -> Any:
        common = {"name": self._text(), "if": self._condition(), "env": self._texts(), "id": self._one_of(f"s{number}", "s", "__x", "a b"),
                  "continue-on-error": True, "timeout-minutes": 3}  # fmt: skip
        if self._random.random() < 0.1:
            return self._one_of(
                {"wait-all": None}, {"parallel": [{"run": "a"}, {"uses": "a/b@v1"}]}
            )
        if self._random.random() < 0.4:
            return self._some({"uses": "actions/checkout@v4"}, {**common, "with": self._texts()})
        return self._some(
            {"run": self._text()}, {**common, "shell": "bash", "working-directory": self._text()}
        )

    def _odd(self) -> Any:
        """Return a value of its own: what is put into it later is in no other place."""
        return copy.deepcopy(self._one_of(*_ODD))

    def _break(self, file: dict[str, Any]) -> None:
        """Change, add or take away one thing."""
        place = self._one_of(*_places(file))
        if isinstance(place, list):
            place[self._random.randrange(len(place))] = self._odd()
            return
        kind = self._random.randrange(3)
        if kind == 0:
            place[self._one_of(*_KEYS)] = self._odd()
        elif kind == 1:
            place[self._one_of(*place)] = self._odd()
        else:
            del place[self._one_of(*place)]


def _written(file: dict[str, Any]) -> str:
    # GitHub's library stumbles over keys that are numbers.
    keys = {key: key if key[0].isalpha() else json.dumps(key) for key in file}
    return "".join(f"{keys[key]}: {json.dumps(value)}\n" for key, value in file.items())


def _places(value: Any) -> Iterator[Any]:
    """Yield mappings and lists with something in them, at any depth."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if inside:
        yield value
    for item in inside:
        yield from _places(item)
