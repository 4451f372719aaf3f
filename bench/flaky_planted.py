"""Find what decides how planted tests end that are flaky by construction.

    python -m bench.flaky_planted [--only TEXT] [--runs N] [--answers DIR] [--fix] [--whole]

Three suites of 50, 400 and 2,000 tests have some thirty tests of known classes among them, three or more of
each. `fixpoint flaky --test ID` is started for each; with `--whole`, `fixpoint flaky` once for each suite,
where no other test may be called flaky. The exit code is 1 if a class is wrong, a told command passed, or a
stable test is called flaky.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.case import run_git
from bench.cli_answers import cli_answer, kept_answer
from bench.tables import print_machine, print_table

_SIZES = (50, 400, 2000)
_OF_FILE = 25
_LONGEST = 3600.0
_NO_TESTS: dict[str, Any] = {"tests": [], "executions": 0}

_HEAD = """\
import datetime
import glob
import http.server
import locale
import os
import queue
import random
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

import pytest

import shop

"""

SHOP = '''\
"""A shop that does several things at once."""

import datetime
import http.server
import os
import queue
import threading
import time


class Counter:
    def __init__(self):
        self.value = 0

    def add(self):
        value = self.value
        self.value = value + 1


class Once:
    def __init__(self):
        self.made = []
        self._value = None

    def get(self):
        if self._value is None:
            self.made.append(1)
            self._value = object()
        return self._value


class Mailer:
    def __init__(self):
        self.sent = []

    def send(self, text):
        threading.Thread(target=self.sent.append, args=(text,)).start()


def work(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total


def greeting(now=None):
    now = now or datetime.datetime.now()
    return "good morning" if now.hour < 23 else "good night"


def is_valid(until):
    return datetime.date.today() <= until


def next_day(day):
    return day.replace(day=day.day + 1)


def tags(text):
    return set(text.split())


def plugins(folder):
    return [name for name in os.listdir(folder) if name.endswith(".py")]


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"open")

    def log_message(self, *words):
        pass


def serve(port=0):
    server = http.server.HTTPServer(("127.0.0.1", port), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
'''

_STABLE = (
    "assert {n} + 1 == {m}",
    "assert sorted(shop.tags('a{n} b{n}')) == ['a{n}', 'b{n}']",
    "assert shop.work({n}) >= 0",
    "counter = shop.Counter()\n    for _ in range({n} % 7):\n        counter.add()\n    assert counter.value == {n} % 7",
    "folder = tempfile.mkdtemp()\n    open(os.path.join(folder, 'a{n}.py'), 'w').close()\n    assert shop.plugins(folder) == ['a{n}.py']",
    "found = queue.Queue()\n    worker = threading.Thread(target=found.put, args=({n},))\n    worker.start()\n    worker.join()\n    assert found.get() == {n}",
    "assert shop.greeting(datetime.datetime(2020, 1, 1, {n} % 23)) == 'good morning'",
    "random.seed({n})\n    assert random.random() < 1",
)
"""Bodies of tests that always pass, also of those that do what flaky ones do."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A flaky test.

    Attributes:
        name: Of the test.
        flaky_class: What decides.
        body: Of the function.
        parameters: Its fixtures.
    """

    name: str
    flaky_class: str
    body: str
    parameters: str = ""


PLANTED = (
    Planted("lucky", "seed-dependent", "assert random.random() < 0.7"),
    Planted("dice", "seed-dependent", "assert random.randint(1, 6) > 3"),
    Planted("tags_in_order", "seed-dependent", "assert list(shop.tags('red green')) == ['red', 'green']"),
    Planted("lost_updates", "concurrency-dependent", "counter = shop.Counter()\n    def add():\n        for _ in range(30):\n            counter.add()\n    workers = [threading.Thread(target=add) for _ in range(4)]\n    for worker in workers:\n        worker.start()\n    for worker in workers:\n        worker.join()\n    assert counter.value == 120"),
    Planted("made_once", "concurrency-dependent", "once = shop.Once()\n    workers = [threading.Thread(target=once.get) for _ in range(4)]\n    for worker in workers:\n        worker.start()\n    for worker in workers:\n        worker.join()\n    assert len(once.made) == 1"),
    Planted("mail_is_sent", "concurrency-dependent", "mailer = shop.Mailer()\n    mailer.send('hello')\n    time.sleep(0.1)\n    assert mailer.sent == ['hello']"),
    Planted("answer_in_time", "concurrency-dependent", "found = queue.Queue()\n    threading.Thread(target=lambda: found.put(shop.work(1000))).start()\n    assert found.get(timeout=0.2) > 0"),
    Planted("not_yet_done", "concurrency-dependent", "done = threading.Event()\n    def run():\n        time.sleep(0.2)\n        done.set()\n    threading.Thread(target=run).start()\n    assert not done.is_set()"),
    Planted("own_port", "concurrency-dependent", "server = shop.serve(18765)\n    try:\n        assert urllib.request.urlopen('http://127.0.0.1:18765/').read() == b'open'\n    finally:\n        server.shutdown()\n        server.server_close()"),
    Planted("own_folder", "concurrency-dependent", "os.mkdir('/tmp/shop-of-one')\n    try:\n        time.sleep(0.05)\n    finally:\n        os.rmdir('/tmp/shop-of-one')"),
    Planted("fast_enough", "resource-dependent", "began = time.monotonic()\n    shop.work(400000)\n    assert time.monotonic() - began < 0.3"),
    Planted("ends_in_time", "resource-dependent", "done = subprocess.Popen(['sleep', '0.05'])\n    began = time.perf_counter()\n    shop.work(300000)\n    assert time.perf_counter() - began < 0.25\n    done.wait()"),
    Planted("many_files", "resource-dependent", "files = [open(os.devnull) for _ in range(400)]\n    for file in files:\n        file.close()\n    assert len(files) == 400"),
    Planted("two_processors", "resource-dependent", "assert len(os.sched_getaffinity(0)) > 1"),
    Planted("patient_client", "network-dependent", "server = shop.serve()\n    with socket.create_connection(server.server_address, timeout=0.5) as client:\n        client.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n')\n        assert client.recv(12) == b'HTTP/1.0 200'\n    server.shutdown()\n    server.server_close()"),
    Planted("quick_answer", "network-dependent", "server = shop.serve()\n    began = time.monotonic()\n    urllib.request.urlopen('http://127.0.0.1:%d/' % server.server_port).read()\n    server.shutdown()\n    server.server_close()\n    assert time.monotonic() - began < 1.5"),
    Planted("own_name", "network-dependent", "assert socket.gethostbyname(socket.gethostname())"),
    Planted("first_plugin", "environment-dependent", "for name in ('c.py', 'a.py', 'b.py', 'd.py'):\n        (tmp_path / name).write_text('')\n    assert shop.plugins(str(tmp_path))[0] == min_by_system(tmp_path)", "tmp_path"),
    Planted("newest_last", "environment-dependent", "for name in ('10.log', '9.log'):\n        (tmp_path / name).write_text(name)\n    assert glob.glob(str(tmp_path / '*.log'))[-1] == last_by_system(tmp_path)", "tmp_path"),
    Planted("own_socket", "environment-dependent", "path = os.path.join(tempfile.mkdtemp(), 'shop.sock')\n    with socket.socket(socket.AF_UNIX) as server:\n        server.bind(path)\n    assert os.path.exists(path)"),
    Planted("no_spaces", "environment-dependent", "path = os.path.join(tempfile.mkdtemp(), 'a.txt')\n    open(path, 'w').close()\n    assert subprocess.run('ls ' + path, shell=True, stdout=subprocess.PIPE).returncode == 0"),
    Planted("group_may_read", "environment-dependent", "path = tmp_path / 'a.txt'\n    path.write_text('a')\n    assert oct(path.stat().st_mode)[-3:] == '644'", "tmp_path"),
    Planted("price_in_euro", "environment-dependent", "path = tmp_path / 'price.txt'\n    with open(str(path), 'w') as file:\n        file.write('3 \\u20ac')\n    assert path.read_bytes() == b'3 \\xe2\\x82\\xac'", "tmp_path"),
    Planted("is_still_valid", "time-dependent", "assert shop.is_valid(datetime.date(2029, 1, 1))"),
    Planted("morning", "time-dependent", "assert shop.greeting() == 'good morning'"),
    Planted("day_after", "time-dependent", "assert shop.next_day(datetime.date.today()) > datetime.date.today()"),
    Planted("this_year", "time-dependent", "assert time.strftime('%Y') == '2026'"),
    Planted("left_for_next", "non-idempotent", "assert not os.path.exists('/tmp/shop.lock')\n    subprocess.run(['touch', '/tmp/shop.lock'])"),
    Planted("first_login", "non-idempotent", "path = os.path.expanduser('~/.shop')\n    assert not os.path.exists(path)\n    open(path, 'w').close()"),
    Planted("empty_store", "non-idempotent", "path = os.path.join(os.path.dirname(__file__), 'store.txt')\n    with open(path, 'a') as file:\n        file.write('a')\n    assert os.path.getsize(path) == 1"),
)  # fmt: skip

_BY_SYSTEM = """\
def min_by_system(folder):
    return os.popen("ls -U '%s'" % folder).read().split()[0]


def last_by_system(folder):
    return os.path.join(str(folder), os.popen("ls -U '%s'" % folder).read().split()[-1])


"""


def suite(size: int, planted: tuple[Planted, ...]) -> dict[str, str]:
    """Return the files of a suite: the planted tests, each in a file of its own, and stable ones."""
    files = {"shop.py": SHOP, "conftest.py": ""}
    for each in planted:
        text = f"{_HEAD}{_BY_SYSTEM}def test_{each.name}({each.parameters}):\n    {each.body}\n"
        files[f"tests/test_{each.name}.py"] = text
    stable = size - len(planted)
    for first in range(0, stable, _OF_FILE):
        tests = [
            f"\ndef test_{n}():\n    {_STABLE[n % len(_STABLE)].format(n=n, m=n + 1)}\n"
            for n in range(first, min(first + _OF_FILE, stable))
        ]
        files[f"tests/test_stable_{first // _OF_FILE}.py"] = _HEAD + "\n".join(tests)
    return files


def main() -> None:
    """Run the suites and print the table."""
    options = _options()
    rows, wrong = [], 0
    with tempfile.TemporaryDirectory(
        prefix="fixpoint-planted-", ignore_cleanup_errors=True
    ) as name:
        for place, size in enumerate(_SIZES):
            planted = PLANTED[place :: len(_SIZES)]
            folder = _made(Path(name) / f"suite{size}", suite(size, planted))
            if options.whole:
                found = _answer(f"whole-{size}", folder, (), options, Path(name))
                known = {f"tests/test_{each.name}.py::test_{each.name}" for each in planted}
                called = {test["test"] for test in found["tests"]}
                wrong += len(called - known)
                rows.append(("all", str(size), f"{len(called & known)} of {len(known)} planted", f"{len(called - known)} stable ones", "", str(found["executions"]), f"{found['took']:.0f}"))  # fmt: skip
                print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
                continue
            for each in planted:
                if options.only and options.only not in f"{each.name} {each.flaky_class}":
                    continue
                test = f"tests/test_{each.name}.py::test_{each.name}"
                found = _answer(each.name, folder, ("--test", test), options, Path(name))
                causes = [cause for test in found["tests"] for cause in test["causes"]]
                classes = [cause["flaky_class"] for cause in causes]
                passed = any(cause["red"]["passed"] for cause in causes)
                right = classes == [each.flaky_class] and not passed
                wrong += not right
                shows = "; ".join(cause["changed"] or cause["flaky_class"] for cause in causes)
                rows.append((each.name, str(size), each.flaky_class, "yes" if right else f"NO: {', '.join(classes) or found.get('problem', 'none')}", shows, str(found["executions"]), f"{found['took']:.0f}"))  # fmt: skip
                print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print_machine()
    head = ("Test", "Suite", "Class", "Right", "What decides", "Executions", "Seconds")
    print_table("Planted flaky tests", head, rows)
    sys.exit(wrong > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.flaky_planted", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", help="tests whose name or class has it")
    parser.add_argument("--runs", type=int, default=20, help="of each command that shows a failure")
    parser.add_argument("--answers", type=Path, help="folder where answers are kept")
    parser.add_argument("--fix", action="store_true", help="repair the tests, without a model")
    parser.add_argument("--whole", action="store_true", help="look at whole suites")
    return parser.parse_args()


def _made(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    run_git(folder, "init", "--quiet")
    run_git(folder, "add", "--all")
    run_git(folder, *who, "commit", "--quiet", "--message", "a suite")
    return folder


def _answer(
    name: str, folder: Path, asked: tuple[str, ...], options: argparse.Namespace, scratch: Path
) -> dict[str, Any]:
    """Return what was found, and `took`, the seconds; from memory if it was asked before."""

    def ask() -> dict[str, Any]:
        answer = cli_answer(
            *("flaky", str(folder), *asked, "--runs", str(options.runs), "--json"),
            *("--command", "PYTHONPATH=. python -m pytest -q -p no:cacheprovider"),
            *("--setup", "uv pip install --python ~/.venv/bin/python pytest"),
            *(["--fix"] if options.fix else []),
            scratch=scratch,
            seconds=_LONGEST,
        )
        if answer.found is None:
            return _NO_TESTS | {"problem": answer.problem}
        if options.fix:
            return (answer.found["flaky"] or _NO_TESTS) | {"report": answer.found}
        return answer.found

    return kept_answer(options.answers and options.answers / f"{name}.json", ask)


if __name__ == "__main__":
    main()
