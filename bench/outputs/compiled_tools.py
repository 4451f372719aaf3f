"""go test, cargo test and cargo-nextest on small hard projects."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

from bench.outputs.javascript import NAMES
from bench.outputs.recording import TOO_LONG, Project, Recording, Told, folders

_GO_HEAD = 'package shop\n\nimport (\n\t"fmt"\n\t"os"\n\t"testing"\n\t"time"\n)\n\nvar _ = fmt.Sprint\nvar _ = os.Exit\nvar _ = time.Now\n\n'
_GO_MOD = "module example.com/shop\n\ngo 1.19\n"


def _go_projects() -> Iterator[Project]:
    def go(kind: str, body: str, *options: str, **more: str) -> Project:
        files = {"go.mod": _GO_MOD, "shop_test.go": _GO_HEAD + body}
        return Project(kind, {**files, **{f"{n}/x_test.go": t for n, t in more.items()}}, options)

    names = ", ".join(json.dumps(name, ensure_ascii=False) for name in NAMES)
    yield go(
        "names",
        f"func TestNames(t *testing.T) {{\n\tfor i, n := range []string{{{names}}} {{\n\t\tt.Run(n, func(t *testing.T) {{\n"
        '\t\t\tif i%2 == 0 { t.Errorf("got %d: want %q", i, n) }\n\t\t\tt.Run("deep", func(t *testing.T) { if i%3 == 0 { t.Fatal("no") } })\n\t\t})\n\t}\n}\n',
    )
    outcomes = (
        'func TestOk(t *testing.T) {}\nfunc TestLog(t *testing.T) { t.Log("a\\nb"); t.Error("first"); t.Error("second") }\n'
        'func TestSkip(t *testing.T) { t.Skip("later") }\nfunc TestSilent(t *testing.T) { t.Fail() }\n'
        'func TestGroup(t *testing.T) {\n\tt.Run("a", func(t *testing.T) { t.Parallel(); t.Error("in a") })\n\tt.Run("b", func(t *testing.T) { t.Parallel() })\n\tt.Run("s", func(t *testing.T) { t.Skip() })\n}\n'
        'func TestOwn(t *testing.T) {\n\tt.Run("ok", func(t *testing.T) {})\n\tt.Error("own")\n}\n'
    )
    yield go("outcomes", outcomes)
    yield go(
        "passing",
        'func TestOk(t *testing.T) { fmt.Print("half") }\nfunc TestS(t *testing.T) { t.Skip() }\n',
    )
    yield go(
        "panic",
        'func TestOk(t *testing.T) {}\nfunc TestPanic(t *testing.T) { var m map[string]int; m["a"] = 1 }\nfunc TestBehind(t *testing.T) { t.Error("never") }\n',
    )
    yield go(
        "panic in sub",
        'func TestPanic(t *testing.T) { t.Run("in it", func(t *testing.T) { panic("no: way") }) }\n',
    )
    yield go(
        "panic in goroutine",
        'func TestG(t *testing.T) { go func() { panic("loose") }(); time.Sleep(time.Second) }\n',
    )
    yield go(
        "exits",
        "func TestOk(t *testing.T) {}\nfunc TestLeaves(t *testing.T) { os.Exit(3) }\nfunc TestBehind(t *testing.T) {}\n",
    )
    yield go(
        "late",
        'func TestOk(t *testing.T) {}\nfunc TestLate(t *testing.T) { t.Run("waits", func(t *testing.T) { time.Sleep(time.Hour) }) }\n',
        "-timeout=300ms",
    )
    yield go(
        "main fails",
        'func TestMain(m *testing.M) { fmt.Println("no db"); os.Exit(1) }\nfunc TestOk(t *testing.T) {}\n',
    )
    yield go(
        "syntax",
        "func TestOk(t *testing.T) {\n",
        other='package other\nimport "testing"\nfunc TestB(t *testing.T) { t.Error("b") }\n',
    )
    yield go(
        "types",
        'func TestOk(t *testing.T) { var n int = "x"; _ = n }\n',
        other='package other\nimport "testing"\nfunc TestB(t *testing.T) {}\n',
    )
    yield go("vet", 'func TestOk(t *testing.T) { t.Errorf("%d", "x") }\n')
    yield go("packages", 'func TestA(t *testing.T) { t.Error("a") }\n',
             other='package other\nimport "testing"\nfunc TestA(t *testing.T) { t.Error("other: a") }\nfunc TestB(t *testing.T) {}\n',
             none="package none\n")  # fmt: skip
    lookalikes = (
        "--- FAIL: TestFake (0.00s)", "FAIL", "ok  \\tfake\\t0.1s", "--- PASS: TestFake (0.00s)", "=== RUN   TestFake",
        "panic: fake", "FAIL\\tfake\\t0.1s", "    --- FAIL: TestFake/x (0.00s)", "# fake",
    )  # fmt: skip
    said = " ".join(f'fmt.Println("{line}");' for line in lookalikes)
    logged = " ".join(f't.Log("{line}");' for line in lookalikes)
    yield go(
        "lookalikes logged",
        f'func TestA(t *testing.T) {{ {logged} t.Error("a") }}\nfunc TestB(t *testing.T) {{ {logged} }}\n',
    )
    yield go(
        "lookalikes",
        f'func TestA(t *testing.T) {{ {said} t.Error("a") }}\nfunc TestB(t *testing.T) {{ {said} }}\n',
    )
    yield go(
        "unfinished",
        'func TestA(t *testing.T) { fmt.Print("half"); t.Error("a") }\nfunc TestB(t *testing.T) { fmt.Print("x: 3") }\nfunc TestC(t *testing.T) { t.Run("d e", func(t *testing.T) { fmt.Print("half"); t.Error("d") }) }\nfunc TestD(t *testing.T) { fmt.Print("half"); t.Skip() }\nfunc TestE(t *testing.T) { fmt.Fprint(os.Stderr, "half") }\n',
    )


def go(home: Path, version: str) -> Iterator[Recording]:
    """Run go test as text and as events; its report are the events."""
    with tempfile.TemporaryDirectory(prefix="outputs-of-go-") as cache:
        yield from _go(home, version, cache)


def _go(home: Path, version: str, cache: str) -> Iterator[Recording]:
    program = home / "lib/python3.11/site-packages/go/bin/go"
    candidates = [
        home / "usr/lib/go-1.19/bin/go",
        *home.glob("lib/python*/site-packages/go/bin/go"),
        home / "bin/go",
    ]
    program = next(path for path in candidates if path.exists())
    environment = {
        "GOFLAGS": "-mod=mod",
        "GOCACHE": cache,
        "GOTOOLCHAIN": "local",
        "GONOSUMDB": "*",
        "GOPROXY": "off",
    }
    forms = {"default": (), "verbose": ("-v",), "no vet": ("-vet=off",)}
    for project, folder in folders(list(_go_projects()), {}):
        command = (str(program), "test", "-p=1", *project.options)
        events, status = folder.run(*command, "-json", "./...", **environment)
        if status == TOO_LONG:
            continue
        told = _of_events(events, "vet" if project.kind == "vet" else "build")
        yield Recording("go", version, project.kind, "json", events, status, told)
        noisy = f"go test -json ./...\ngo: downloading example.com/help v1.2.0\n{events}make: *** [Makefile:2: test] Error 1\n"
        yield Recording("go", version, project.kind, "json behind make", noisy, status, told)
        for form, options in forms.items():
            if form == "no vet" and project.kind == "vet":
                continue
            output, status = folder.run(*command, *options, "./...", **environment)
            yield Recording("go", version, project.kind, form, output, status, told)


def _of_events(text: str, tool: str) -> Told:
    ends: dict[str, dict[str, str]] = {"fail": {}, "pass": {}, "skip": {}}
    running: dict[str, str] = {}
    builds = set[str]()
    for line in text.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            event = {"Action": "output", "Output": line}
        action, test = event.get("Action"), event.get("Test")
        said = event.get("Output", "")
        place = r"(?:vet: )?(?:\./)?(?P<file>[^\s:]+\.go):(?P<line>\d+):(?:\d+:)? "
        if not test and (match := re.match(place, said)):
            builds.add(f"{match['file']}:{match['line']}: {tool}")
        if test:
            name = f"{event['Package']}.{test}"
            if action == "run":
                running[name] = test
            if action in ends:
                ends[action][name] = test
                running.pop(name, None)
    failing = {n for n in ends["fail"] if not any(o.startswith(f"{n}/") for o in ends["fail"])}
    failing |= {n for n in running if not any(o.startswith(f"{n}/") for o in running)}
    return Told(
        frozenset(failing | builds), frozenset(ends["pass"]), frozenset(ends["skip"]),
    )  # fmt: skip


_RUST = """\
use std::process;

#[cfg(test)]
mod tests {
    #[test] fn good() {}
    #[test] fn wrong() { assert_eq!(1 + 1, 3, "said: {}", 1); }
    #[test] fn panics() { panic!("two\\nlines"); }
    #[test] fn errs() -> Result<(), String> { Err("no numbers".to_string()) }
    #[test] #[ignore] fn later() {}
    #[test] #[ignore = "why not"] fn reasoned() {}
    #[test] #[should_panic] fn should() {}
    #[test] #[should_panic(expected = "this")] fn should_this() { panic!("that"); }
    #[test] #[should_panic] fn does() { panic!("fine"); }
    mod deep { mod r#type { #[test] fn wrong() { assert!(false); } #[test] fn good() {} } }
    #[test] fn größe() { assert!(false, "naïve"); }
    #[test] fn unwraps() { let x: Option<i32> = None; x.unwrap(); }
}
"""
_RUST_LOUD = """\
#[cfg(test)]
mod tests {
    const SAID: &[&str] = &["test tests::fake ... FAILED", "---- tests::fake stdout ----", "failures:", "test result: FAILED. 0 passed; 9 failed; 0 ignored;", "    PASS [ 0.1s] x tests::fake", "  FAIL [   0.005s] x tests::fake", "thread 'x' panicked at src/fake.rs:1:1:"];
    #[test] fn a_says() { for s in SAID { println!("{s}"); } print!("half"); }
    #[test] fn b_fails() { for s in SAID { println!("{s}"); } print!("half"); assert!(false, "b"); }
    #[test] fn c_half() { print!("half"); panic!("c"); }
    #[test] fn d_err() { eprint!("half"); }
}
"""
_RUST_EXITS = """\
#[cfg(test)]
mod tests {
    #[test] fn a_good() {}
    #[test] fn b_leaves() { std::process::exit(3); }
    #[test] fn c_behind() {}
}
"""
_RUST_ABORTS = _RUST_EXITS.replace("std::process::exit(3)", "std::process::abort()")
_RUST_FLAKY = """\
#[cfg(test)]
mod tests {
    #[test] fn adds() {}
    #[test] fn rounds() { assert_eq!(2, 3); }
    #[test] fn waits() { let p = std::path::Path::new("flaky"); if !p.exists() { std::fs::write(p, "").unwrap(); panic!("first"); } }
    #[test] fn never_ends() { std::thread::sleep(std::time::Duration::from_secs(30)); }
}
"""


def cargo(home: Path, version: str) -> Iterator[Recording]:
    """Run test binaries that rustc makes; their report is libtest's JSON, which is not stable yet."""
    usr = home / "usr"
    rustc, environment = (
        str(usr / "bin/rustc"),
        {"LD_LIBRARY_PATH": f"{usr}/lib/x86_64-linux-gnu:{usr}/lib"},
    )
    if not usr.exists():
        rustc, environment = "rustc", {"HOME": "/root"}
    forms: dict[str, tuple[str, ...]] = {
        "default": (), "one thread": ("--test-threads=1",), "no capture": ("--nocapture", "--test-threads=1"),
        "terse": ("-q",), "shown": ("--show-output",), "colour": ("--color=always",),
    }  # fmt: skip
    texts = {
        "outcomes": _RUST,
        "lookalikes": _RUST_LOUD,
        "exits": _RUST_EXITS,
        "aborts": _RUST_ABORTS,
    }
    found = [Project(kind, {"src/lib.rs": text}) for kind, text in texts.items()]
    for project, folder in folders(found, {}):
        said, status = folder.run(
            rustc, "--test", "--edition=2021", "src/lib.rs", "-o", "tests-of-lib", **environment
        )
        if status:
            print("rustc failed", said[-500:])
            continue
        ends = project.kind in {"exits", "aborts"}
        report, _ = folder.run(
            "./tests-of-lib",
            "-Z",
            "unstable-options",
            "--format=json",
            *(("--test-threads=1",) if ends else ()),
            RUSTC_BOOTSTRAP="1",
            **environment,
        )
        told = _of_libtest(report)
        for form, options in forms.items():
            if form == "terse" or (ends and form not in {"one thread", "no capture"}):
                continue  # dots name no tests that pass; threads end in another order each time
            output, status = folder.run("./tests-of-lib", *options, **environment)
            yield Recording("cargo", version, project.kind, form, output, status, told)


def _of_libtest(text: str) -> Told:
    ends: dict[str, set[str]] = {"failed": set(), "ok": set(), "ignored": set()}
    started: list[str] = []
    for line in text.splitlines():
        for part in re.findall(r'\{ ?"type":.*?\}(?=\{|$)', line):
            try:
                event = json.loads(part)
            except ValueError:
                continue
            if event.get("type") == "test":
                if event["event"] == "started":
                    started.append(event["name"])
                elif event["event"] in ends:
                    ends[event["event"]].add(event["name"])
    running = {name for name in started if not any(name in names for names in ends.values())}
    return Told(
        frozenset(ends["failed"] | running), frozenset(ends["ok"]), frozenset(ends["ignored"])
    )


def nextest(home: Path, version: str) -> Iterator[Recording]:
    """Run cargo-nextest; its report is JUnit XML."""
    program = str(home / "bin/cargo-nextest")
    manifest = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'
    config = '[profile.default.junit]\npath = "junit.xml"\n[profile.default]\nfail-fast = false\nslow-timeout = { period = "2s", terminate-after = 1 }\n'
    texts = {
        "outcomes": _RUST,
        "lookalikes": _RUST_LOUD,
        "exits": _RUST_EXITS,
        "aborts": _RUST_ABORTS,
        "retries": _RUST_FLAKY,
    }
    found = [
        Project(
            kind,
            {
                "Cargo.toml": manifest,
                "src/lib.rs": text.replace("use std::process;\n", ""),
                ".config/nextest.toml": config,
            },
        )
        for kind, text in texts.items()
    ]
    forms: dict[str, tuple[str, ...]] = {
        "default": (), "colour": ("--color=always",), "all": ("--status-level=all",), "failing only": ("--status-level=fail",),
        "final": ("--failure-output=final",), "twice": ("--failure-output=immediate-final", "--success-output=immediate"),
        "no capture": ("--no-capture",), "fail fast": ("--fail-fast",), "retries": ("--retries=2",), "no indent": ("--no-output-indent",),
    }  # fmt: skip
    for project, folder in folders(found, {}):
        for form, options in forms.items():
            for left in ("flaky", "target/nextest/default/junit.xml"):
                (folder.path / left).unlink(missing_ok=True)
            output, status = folder.run(program, "nextest", "run", *options, HOME="/root")
            report = folder.text("target/nextest/default/junit.xml")
            if report:
                yield Recording(
                    "nextest", version, project.kind, form, output, status, _of_nextest(report)
                )


def _of_nextest(report: str) -> Told:
    failing, passed = set[str](), set[str]()
    for case in ET.fromstring(report).iter("testcase"):
        bad = case.find("failure") is not None or case.find("error") is not None
        (failing if bad else passed).add(case.get("name", ""))
    return Told(frozenset(failing), frozenset(passed), None, (len(passed), len(failing), -1))


_POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>org.example</groupId><artifactId>shop</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId>
<version>5.10.2</version><scope>test</scope></dependency></dependencies>
<build><plugins>
<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin>
<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-surefire-plugin</artifactId><version>VERSION</version></plugin>
</plugins></build></project>
"""
_JAVA = """\
package org.example;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.*;
"""
_JAVA_KINDS = {
    "outcomes": """class SumTest {
  @Test void good() {} @Test void adds() { assertEquals(5, 6, "a - b"); } @Test void explodes() { throw new IllegalStateException("no: way\\nat all"); }
  @Test @Disabled("later") void later() {} @Test void silent() { fail(); } @Test void assumed() { Assumptions.assumeTrue(false); }
  @Nested class Inner { @Test void deep() { assertTrue(false); } }
  @Test @DisplayName("adds two (2) numbers: a > b") void named() { fail("named"); } }""",
    "parameters": """class SumTest {
  @ParameterizedTest @ValueSource(strings = {"a", "b c", "d (e)"}) void each(String s) { assertEquals("a", s); }
  @ParameterizedTest @CsvSource({"1, 2", "3, 4"}) void two(int a, int b) { assertEquals(1, a); }
  @RepeatedTest(2) void again(RepetitionInfo i) { assertEquals(1, i.getCurrentRepetition()); } }""",
    "set-up": """class SumTest { @BeforeAll static void all() { throw new RuntimeException("no db"); } @Test void a() {} }
class OtherTest { @BeforeEach void each() { throw new RuntimeException("each"); } @Test void b() {} @Test void c() {} }
class LastTest { @AfterAll static void end() { throw new RuntimeException("end"); } @Test void d() {} }""",
    "exits": """class SumTest { @Test void a() { System.exit(3); } } class OtherTest { @Test void b() { fail("b"); } }""",
    "flaky": """class SumTest { static int n = 0; @Test void flaky() { assertTrue(n++ > 0); } @Test void always() { fail("always"); } @Test void good() {} }""",
    "console": """class SumTest { @Test void a() { System.out.print("half a line"); fail("a"); }
  @Test void b() { System.out.println("[ERROR] org.example.SumTest.fake -- Time elapsed: 0.01 s <<< FAILURE!x"); System.out.print("[ERROR] Tests run: 9, Failures: 9"); } }""",
}  # fmt: skip


def surefire(_home: Path, version: str) -> Iterator[Recording]:
    """Run Maven without a network; the reports are those that Surefire always writes."""
    forms: dict[str, tuple[str, ...]] = {
        "default": (),
        "full stacks": ("-DtrimStackTrace=false",),
    }
    found = []
    for kind, text in _JAVA_KINDS.items():
        classes = re.split(r"^(?=class )| (?=class \w+Test)", text, flags=re.MULTILINE)
        files = {
            f"src/test/java/org/example/{each.split()[1]}.java": _JAVA + each
            for each in classes
            if each.strip()
        }
        files["pom.xml"] = _POM.replace("VERSION", version)
        rerun = ("-Dsurefire.rerunFailingTestsCount=2",) if kind == "flaky" else ()
        found.append(Project(kind, files, rerun))
    for project, folder in folders(found, {}):
        for form, options in forms.items():
            output, status = folder.run(
                "mvn", "-o", "-B", *options, *project.options, "test", HOME="/root"
            )
            told = _of_surefire(sorted((folder.path / "target/surefire-reports").glob("*.xml")))
            yield Recording("surefire", version, project.kind, form, output, status, told)


def _of_surefire(reports: list[Path]) -> Told:
    failing, passed, skipped = set[str](), set[str](), set[str]()
    for report in reports:
        for case in ET.fromstring(report.read_text()).iter("testcase"):
            name = "::".join(filter(None, (case.get("classname"), case.get("name"))))
            kinds = {element.tag for element in case}
            bad = kinds & {"failure", "error"}
            (failing if bad else skipped if "skipped" in kinds else passed).add(name)
    return Told(frozenset(failing), frozenset(passed), frozenset(skipped))
