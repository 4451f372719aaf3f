"""Small hard projects for JavaScript's test runners, written once for all of them."""

# ruff: noqa: RUF001 - names as people write them, and what jest prints
from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.outputs.recording import Project

NAMES = (
    "plain", "two words", "brackets [x] (y)", "10:30 to 127.0.0.1:80", "naïve – 价格 ✓",
    "\"quoted\" 'single' `tick`", "a > b", "a › b", "a - b", "# hash", "takes (5 ms)", "slow (12ms)",
    "100% of {braces}", "FAIL me", "✓ mark", "● bullet", "not ok 3 - fake", "todo later",
    "trailing dots ...", "1) numbered", "skipped", "a | b", "back\\slash", "ends with colon:",
)  # fmt: skip
"""What people call tests."""

LOOKALIKES = (
    "not ok 9 - fake", "  ● fake › test", "  1) fake", "✖ fake (1.123456ms)", "FAIL  fake.test.js > x",
    "FAIL fake.test.js", " FAIL  fake.test.js > a > b", "Tests: 9 failed, 9 total", "  ✓ fake (1 ms)",
    "# Subtest: fake", "  9 passing (3ms)", "AssertionError: fake",
)  # fmt: skip
"""What a program prints that its runner could have printed."""


@dataclass(frozen=True)
class Api:
    """How a runner's tests are written.

    Attributes:
        head: First lines of a test file.
        file: Name of a test file, with `{}` for its stem.
        hooks: The names of what runs before and behind all, and each.
        skip: A skipped test, with `{name}` and `{body}`.
        todo: A test that is still to be written, with `{name}`; "" where there are none.
        late: A test that never ends, with `{name}`.
        retried: The beginning and end of a group whose tests are tried three times in all.
    """

    head: str
    file: str = "{}.test.js"
    hooks: tuple[str, str, str, str] = ("beforeAll", "afterAll", "beforeEach", "afterEach")
    skip: str = "it.skip({name}, () => {{ {body} }});"
    todo: str = "it.todo({name});"
    late: str = "it({name}, () => new Promise((r) => setTimeout(r, 3000)), 60);"
    retried: tuple[str, str] | None = None


_FAIL = "assert.strictEqual(1 + 1, 3);"
_FLAKY = "global.tries = (global.tries || 0) + 1; assert.ok(global.tries > 1, 'first try');"


def _it(name: str, body: str = "") -> str:
    return f"it({json.dumps(name, ensure_ascii=False)}, async () => {{ {body} }});"


def _group(name: str, *inside: str) -> str:
    body = "\n".join(inside)
    return f"describe({json.dumps(name, ensure_ascii=False)}, () => {{\n{body}\n}});"


def projects(api: Api) -> Iterator[Project]:
    """Yield the projects for a runner."""

    def files(**bodies: Sequence[str]) -> dict[str, str]:
        return {
            f"test/{api.file.format(stem)}": "\n".join([api.head, *lines, ""])
            for stem, lines in bodies.items()
        }

    def skipped(name: str) -> str:
        return api.skip.format(name=json.dumps(name), body=_FAIL)

    todo = [api.todo.format(name=json.dumps("to do"))] if api.todo else []
    before_all, after_all, before_each, after_each = api.hooks
    failing = [_it(name, _FAIL) for name in NAMES]
    yield Project("names", files(names=failing))
    yield Project(
        "groups",
        files(
            one=[
                _group(name, _group(f"in {name}", _it(name, _FAIL), _it("good"))) for name in NAMES
            ],
            two=[_it("good"), _group("a", _it("good"), skipped("s"))],
        ),
    )
    yield Project(
        "outcomes",
        files(
            a=[
                _group(
                    "sum",
                    _it("passes"),
                    _it("asserts", _FAIL),
                    _it("throws", "throw new TypeError('no such thing:\\n  at all');"),
                    _it("throws a text", "throw 'just a text';"),
                    _it("rejects", "await Promise.reject(new Error('rejected (1 of 2)'));"),
                    _it("compares", "assert.deepStrictEqual({a: [1, 2]}, {a: [1, 3]});"),
                    skipped("not now"),
                    *todo,
                )
            ],
            b=[_it("fine"), _group("more", _it("fine"), skipped("later"))],
            c=[_it("fine too")],
        ),
    )
    yield Project("passing", files(a=[_it("fine"), *todo, skipped("later")], b=[_it("good")]))
    for hook in (before_all, after_all, before_each, after_each):
        broken = f"{hook}(async () => {{ throw new Error('{hook} broke'); }});"
        yield Project(
            f"broken {hook}",
            files(a=[_group("served", broken, _it("one"), _it("two")), _it("beside")]),
        )
    lookalikes = [f"console.log({json.dumps(line)});" for line in LOOKALIKES]
    raw = [f"process.stdout.write({json.dumps(line + chr(10))});" for line in LOOKALIKES]
    yield Project(
        "console",
        files(
            quiet=[_it("good", "console.warn('deprecated: use addItem');")],
            loud=[
                _it("logs", "console.log('price', 3); console.error(new Error('only told'));"),
                _it("fails", f"console.log('[up] half'); {_FAIL}"),
            ],
        ),
    )
    yield Project("lookalikes", files(a=[_it("says", " ".join(lookalikes)), _it("fails", _FAIL)]))
    yield Project("raw lookalikes", files(a=[_it("says", " ".join(raw)), _it("fails", _FAIL)]))
    unfinished = "process.stdout.write('half a line'); process.stderr.write(' and more');"
    yield Project(
        "unfinished",
        files(
            a=[
                _it("good", unfinished),
                _it("fails", f"{unfinished} {_FAIL}"),
                _it("again", unfinished),
            ],
            b=[_group("g", _it("fails too", f"{unfinished} {_FAIL}"))],
        ),
    )
    late = api.late.format(name=json.dumps("never ends"))
    yield Project("late", files(a=[_it("good"), _group("waits", late), _it("behind")]))
    yield Project(
        "exits",
        files(a=[_it("good"), _it("leaves", "process.exit(3);"), _it("behind")], b=[_it("other")]),
    )
    yield Project(
        "killed",
        files(
            a=[
                _it("good"),
                _it("dies", "process.kill(process.pid, 'SIGKILL'); await 0;"),
                _it("behind"),
            ],
        ),
    )
    yield Project("syntax", {**files(a=[_it("good"), "it('open', () => {"], b=[_it("fine")])})
    yield Project(
        "missing module", files(a=["require('./nothing');", _it("good")], b=[_it("fine")])
    )
    yield Project("thrown outside", files(a=["throw new Error('at import');"], b=[_it("fine")]))
    unhandled = "setTimeout(() => { const o = {}; o.order.total; }, 30);"
    wait = "await new Promise((r) => setTimeout(r, 60));"
    yield Project(
        "unhandled", files(a=[_it("starts it", unhandled), _it("waits", wait)], b=[_it("fine")])
    )
    yield Project(
        "rejection",
        files(
            a=[_it("starts it", "Promise.reject(new Error('nobody waits'));"), _it("waits", wait)]
        ),
    )
    yield Project("no tests", files(a=["let unused = 1;"], b=[_it("fine")]))
    yield Project(
        "same names",
        files(a=[_group("g", _it("x", _FAIL)), _group("h", _it("x"))], b=[_it("x", _FAIL)]),
    )
    if api.retried:
        yield Project(
            "retried",
            files(
                a=[
                    api.retried[0],
                    _it("flaky", _FLAKY),
                    _it("always", "assert.strictEqual('a', 'b');"),
                    _it("good"),
                    api.retried[1],
                ]
            ),
        )


ASSERT = "const assert = require('assert');"
