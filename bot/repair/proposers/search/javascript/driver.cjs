// Runs in the sandbox with the project's own Node.js: which lines a command runs, and with which edits
// it passes. Reads a request and leaves an answer, both JSON; javascript/trials.py has their fields.
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { fileURLToPath } = require('node:url');

const MAX_COPY_BYTES = 100 * 2 ** 20;

/** Run a shell command; resolve to 'passes', 'fails' or 'slow', as of its exit status and its time. */
function run(command, folder, seconds, more = {}) {
  return new Promise((resolve) => {
    const options = { cwd: folder, detached: true, stdio: 'ignore', env: { ...process.env, ...more } };
    const child = spawn('sh', ['-c', command], options);
    let slow = false;
    const timer = setTimeout(() => {
      slow = true;
      stop(child);
    }, seconds * 1000);
    child.on('close', (code) => {
      clearTimeout(timer);
      stop(child); // what it left in the background
      resolve(slow ? 'slow' : code === 0 ? 'passes' : 'fails');
    });
    child.on('error', () => resolve('fails'));
  });
}

function stop(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

// Runners end their workers with a signal, and V8's coverage is written when a process ends by itself.
const WRITE_COVERAGE = `process.on('SIGTERM', () => {
  require('node:v8').takeCoverage();
  process.exit(143);
});
`;

/** What a command runs of the project: by file, the lines, or the functions where V8 saw other text. */
async function cover(request) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coverage-'));
  const hook = path.join(folder, 'hook.cjs');
  fs.writeFileSync(hook, WRITE_COVERAGE);
  const options = `${process.env.NODE_OPTIONS ?? ''} --require ${hook}`.trim();
  const more = { NODE_V8_COVERAGE: folder, NODE_OPTIONS: options };
  const status = await run(request.command, request.root, request.seconds, more);
  const seen = {};
  for (const name of fs.readdirSync(folder).filter((file) => file.startsWith('coverage-'))) {
    let report;
    try {
      report = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));
    } catch {
      continue; // a process that was killed while it wrote
    }
    for (const script of report.result ?? []) look(script, request.root, seen);
  }
  fs.rmSync(folder, { recursive: true, force: true });
  return { status, files: seen };
}

function look(script, root, seen) {
  const file = fileOf(script.url);
  if (file === undefined || !file.startsWith(root + path.sep)) return;
  const name = path.relative(root, file);
  if (name.split(path.sep).includes('node_modules')) return;
  let text;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch {
    return; // made for this run alone
  }
  const known = (seen[name] ??= { lines: [], functions: [] });
  const called = script.functions.filter((item) => item.functionName && item.ranges[0].count > 0);
  known.functions = [...new Set([...known.functions, ...called.map((item) => item.functionName)])];
  const whole = script.functions.find((item) => item.ranges[0].startOffset === 0);
  if (whole !== undefined && whole.ranges[0].endOffset === text.length) {
    known.lines = [...new Set([...known.lines, ...ran(text, script.functions)])].sort((a, b) => a - b);
  }
}

function fileOf(url) {
  try {
    return url.startsWith('file:') ? fileURLToPath(url) : path.isAbsolute(url) ? url : undefined;
  } catch {
    return undefined;
  }
}

/** The lines, from 1, of which something ran: an inner range says more than the one around it. */
function ran(text, functions) {
  const counts = new Int32Array(text.length).fill(-1);
  const ranges = functions.flatMap((item) => item.ranges);
  ranges.sort((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset));
  for (const range of ranges) counts.fill(range.count, range.startOffset, range.endOffset);
  const lines = [];
  let line = 1;
  let found = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\n') {
      if (found) lines.push(line);
      line++;
      found = false;
    } else if (counts[at] > 0 && text[at].trim() !== '') {
      found = true;
    }
  }
  if (found) lines.push(line);
  return lines;
}

/** Put back the file that an edit was tried in, also one of a driver that was killed over it. */
function putBack(note) {
  const { place, text } = JSON.parse(fs.readFileSync(note, 'utf8'));
  fs.writeFileSync(place, Buffer.from(text, 'base64'));
  fs.rmSync(note);
}

/** Try edits in the given order, in the tree and in copies of it: until the time is over, or `more` behind the first that passes. */
async function trials(request, to) {
  const folders = places(request.root, request.workers, path.dirname(to));
  const end = Date.now() + request.seconds * 1000;
  const results = {};
  const queue = [...request.candidates];
  let left = Infinity;
  async function work(folder) {
    while (queue.length > 0 && left > 0 && Date.now() < end) {
      left--;
      const [number, file, start, stop, text] = queue.shift();
      const place = path.join(folder, file);
      const before = fs.readFileSync(place);
      const after = Buffer.concat([before.subarray(0, start), Buffer.from(text), before.subarray(stop)]);
      const note = `${to}.${folders.indexOf(folder)}`;
      fs.writeFileSync(note, JSON.stringify({ place, text: before.toString('base64') }));
      fs.writeFileSync(place, after);
      results[number] = await run(request.command, folder, request.limit);
      if (results[number] === 'passes') left = Math.min(left, request.more);
      putBack(note);
    }
  }
  await Promise.all(folders.map(work));
  return { results, workers: folders.length };
}

/** The tree, and copies with the same packages: a package that is a part of the tree allows none. */
function places(root, workers, beside) {
  const folders = [root];
  for (let n = 1; n < Math.min(workers, os.cpus().length); n++) {
    const copy = path.join(beside, `copy-${n}`);
    if (!fs.existsSync(copy) && !copied(root, copy)) break;
    folders.push(copy);
  }
  return folders;
}

function copied(root, copy) {
  let bytes = 0;
  let linked = false;
  const part = `${copy}.part`;
  fs.rmSync(part, { recursive: true, force: true });
  try {
    fs.cpSync(root, part, {
      recursive: true,
      verbatimSymlinks: true,
      filter(from) {
        const name = path.basename(from);
        if (name === '.git') return false;
        const stat = fs.lstatSync(from);
        if (name === 'node_modules' && stat.isDirectory()) {
          linked ||= leadsInto(from, root);
          const to = path.join(part, path.relative(root, from));
          fs.mkdirSync(path.dirname(to), { recursive: true });
          fs.symlinkSync(from, to);
          return false;
        }
        bytes += stat.size;
        if (bytes > MAX_COPY_BYTES) throw new Error('too large');
        return true;
      },
    });
  } catch {
    linked = true;
  }
  if (linked) {
    fs.rmSync(part, { recursive: true, force: true });
    return false;
  }
  fs.renameSync(part, copy);
  return true;
}

/** Whether packages are links into the project's own tree, as workspaces are. */
function leadsInto(packages, root) {
  return fs
    .readdirSync(packages, { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory() && entry.name.startsWith('@')
        ? fs.readdirSync(path.join(packages, entry.name)).map((name) => path.join(entry.name, name))
        : [entry.name],
    )
    .some((name) => {
      const real = fs.realpathSync(path.join(packages, name));
      return real.startsWith(root + path.sep) && !real.startsWith(packages + path.sep);
    });
}

async function main() {
  const [, , from, to] = process.argv;
  const request = JSON.parse(fs.readFileSync(from, 'utf8'));
  const began = Date.now();
  const left = fs.readdirSync(path.dirname(to)).filter((name) => name.startsWith(`${path.basename(to)}.`));
  for (const name of left) putBack(path.join(path.dirname(to), name));
  const answer = request.act === 'cover' ? await cover(request) : await trials(request, to);
  answer.seconds = (Date.now() - began) / 1000;
  fs.writeFileSync(to, JSON.stringify(answer));
}

main();
