"""What a release of an npm package changed for a repository, and scripts that are written for it."""

from __future__ import annotations

import json

import pytest

from bot.model.culprit import ApiChange, ApiChangeKind
from bot.repair.culprit.api_difference import ApiQuestion, compare
from bot.repair.culprit.node_api import entry_points
from bot.repair.proposers.adapt.edits import adaptations, adapted

_OLD = {
    "package.json": json.dumps({"name": "moody", "main": "lib"}),
    "lib/index.js": """\
'use strict';
module.exports = moody;
function moody(text) { return text.trim(); }
moody.say = (text, server, key) => text;
moody.shout = require('./loud').shout;
/** @deprecated use {@link whisper} instead */
moody.hush = function (text) { return text.toLowerCase(); };
moody.pick = ({ from, many = 1 }) => from.slice(0, many);
class Mood {
  get score() { return 1; }
  name() { return ''; }
  set(server, key) { return key; }
}
moody.Mood = Mood;
""",
    "lib/loud.js": "exports.shout = void 0;\nexports.shout = (text) => text.toUpperCase();\n",
    "lib/old.js": "module.exports = function old(text) { return [...text].reverse().join('') + '!'; };\n",
}
_NEW = {
    "package.json": json.dumps(
        {"name": "moody", "exports": {".": "./index.js", "./loud": "./loud.js"}}
    ),
    "index.js": """\
"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.moody = function (text) { return text.trim(); };
exports.say = (text, { key } = {}) => text;
exports.whisper = function (text) { return text.toLowerCase(); };
exports.pick = ({ from, count = 1 }) => from.slice(0, count);
exports.older = function (text) { return [...text].reverse().join('') + '!'; };
class Mood {
  score() { return 1; }
  get name() { return ''; }
  set(key) { return key; }
}
exports.Mood = Mood;
""",
    "loud.js": "exports.shout = (text) => text.toUpperCase();\n",
}


def _changes(
    program: str, old: dict[str, str] = _OLD, new: dict[str, str] = _NEW
) -> tuple[ApiChange, ...]:
    question = ApiQuestion("moody", old, new, {"app.js": program}, frozenset(), "", is_npm=True)
    return compare(question).changes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "const mood = require('moody');\nmood('so merry');\n",
            "const { moody: mood } = require('moody');\nmood('so merry');\n",
        ),
        (
            "import mood from 'moody';\nmood('so merry');\n",
            "import { moody as mood } from 'moody';\nmood('so merry');\n",
        ),
        (
            "const { hush, pick } = require('moody');\nhush(x, { hush });\n",
            "const { whisper, pick } = require('moody');\nwhisper(x, { hush: whisper });\n",
        ),
        (
            "import { hush as h } from \"moody\";\nh('x');\n",
            "import { whisper as h } from \"moody\";\nh('x');\n",
        ),
        (
            "const moody = require('moody');\nmoody.hush('x');\n",
            "const moody = require('moody');\nmoody.whisper('x');\n",
        ),
        (
            "const { shout } = require('moody');\nshout('x');\n",
            "const { shout } = require('moody/loud');\nshout('x');\n",
        ),
        (
            "import { shout, pick } from 'moody';\nshout('x');\n",
            "import { pick } from 'moody';\nimport { shout } from 'moody/loud';\nshout('x');\n",
        ),
        (
            "const m = require('moody');\nm.shout('x');\n",
            "const m = require('moody');\nconst { shout } = require('moody/loud');\nshout('x');\n",
        ),
        (
            "const { pick } = require('moody');\npick({ from: 'x', many: 2 });\n",
            "const { pick } = require('moody');\npick({ from: 'x', count: 2 });\n",
        ),
        (
            "const { say } = require('moody');\nsay('x', server, key);\n",
            "const { say } = require('moody');\nsay('x', { key });\n",
        ),
        (
            "const a = mood.score;\nconst b = mood.score();\n",
            "const a = mood.score();\nconst b = mood.score();\n",
        ),
        ("const a = mood.name();\n", "const a = mood.name;\n"),
        ("mood.set(server, 'key');\n", "mood.set('key');\n"),
        (
            "const old = require('moody/lib/old');\nold('x');\n",
            "const { older: old } = require('moody');\nold('x');\n",
        ),
    ],
)
def test_a_script_follows_what_the_release_changed(before: str, after: str) -> None:
    """Both versions are read as they are installed; what else the program has stays byte by byte."""
    ways = adaptations(_changes(before), 9)
    assert after in [adapted("app.js", before, way, "moody") for way in ways]


@pytest.mark.parametrize(
    "program",
    [
        "const { say } = require('elsewhere');\nsay('x', server, key);\n",
        "const { pick } = require('moody');\npick({ from: 'x', ...rest });\n",
        "const { Mood } = require('moody');\nnew Mood();\n",
    ],
)
def test_what_is_not_met_is_not_told(program: str) -> None:
    """A difference counts only where the repository meets it."""
    assert not _changes(program)


def test_a_module_that_was_a_function_is_none_any_more() -> None:
    """Of CommonJS, too, where the whole module is what a default import gets."""
    old = {
        "package.json": "{}",
        "index.js": "module.exports = feeling;\nfunction feeling(text) {}\n",
    }
    new = {"package.json": "{}", "index.js": "exports.feeling = function (text) {};\n"}
    (change,) = _changes("const f = require('moody');\nf('x');\n", old, new)
    assert (change.kind, change.instead) == (ApiChangeKind.REMOVED, ("moody.feeling",))
    assert not _changes("import moody from 'moody';\nmoody.feeling('x');\n", new, new)


def test_what_cannot_be_read_may_offer_anything() -> None:
    """Nothing is called gone because a file says what it exports in a way that nobody reads here."""
    program = "const { hush } = require('moody');\nhush('x');\n"
    assert _changes(program)
    assert not _changes(
        program, new={**_NEW, "index.js": "module.exports = build(require('fs'));\n"}
    )
    assert not _changes(program, new={**_NEW, "index.js": "(function (a) { a.b = 1 })(this);\n"})


def test_types_tell_more_than_scripts() -> None:
    """Overloads, options in an interface, and what another file exports, from `.d.ts` of both versions."""
    old = {
        "package.json": json.dumps({"name": "moody", "types": "index.d.ts"}),
        "index.d.ts": "export * from './say';\nexport declare function feel(a: string): void;\n",
        "say.d.ts": "interface Options { loud?: boolean }\nexport declare function say(text: string, options?: Options): string;\n",
    }
    new = {**old, "say.d.ts": old["say.d.ts"].replace("loud", "isLoud")}
    new["index.d.ts"] += "export declare function feel(a: number): void;\n"
    program = "import { feel, say } from 'moody';\nfeel('x');\nsay('x', { loud: true });\n"
    (change,) = _changes(program, old, new)
    assert (change.kind, change.parameter, change.instead) == (
        ApiChangeKind.PARAMETER_RENAMED, "loud", ("isLoud",),
    )  # fmt: skip
    (way,) = adaptations([change], 9)
    assert "isLoud: true" in (adapted("app.ts", program, way, "moody") or "")


def test_entry_points_are_those_of_the_manifest() -> None:
    """Conditions and patterns of `exports`, else `main` and any file."""
    manifest = {
        "name": "m",
        "exports": {
            ".": {"types": "./t.d.ts", "import": "./a.mjs", "require": "./a.cjs"},
            "./parts/*": "./lib/*.js",
            "./package.json": "./package.json",
        },
    }
    files = {
        "package.json": json.dumps(manifest),
        "a.cjs": "",
        "a.mjs": "",
        "t.d.ts": "",
        "lib/x.js": "",
    }
    assert entry_points("m", files, (".js", ".cjs", ".mjs")) == {
        "m": "a.cjs",
        "m/parts/x": "lib/x.js",
    }
    assert entry_points("m", files, (".d.ts",)) == {"m": "t.d.ts"}
    plain = {"package.json": '{"main": "lib"}', "lib/index.js": "", "other.js": ""}
    said = entry_points("m", plain, (".js",))
    assert said["m"] == "lib/index.js"
    assert said["m/other"] == said["m/other.js"] == "other.js"
