// Evaluate expressions as GitHub's own library does.
// stdin: {"contexts": {...}, "expressions": [...]}; stdout: one {"value": ...} or {"error": ...} for each.
import { readFileSync } from "node:fs";
import { Evaluator, Lexer, Parser, data } from "@actions/expressions";

const { contexts, expressions } = JSON.parse(readFileSync(0, "utf8"));
const seen = JSON.parse(JSON.stringify(contexts), data.reviver);
const status = { always: true, success: true, failure: false, cancelled: false };
const functions = Object.entries(status).map(([name, value]) => ({
  name,
  minArgs: 0,
  maxArgs: name === "always" || name === "cancelled" ? 0 : 255,
  call: () => new data.BooleanData(value),
}));

function plain(value) {
  switch (value.kind) {
    case data.Kind.Null:
      return null;
    case data.Kind.Array:
      return value.values().map(plain);
    case data.Kind.Dictionary:
      return Object.fromEntries(value.pairs().map((pair) => [pair.key, plain(pair.value)]));
    case data.Kind.Number:
      return Number.isFinite(value.value) ? value.value : { number: String(value.value) };
    default:
      return value.value;
  }
}

function result(text) {
  try {
    const tree = new Parser(new Lexer(text).lex().tokens, Object.keys(contexts), functions).parse();
    if (tree === undefined) return { error: "An expression was expected" };
    const called = new Map(functions.map((each) => [each.name, each]));
    return { value: plain(new Evaluator(tree, seen, called).evaluate()) };
  } catch (error) {
    return { error: error.message };
  }
}

process.stdout.write(JSON.stringify(expressions.map(result)));
