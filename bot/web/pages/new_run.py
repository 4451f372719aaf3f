"""The form that starts a run."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from http import HTTPStatus

from aiohttp import web

from bot.model.given_test import GivenTest
from bot.web.caller import CALLER, Scope
from bot.web.given_cases import cases_test, file_test
from bot.web.pages.frame import Frame
from bot.web.problems import ApiProblem
from bot.web.run_control import RunControl, RunParameters

_FIELDS = (
    "repository", "prompt", "number", "test", "budget_usd", "function", "cases", "test_path",
    "test_content",
)  # fmt: skip


class NewRunPage:
    """Answers with the form, and takes it."""

    def __init__(self, frame: Frame, control: RunControl) -> None:
        self._frame = frame
        self._control = control

    async def show(self, request: web.Request) -> web.Response:
        """Show the form for a new run."""
        request[CALLER].demand(Scope.RUN)
        given = {name: request.query.get(name, "") for name in _FIELDS}
        return self._frame.page(request, "new.html", "New run", {"given": given, "problem": ""})

    async def create(self, request: web.Request) -> web.Response:
        """Start the run that the form describes."""
        form = await self._frame.checked_form(request)
        request[CALLER].demand(Scope.RUN)
        given = {name: form.get(name, "").strip("\r\n\t ") for name in _FIELDS}
        try:
            run_id = await self._control.ask(_asked(given), request[CALLER])
        except ApiProblem as problem:
            context = {"given": given, "problem": problem.detail}
            return self._frame.page(request, "new.html", "New run", context, problem.status)
        raise web.HTTPSeeOther(f"/runs/{run_id}")


def _asked(given: Mapping[str, str]) -> RunParameters:
    """Return what a form asks for.

    Raises:
        ApiProblem: When a field can't be read.
    """
    number = given["number"].removeprefix("#")
    if number and not (number.isascii() and number.isdigit() and 0 < int(number[:10]) < 2**31):
        raise ApiProblem(
            HTTPStatus.UNPROCESSABLE_ENTITY, "The issue must be a number, such as 12, or empty."
        )
    budget: Decimal | None = None
    if given["budget_usd"]:
        try:
            budget = Decimal(given["budget_usd"].removeprefix("$"))
        except InvalidOperation:
            budget = None
        if budget is None or not (budget.is_finite() and budget > 0):
            raise ApiProblem(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "The budget must be an amount in dollars, such as 0.50, or empty.",
            )
    return RunParameters(
        repository=given["repository"],
        prompt=given["prompt"],
        number=int(number) if number else None,
        test=given["test"] or None,
        budget_usd=budget,
        given_test=_given_test(given),
    )


def _given_test(given: Mapping[str, str]) -> GivenTest | None:
    """Return the test that a form gives: a file, or cases with one line each."""
    if given["test_content"]:
        return file_test(given["test_path"], given["test_content"])
    if not (given["function"] or given["cases"]):
        return None
    cases = [_case(line) for line in given["cases"].splitlines() if line.strip()]
    return cases_test(given["function"], cases)


def _case(line: str) -> tuple[str, str]:
    before, arrow, behind = line.rpartition("=>")
    if not arrow:
        raise ApiProblem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "Write each test case as INPUT => EXPECTED, such as 1, 2 => 3.",
        )
    return before, behind
