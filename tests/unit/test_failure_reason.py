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


@pytest.mark.parametrize(
    ("output", "said"),
    [
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
