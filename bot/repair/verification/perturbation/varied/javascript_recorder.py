"""What varied tests in JavaScript and TypeScript call: it notes what goes into the program and comes out."""

from __future__ import annotations

NAME = "__fixpoint"
"""Front of the names that a varied file brings; a random word behind it makes them its own."""

_RECORDER = r"""
function NAME() {
  if (NAME.kept) return NAME.kept;
  const settled = SETTLED;
  const most = 400, long = 20000, rounds = 2000;
  let own = null, busy = false, count = 0, until = 0;
  const named = (error) => {
    const name = (error && error.name) || typeof error;
    return name === 'Error' && error.constructor ? error.constructor.name : name;
  };
  // What reads the clock is nobody's answer: two runs in one millisecond would seem to agree on it.
  const clock = Date.now;
  const timed = (number) => [1, 1000].some((unit) => Math.abs(number * unit - clock()) < 60000);
  const told = (value, deep, above) => {
    if (value === null || value === undefined) return String(value);
    const kind = typeof value;
    if (kind === 'string') return JSON.stringify(value.slice(0, long));
    if (kind === 'bigint') return value + 'n';
    if (kind === 'number' && timed(value)) return 'now';
    if (kind === 'number') return Object.is(value, -0) ? '-0' : String(value);
    if (kind === 'function') return 'function ' + value.name;
    if (kind !== 'object') return String(value);
    if (deep < 1 || above.includes(value)) return '...';
    const inside = (one) => told(one, deep - 1, [...above, value]);
    if (value instanceof Error) return named(value) + ':' + value.message;
    if (Array.isArray(value)) return '[' + value.slice(0, 200).map(inside).join() + ']';
    if (value instanceof Date) return 'Date ' + (timed(+value) ? 'now' : +value);
    if (value instanceof RegExp) return String(value);
    if (value instanceof Map || value instanceof Set) {
      return value.constructor.name + inside([...value]);
    }
    const name = value.constructor ? value.constructor.name : '';
    const keys = Object.keys(value).slice(0, 200);
    return name + '{' + keys.map((key) => key + ':' + inside(value[key])).join() + '}';
  };
  const digest = (text) => {
    let a = 0xdeadbeef, b = 0x41c6ce57;
    for (let n = 0; n < text.length && n < long; n++) {
      const code = text.charCodeAt(n);
      a = Math.imul(a ^ code, 2654435761);
      b = Math.imul(b ^ code, 1597334677);
    }
    return (a >>> 0).toString(16) + '.' + (b >>> 0).toString(16);
  };
  const safe = (value) => {
    if (busy) return '';
    busy = true;
    try { return digest(told(value, 5, [])); } catch { return typeof value; }
    finally { busy = false; }
  };
  const note = (value) => {
    if (!own || own.out.length >= most || busy) return value;
    if (value && typeof value.then === 'function') {
      const record = own, at = record.out.push('pending') - 1;
      value.then(
        (one) => { record.out[at] = safe(one); },
        (error) => { record.out[at] = 'rejects ' + named(error); },
      );
      return value;
    }
    own.out.push(safe(value));
    return value;
  };
  const flush = () => {
    if (!own) return;
    const seen = Object.fromEntries(
      Object.entries(own.seen).map(([number, values]) => [number, [...values]]));
    const line = JSON.stringify({ ...own, seen });
    own = null;
    WRITE('PLACE', line + '\n');
  };
  NAME.kept = {
    begin(number) {
      flush();
      if (number >= 0) own = { number, in: [], out: [], seen: {} };
    },
    given(values) {
      if (own && own.in.length < most && !busy) own.in.push(safe(values));
      return values;
    },
    note,
    watched(run) {
      return function (...given) {
        try { return note(run.apply(this, given)); } catch (error) {
          if (own && own.out.length < most) own.out.push('throws ' + named(error));
          throw error;
        }
      };
    },
    raised(error) {
      const name = named(error);
      const asserts = name.includes('AssertionError') || (error && 'matcherResult' in Object(error));
      if (own && !asserts && own.out.length < most) own.out.push('throws ' + name);
    },
    again() {
      own = null;
      until = until || Date.now() + 400;
      return count++ < rounds && Date.now() < until;
    },
    // A `try` begins: a handler that is settled to be entered is, and what only shows whether it
    // throws is left out where that is settled.
    tried(number, probes) {
      const chosen = own && settled[own.number];
      if (chosen && number in chosen) {
        if (chosen[number]) throw new Error();
        return false;
      }
      if (own && !busy) own.seen[number] = own.seen[number] || new Set();
      if (own && !busy && probes) own.seen[number].add('false');
      return true;
    },
    caught(number) {
      if (own && !busy && own.seen[number]) own.seen[number].delete('false');
      if (own && !busy && own.seen[number]) own.seen[number].add('true');
    },
    asked(number, question, value, answer) {
      const chosen = own && settled[own.number];
      if (chosen && number in chosen) {
        if (question) try { question(); } catch { /* it may fail where it is not asked otherwise */ }
        return chosen[number];
      }
      const found = question ? question() : value;
      const plain = answer ? !!found : found;
      if (own && !busy && (plain === null || ['boolean', 'number', 'string'].includes(typeof plain))) {
        const values = (own.seen[number] = own.seen[number] || new Set());
        const text = JSON.stringify(plain);
        if (values.size < 8 && text.length < 200) values.add(text);
      }
      return found;
    },
  };
  if (SHARED) Object.defineProperty(globalThis, Symbol.for('NAME'), { value: NAME.kept });
  return NAME.kept;
}
"""
"""What it keeps is seen by programs that ask it for their conditions, and otherwise by none."""


def kept(name: str) -> str:
    """Return how a program finds what a recorder keeps."""
    return f"globalThis[Symbol.for('{name}')]"


def recorder(name: str, place: str, settled: str, *, is_module: bool, is_shared: bool) -> str:
    """Return the functions of a varied test file, to stand at its end.

    Args:
        name: Of the function that returns them.
        place: File in which each run of a test is noted, as a line of JSON.
        settled: What conditions of the program come to, by the number of the run, as JSON.
        is_module: Whether the file has imports and exports.
        is_shared: Whether programs ask it for their conditions.
    """
    write = f"{name}_write"
    source = f"const {write} = require('node:fs').appendFileSync;"
    if is_module:
        source = f"import {{ appendFileSync as {write} }} from 'node:fs';"
    body = (
        _RECORDER.replace("NAME", name)
        .replace("SHARED", "true" if is_shared else "false")
        .replace("SETTLED", settled)
        .replace("WRITE", write)
        .replace("PLACE", place)
    )
    if not is_module:  # a constant at the end of a file is not there yet when its tests begin
        source, body = "", body.replace(f"{write}(", "require('node:fs').appendFileSync(")
    return f"\n{source}{body}"
