"""Read a request, do what it asks for, leave the answer."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import traceback
from typing import Any, NoReturn

from .both_sides import compare_sides
from .comparison import compared_plausible
from .evaluation import Trier
from .line_survey import surveyed
from .mutation_run import noticed
from .order_dependence import depended
from .perturbation import Perturber
from .protocol import Compare, Depend, Notice, Perturb, collection_in, request_in
from .suite import Suite
from .suite_loading import open_suite
from .suite_survey import Collector

_TAIL = 4000
"""Characters of the test runner's output that are told when it collects nothing."""


class DriverJob:
    """One request under way."""

    def __init__(self, request: dict[str, Any], answer: str) -> None:
        self._request = request
        self._tests = collection_in(request)
        self._answer = answer
        self._log = answer + ".log"
        self._terminal = os.dup(1)
        self._main = os.getpid()
        self._started = time.monotonic()

    def done(self) -> None:
        """Do it; the process ends with it, however the project's code behaves."""
        self._hush()
        try:
            self._act()
        except SystemExit:
            pass  # the test runner found nothing to run
        except BaseException:  # noqa: BLE001 - whatever happens, an answer is due
            os.write(2, traceback.format_exc().encode())
        if os.getpid() == self._main:
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(
                    Exception
                ):  # the project's code may have replaced or closed it
                    stream.flush()
            with open(self._log, encoding="utf-8", errors="replace") as log:
                self._leave({"problem": log.read()[-_TAIL:]})
        os._exit(1)

    def _act(self) -> None:
        act = self._request["act"]
        asked = request_in(self._request)
        if isinstance(asked, Compare):
            compare_sides(self._tests, asked, self._leave)
        if isinstance(asked, Depend) and asked.first:
            os.chdir(self._tests.folder)
            exec(asked.first, {})  # noqa: S102 - one of the engine's own interventions
        if act == "cold":
            trier = Trier(self._request, self._tell)
            trier.cold()
            self._leave({"results": trier.results, "writing": trier.writing})
        answers = {"collect": self._collect, "survey": self._survey, "warm": self._warm}

        def answer(suite: Suite) -> dict[str, Any]:
            if isinstance(asked, Perturb):
                return Perturber(suite, self._tests.root, asked).perturbed()
            if isinstance(asked, Notice):
                return noticed(suite, self._tests.root, asked)
            if isinstance(asked, Depend):
                return depended(suite, self._tests.root, asked)
            return answers[act](suite)

        only = None
        if isinstance(asked, Depend) and not asked.orders:
            only = {test.partition("::")[0] for test in asked.tests if "::" in test}
        open_suite(self._tests, lambda suite: self._leave(answer(suite)), only or None)

    def _collect(self, suite: Suite) -> dict[str, Any]:
        return Collector(suite, self._request).collected()

    def _survey(self, suite: Suite) -> dict[str, Any]:
        return surveyed(suite, self._request)

    def _warm(self, suite: Suite) -> dict[str, Any]:
        trier = Trier(self._request, self._tell)
        trier.warm(suite)
        results = trier.results
        compared = compared_plausible(suite, self._request, results)
        return {"results": results, "compared": compared, "writing": trier.writing}

    def _leave(self, answer: dict[str, Any]) -> NoReturn:
        answer["seconds"] = time.monotonic() - self._started
        with open(self._answer, "w", encoding="utf-8") as file:
            json.dump(answer, file)
        os._exit(0)

    def _hush(self) -> None:
        """Send what the project and its test runner print to a file."""
        log = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)

    def _tell(self, text: str) -> None:
        os.write(self._terminal, f"{text}\n".encode())


def main() -> None:
    """Take the request's file and the answer's file from the command line."""
    request_file, answer_file = sys.argv[1:]
    with open(request_file, encoding="utf-8") as file:
        request = json.load(file)
    DriverJob(request, answer_file).done()
