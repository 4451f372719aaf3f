"""What code can do with a patch and could not do before: found in other words, and only if new."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from bot.code.change import FileDiff
from bot.code.languages import Language
from bot.model import GuardFinding, Severity
from bot.repair.guards.capabilities import capabilities
from bot.repair.guards.capability_table import table_of
from bot.repair.guards.examine import GuardEvidence, examine
from bot.reporting.reasons.guards import capability_added, protection_removed


def found(path: str, after: str, before: str = "") -> list[GuardFinding]:
    """Return the findings in one changed file."""
    return list(capabilities([FileDiff(path, before.encode(), after.encode())]))


def gained(path: str, after: str, before: str = "") -> set[str]:
    """Return what a changed file can newly do."""
    ids = (
        "processes", "network", "dynamic-code", "environment", "credentials", "outside-writes",
        "native-code", "surroundings", "endings", "clock", "unverified", "constant-time",
    )  # fmt: skip
    starts = {
        say(item, "").rpartition(":")[0]: item
        for item in ids
        for say in (
            [protection_removed] if item in {"unverified", "constant-time"} else [capability_added]
        )
    }
    return {
        name
        for finding in found(path, after, before)
        for start, name in starts.items()
        if finding.message.startswith(start)
    }


PYTHON = [
    ("import subprocess as sp\nsp.run(['x'])", "processes"),
    ("from subprocess import run as r\nr(['x'])", "processes"),
    ("from os import *\nsystem('x')", "processes"),
    ("import os\ngetattr(os, 'sys' + 'tem')('x')", "processes"),
    ("import os\nNAME = 'system'\ngetattr(os, NAME)('x')", "processes"),
    ("__import__('os').popen('x')", "processes"),
    ("import importlib as i\ni.import_module('sub' 'process').run(['x'])", "processes"),
    ("o = __import__('os')\np = o\nf = p.system", "processes"),
    ("import os\nvars(os)['system']('x')", "processes"),
    ("import os\nos.__dict__['sys\\x74em']('x')", "processes"),
    ("import sys\nsys.modules['os'].system('x')", "processes"),
    ("import sys\nsys.modules.get('os').system('x')", "processes"),
    ("import operator, os\noperator.attrgetter('system')(os)('x')", "processes"),
    ("def f():\n    import os as quiet\n    return map(quiet.system, ['x'])", "processes"),
    ("import socket\nsocket.socket().connect(('h', 1))", "network"),
    ("import urllib.request\nurllib.request.urlopen(url)", "network"),
    ("import requests\nwith requests.Session() as s: pass", "network"),
    ("eval('1')", "dynamic-code"),
    ("import builtins as b\nb.exec('1')", "dynamic-code"),
    ("__builtins__['eval']('1')", "dynamic-code"),
    ("def f():\n    return f.__globals__['__builtins__']['eval']('1')", "dynamic-code"),
    ("import importlib\nimportlib.import_module(name)", "dynamic-code"),
    ("import os\ngetattr(os, name)()", "dynamic-code"),
    ("().__class__.__base__.__subclasses__()", "dynamic-code"),
    ("import pickle\npickle.loads(data)", "dynamic-code"),
    ("import os\nos.environ['HOME']", "environment"),
    ("from os import getenv as g\ng('HOME')", "environment"),
    ("open('/proc/self/environ')", "environment"),
    ("open(home + '/.aws/credentials')", "credentials"),
    ("open('/etc/x', 'w')", "outside-writes"),
    ("PLACE = '/etc/x'\nopen(PLACE, mode='a')", "outside-writes"),
    ("open(f'/etc/{name}', 'wb')", "outside-writes"),
    ("from pathlib import Path\n(Path.home() / 'x').write_text('y')", "outside-writes"),
    ("from pathlib import Path\np = Path('/etc') / 'x'\np.write_text('y')", "outside-writes"),
    ("import os\nos.remove(os.path.expanduser('~/x'))", "outside-writes"),
    ("import shutil\nshutil.rmtree('../other')", "outside-writes"),
    ("import ctypes\nctypes.CDLL('x')", "native-code"),
    ("import os as o\no.getcwd()", "surroundings"),
    ("with open('/proc/self/cmdline') as f:\n    f.read()", "surroundings"),
    ("def f(error):\n    return error.__traceback__.tb_frame", "surroundings"),
    ("import os\nlist(map(os.path.exists, ['tests']))", "surroundings"),
    ("import logging\nlogging.getLogger().handlers", "surroundings"),
    ("from sys import stdout as s\ntype(s)", "surroundings"),
    ("import atexit as a\na.register(print)", "endings"),
    ("from threading import Thread\nThread(target=print).start()", "endings"),
    ("import time\ntime.monotonic()", "clock"),
    ("from ctypes import cdll as c\nc.LoadLibrary('x')", "native-code"),
    ("s.verify = False", "unverified"),
    ("get(url, verify=False)", "unverified"),
    ("off = False\nget(url, **{'verify': off})", "unverified"),
    ("setattr(s, 'verify', False)", "unverified"),
    ("import ssl as t\nc.verify_mode = t.CERT_NONE", "unverified"),
    ("from ssl import CERT_NONE as NO\nc.verify_mode = NO", "unverified"),
    ("decode(token, options={'verify_signature': False})", "unverified"),
    ("import hmac\nhmac.compare_digest = same", "constant-time"),
]
JAVASCRIPT = [
    ("import cp from 'child_process'; cp.exec('x')", "processes"),
    ("import * as cp from 'node:child_process'; cp.exec('x')", "processes"),
    ("import {exec as e} from 'child_process'; e('x')", "processes"),
    ("const {spawn: s} = require('child_process'); s('x')", "processes"),
    ("const c = require('child' + '_process'); c['spa' + 'wn']('x')", "processes"),
    ("(await import('child_process')).exec('x')", "processes"),
    ("process.mainModule.require('child_process').exec('x')", "processes"),
    ("fetch(url)", "network"),
    ("import {connect} from 'net'; connect(1)", "network"),
    ("eval('1')", "dynamic-code"),
    ("(0, eval)('1')", "dynamic-code"),
    ("globalThis['ev' + 'al']('1')", "dynamic-code"),
    ("new Function('a')()", "dynamic-code"),
    ("[].constructor.constructor('a')()", "dynamic-code"),
    ("require(name)", "dynamic-code"),
    ("process['env'].HOME", "environment"),
    ("import {env} from 'node:process'; use(env.HOME)", "environment"),
    ("read('/root/.ssh/id_rsa')", "credentials"),
    ("import fs from 'fs'; fs.writeFileSync('/etc/x', 'y')", "outside-writes"),
    ("process.dlopen(m, 'x')", "native-code"),
    ("if (process.argv[1].endsWith('x')) f()", "surroundings"),
    ("process.on('exit', () => { process.exitCode = 0 })", "endings"),
    ("if (Date.now() < 4e12) f()", "clock"),
    ("request({rejectUnauthorized: false})", "unverified"),
    ("options.rejectUnauthorized = !1", "unverified"),
    ("process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'", "unverified"),
]
GO = [
    ('import run "os/exec"\nfunc f() { run.Command("x") }', "processes"),
    ('import . "os/exec"\nfunc f() { Command("x") }', "processes"),
    ('import "net"\nfunc f() { dial := net.Dial; dial("tcp", "x") }', "network"),
    ('import "os"\nfunc f() { os.Getenv("x") }', "environment"),
    ('import "os"\nfunc f() { os.WriteFile("/etc/x", d, 0) }', "outside-writes"),
    ('import "C"\nfunc f() { C.x() }', "native-code"),
    ("var c = &tls.Config{InsecureSkipVerify: true}", "unverified"),
    ("func f() { c.InsecureSkipVerify = true }", "unverified"),
    ('import "golang.org/x/crypto/ssh"\nvar c = ssh.InsecureIgnoreHostKey()', "unverified"),
]
RUST = [
    ('use std::process::Command as C;\nfn f() { C::new("x"); }', "processes"),
    ('use std::{process as p};\nfn f() { p::Command::new("x"); }', "processes"),
    ('use std::process::*;\nfn f() { Command::new("x"); }', "processes"),
    ('fn f() { std::process::Command::new("x"); }', "processes"),
    ("use std::net::TcpStream;\nfn f() { TcpStream::connect(a); }", "network"),
    ('fn f() { println!("{:?}", std::env::var("x")); }', "environment"),
    ('use std::fs;\nfn f() { fs::write("/etc/x", "y"); }', "outside-writes"),
    ('extern "C" { fn x(); }', "native-code"),
    ("fn f() { b.danger_accept_invalid_certs(true); }", "unverified"),
]


@pytest.mark.parametrize(
    ("path", "after", "capability"),
    [("app.py", *pair) for pair in PYTHON]
    + [("app.ts", *pair) for pair in JAVASCRIPT]
    + [("app.mjs", *pair) for pair in JAVASCRIPT]
    + [("app.go", f"package app\n{after}", item) for after, item in GO]
    + [("app.rs", *pair) for pair in RUST],
)
def test_new_capabilities(path: str, after: str, capability: str) -> None:
    """Each is found however it is spelt; not in code that had it, and not in a test."""
    assert capability in gained(path, after)
    assert found(path, f"{after}\n", after) == []
    assert found(f"tests/test_{path}", after) == []


@pytest.mark.parametrize(
    ("path", "after"),
    [
        ("app.py", "def eval(text): return text\neval('1')"),
        ("app.py", "def f(exec):\n    return exec('1')"),
        ("app.py", "self.eval('1')\nmodel.compile()\nre.compile('x')"),
        ("app.py", "import subprocess\ntry: f()\nexcept subprocess.CalledProcessError: pass"),
        ("app.py", "import requests\ndef f(s: requests.Session) -> None: ..."),
        ("app.py", "open('/etc/hosts')\nopen('out.txt', 'w')\nopen(base + '/out', 'w')"),
        ("app.py", "path.write_text('/* nothing */')\n'/a'.replace('/', '')"),
        ("app.py", '"""Reads ~/.netrc."""\nsay("Put it in ~/.netrc")'),
        ("app.py", "get(url, verify=True)\nget(url, verify=check)\nload(verify)"),
        ("app.py", "import importlib\nimportlib.import_module('json')\ngetattr(thing, name)"),
        ("app.py", "from .requests import get\nget(1)"),
        ("app.py", "import hmac\nhmac.compare_digest(a, b)"),
        ("app.ts", "function fetch(url: string) {}\nfetch('x'); a.eval('1'); require('fs')"),
        ("app.ts", "import {fetch} from './mine'; fetch('x'); b({rejectUnauthorized: true})"),
        ("app.go", 'package app\nimport "fmt"\nfunc f() { fmt.Println(exec.Command) }'),
        ("app.rs", "use crate::process::Command;\nfn f() { Command::new(1); }"),
    ],
)
def test_honest_code(path: str, after: str) -> None:
    """What only looks like a capability is none."""
    assert found(path, after) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import hmac\nhmac.compare_digest(a, b)", "a == b"),
        ("import hmac\nhmac.compare_digest(a, b)", "import hmac\nhmac.compare_digest = f\na == b"),
        ("from hmac import compare_digest as c\nc(a, b)", "def c(a, b): return a == b\nc(a, b)"),
        (
            "from hmac import compare_digest as c\nc(a, b)",
            "from hmac import compare_digest as c\ndef c(a, b): return a == b\nc(a, b)",
        ),
        ("import secrets\nsecrets.compare_digest(a, b)\nf()", "import secrets\na == b\nf()"),
    ],
)
def test_protections_that_go(before: str, after: str) -> None:
    """A comparison in constant time is replaced; where it moves or stays, nothing is."""
    assert {finding.rule for finding in found("app.py", after, before)} == {"protection-removed"}
    assert found("app.py", f"x = 1\n{before}", before) == []
    moved = [
        FileDiff("old.py", before.encode(), None),
        FileDiff("new.py", None, before.encode()),
    ]
    assert list(capabilities(moved)) == []


def test_all_changed_files_count_together() -> None:
    """What moves to another file is nothing new, and neither is what another one could do."""
    code = b"import os\nos.system('x')\n"
    other = FileDiff("other.py", code, code + b"x = 1\n")
    assert list(capabilities([FileDiff("new.py", None, code), other])) == []
    assert list(capabilities([FileDiff("a.py", code, b""), FileDiff("b.py", b"", code)])) == []


@pytest.mark.parametrize(
    ("path", "before", "more"),
    [
        ("app.py", "import os\nos.getcwd()\n", "import sys\nsys._getframe()\n"),
        ("app.py", "import time\ntime.time()\n", "time.monotonic()\n"),
        ("app.py", "import atexit\natexit.register(f)\n", "import os\nos._exit(0)\n"),
        ("app.mjs", "const a = Date.now()\n", "const b = performance.now()\n"),
    ],
)
def test_another_way_to_the_same(path: str, before: str, more: str) -> None:
    """Who may ask for one thing about the process may not yet ask for all; once more is nothing."""
    (finding,) = found(path, before + more, before)
    assert finding.rule == "capability-added"
    assert "this is a new way" in finding.message
    assert found(path, before * 2 + "x = 1\n", before) == []


def test_words() -> None:
    """A finding needs a person, names the line that grants it, and comes once for each capability."""
    after = "import os\n\nos.system('a')\nos.system('b')\n"
    (finding,) = examine([FileDiff("app.py", b"import os\n", after.encode())], GuardEvidence())
    assert (finding.rule, finding.severity, finding.file, finding.line) == (
        "capability-added", Severity.NEEDS_PERSON, "app.py", 3,
    )  # fmt: skip
    assert finding.message == snapshot(
        "The changed files can now start processes, and could not before: os.system('a')"
    )


def test_tables() -> None:
    """Every language knows every capability, and every capability has its words."""
    first, *others = [
        [capability.id for capability in table_of(language).capabilities] for language in Language
    ]
    assert all(other == first for other in others)


@pytest.mark.parametrize("path", ["app.py", "app.ts", "app.go", "app.rs"])
@given(text=st.text(st.sampled_from("()[]{}.,:;='\"+ \nosimportgetattrx"), max_size=200))
def test_any_text(path: str, text: str) -> None:
    """What is no program is read without an error."""
    found(path, text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "a = " + "f(" * 5_000,
        "x" + ".a()" * 2_000,
        "y = 'a'" + " + 'b'" * 5_000,
        "a = a\n" * 9,
        "import json as a\n" + "a = a.x\na = a.y\n" * 200,
        "".join(f"s{n + 1} = s{n} + s{n}\n" for n in range(99)) + "s0 = 'a'\nf(s99)",
        "a = f(a).g(a)\nopen(a, 'w')\n" * 99,
    ],
)
def test_deep_text(text: str) -> None:
    """Neither depth nor circles end the reading."""
    assert found("app.py", text) == []
