"""`fixpoint fix` on programs of JavaScript, without a model."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.flows.command_line import open_desk

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed")

PACKAGE = json.dumps({"name": "ranges", "version": "1.0.0", "scripts": {"test": "node --test"}})
SOURCE = """\
export function range(start, end) {
  const found = [];
  for (let n = start; n < end; n += 1) {
    found.push(n);
  }
  return found;
}
"""
TEST = """\
import assert from 'node:assert';
import test from 'node:test';
import { range } from '../lib/range.mjs';

test('counts to the end', () => assert.deepStrictEqual(range(1, 4), [1, 2, 3, 4]));
test('counts by halves', () => assert.deepStrictEqual(range(0.5, 2.4), [0.5, 1.5]));
test('is empty', () => assert.deepStrictEqual(range(3, 2), []));
"""
VAGUE = """\
import assert from 'node:assert';
import test from 'node:test';
import { range } from '../lib/range.mjs';

test('counts', () => assert.strictEqual(range(1, 4).length, 4));
"""


@pytest.mark.slow
async def test_a_fault_is_found_and_what_tests_do_not_tell_is_said(tmp_path: Path) -> None:
    """A patch that tests hold to is a fix; of several that pass, the likeliest is suggested."""
    files = {"package.json": PACKAGE, "lib/range.mjs": SOURCE, "test/range.test.mjs": TEST}
    async with open_desk(tmp_path, files=files) as desk:
        done = json.loads((await desk.fix("--proposers", "search", "--json")).out)
        assert done["verdict"] == "fixed", done
        assert "+  for (let n = start; n <= end; n += 1) {" in done["patch"]
    files["test/range.test.mjs"] = VAGUE
    async with open_desk(tmp_path / "vague", files=files) as desk:
        done = json.loads((await desk.fix("--proposers", "search", "--json")).out)
        [attempt] = done["attempts"]
        assert done["verdict"] == "suggested"
        assert attempt["assurance"]["witnesses"]["rivals"] > 0
