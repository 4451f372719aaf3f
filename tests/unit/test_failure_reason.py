"""What a person reads of a failed test: the values that were compared, as its runner printed them."""

from __future__ import annotations

import pytest

from bot.ci.failures.registry import read
from bot.reporting.failure_reason import reason

NODE = """\
TAP version 13
not ok 1 - adds
  ---
  duration_ms: 2.012139
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:

    2 !== 3

  code: 'ERR_ASSERTION'
  expected: 3
  actual: 2
  ...
1..1
# tests 1
# fail 1
"""
JEST = """\
FAIL ./sum.test.js
  ✕ adds (3 ms)

  ● adds

    expect(received).toBe(expected) // Object.is equality

    Expected: 3
    Received: 2

      1 | const sum = require('./sum');
    > 3 |   expect(sum(1, 1)).toBe(3);
        |                     ^

      at Object.toBe (sum.test.js:3:21)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 total
"""
TESTIFY = """\
=== RUN   TestAdd
    add_test.go:12:\x20
        \tError Trace:\t/app/add_test.go:12
        \tError:      \tNot equal:\x20
        \t            \texpected: 3
        \t            \tactual  : 2
--- FAIL: TestAdd (0.00s)
FAIL
FAIL\texample.com/app\t0.002s
"""
GO = """\
=== RUN   TestAdd
    add_test.go:9: Add(1, 1) = 2, want 3
--- FAIL: TestAdd (0.00s)
FAIL
FAIL\texample.com/app\t0.002s
"""
RUST = """\
running 1 test
test tests::adds ... FAILED

failures:

---- tests::adds stdout ----

thread 'tests::adds' panicked at src/lib.rs:9:9:
assertion `left == right` failed
  left: 2
 right: 3

failures:
    tests::adds

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""


NODE_SPEC = """\
✖ failing tests:

test at a.test.js:2:1
✖ adds (1.2ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  2 !== 3

      at TestContext.<anonymous> (a.test.js:2:27)
      at Test.run (node:internal/test_runner/test:796:25) {
    generatedMessage: true,
    code: 'ERR_ASSERTION',
    actual: 2,
    expected: 3,
    operator: 'strictEqual'
  }
"""
NODE_DEEP = """\
TAP version 13
not ok 1 - deep
  ---
  error: |-
    Expected values to be strictly deep-equal:
    + actual - expected

      {
        b: [
          1,
    +     2
    -     3
        ]
      }
  code: 'ERR_ASSERTION'
  expected:
    b:
      0: 1
      1: 3
  actual:
    b:
      0: 1
      1: 2
  ...
1..1
# tests 1
# fail 1
"""
JEST_DEEP = JEST.replace(
    "Expected: 3\n    Received: 2",
    """\
- Expected  - 1
    + Received  + 1

      Object {
        "b": Array [
          1,
    -     3,
    +     2,
        ],
      }""",
)
JEST_LENGTH = JEST.replace(
    "Expected: 3\n    Received: 2",
    "Expected length: 3\n    Received length: 2\n    Received array:  [1, 2]",
)
VITEST = """\
 FAIL  a.test.js > adds
AssertionError: expected 2 to be 3 // Object.is equality

- Expected
+ Received

- 3
+ 2

 \u276f a.test.js:2:30

 Test Files  1 failed (1)
      Tests  1 failed (1)
"""
MOCHA = """\
  1) adds

  0 passing (4ms)
  1 failing

  1) adds:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

2 !== 3

      + expected - actual

      -2
      +3
      \x20
      at Context.<anonymous> (a.js:2:24)
"""


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (
            NODE_SPEC,
            "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: expected 3, got 2",
        ),
        (NODE_DEEP, "Expected values to be strictly deep-equal: expected 3, got 2"),
        (JEST_DEEP, "expect(received).toBe(expected): expected 3, got 2"),
        (JEST_LENGTH, "expect(received).toBe(expected): expected 3, got 2"),
        (VITEST, "AssertionError: expected 2 to be 3"),
        (
            MOCHA,
            "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: expected 3, got 2",
        ),
        (NODE, "Expected values to be strictly equal: expected 3, got 2"),
        (JEST, "expect(received).toBe(expected): expected 3, got 2"),
        (TESTIFY, "expected 3, got 2"),
        (GO, "Add(1, 1) = 2, want 3"),
        (RUST, "assertion `left == right` failed: left is 2, right is 3"),
    ],
)
def test_the_values_are_said(output: str, said: str) -> None:
    """Each runner's own form; what has them in its message is left as it is."""
    [failure] = read(output).failing
    assert reason(failure) == said
