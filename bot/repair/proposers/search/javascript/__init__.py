"""Search in programs of JavaScript and TypeScript: lines by V8's coverage, edits on their syntax, trials."""
