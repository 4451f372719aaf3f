// Read workflow and action files as GitHub's own library does.
// stdin: [{"name": ..., "text": ..., "action": true}, ...]; stdout: for each its errors, or what it says.
import { readFileSync } from "node:fs";
import { register } from "node:module";
import { FeatureFlags } from "@actions/expressions/features";

// The library imports JSON in the form that bundlers take.
const hook = `export const load = (url, context, next) =>
  next(url, url.endsWith(".json") ? { ...context, importAttributes: { type: "json" } } : context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import("@actions/workflow-parser");
const { TemplateContext, TemplateValidationErrors } = await import("@actions/workflow-parser/templates/template-context");
const { readTemplate } = await import("@actions/workflow-parser/templates/template-reader");
const { YamlObjectReader } = await import("@actions/workflow-parser/workflows/yaml-object-reader");
const { getActionSchema } = await import("@actions/workflow-parser/actions/action-schema");
const { convertActionTemplate } = await import("@actions/workflow-parser/actions/action-template");
const { getWorkflowSchema } = await import("@actions/workflow-parser/workflows/workflow-schema");

const featureFlags = new FeatureFlags({ all: true });
const options = { errorPolicy: 1, fetchReusableWorkflowDepth: 0, featureFlags };

function newContext(schema) {
  const context = new TemplateContext(new TemplateValidationErrors(), schema, new NoOperationTraceWriter());
  context.state.featureFlags = featureFlags;
  return context;
}

function plain(token) {
  if (token === undefined || token === null || typeof token !== "object") return token ?? null;
  if (Array.isArray(token)) return token.map(plain);
  switch (token.templateTokenType) {
    case 0: // string
    case 5: // boolean
      return token.value;
    case 6: // number
      return Number.isFinite(token.value) ? token.value : { number: String(token.value) };
    case 1: {
      const items = [];
      for (let n = 0; n < token.count; n++) items.push(plain(token.get(n)));
      return items;
    }
    case 2: {
      const pairs = [];
      for (let n = 0; n < token.count; n++) pairs.push([plain(token.get(n).key), plain(token.get(n).value)]);
      return { pairs };
    }
    case 3:
      return { expression: token.expression };
    case 4:
      return { insert: true };
    default:
      return null;
  }
}

function step(each) {
  const kind = ["run", "uses", "wait", "wait-all", "cancel", "parallel"].find((key) => each[key] !== undefined);
  return {
    kind,
    id: each.id,
    name: plain(each.name),
    if: plain(each.if),
    env: plain(each.env),
    "continue-on-error": plain(each["continue-on-error"]),
    [kind]: kind === "parallel" ? each.parallel.map(step) : plain(each[kind]),
  };
}

function job(each) {
  const found = { id: each.id.value, needs: plain(each.needs) ?? [] };
  for (const key of ["name", "if", "strategy", "outputs", "env", "runs-on", "container", "services"]) {
    found[key] = plain(each[key]);
  }
  if (each.type === "reusableWorkflowJob") {
    return { ...found, uses: each.ref.value, with: plain(each["input-values"]) };
  }
  return { ...found, steps: each.steps.map(step) };
}

// `action-root` is what the runner takes; what the library calls strict is what its editor asks for.
function action(name, text) {
  const context = newContext(getActionSchema());
  const file = context.getFileId(name);
  const reader = new YamlObjectReader(file, text);
  for (const each of reader.errors) context.error(file, each.message, each.range);
  const value = reader.errors.length ? undefined : readTemplate(context, "action-root", reader, file);
  const errors = context.errors.getErrors().map((each) => each.message);
  if (errors.length || value === undefined) return { errors };
  const { inputs = [], outputs = [], runs } = convertActionTemplate(context, value);
  return {
    errors: context.errors.getErrors().map((each) => each.message),
    using: runs.using,
    inputs: Object.fromEntries(inputs.map((each) => [each.id, plain(each.default)])),
    outputs: Object.fromEntries(outputs.map((each) => [each.id, plain(each.value)])),
    steps: (runs.steps ?? []).map(step),
  };
}

const answers = [];
for (const { name, text, action: isAction } of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    if (isAction) {
      answers.push(action(name, text));
      continue;
    }
    const { context, value } = parseWorkflow({ name, content: text }, newContext(getWorkflowSchema()));
    if (value === undefined) {
      answers.push({ errors: context.errors.getErrors().map((each) => each.message) });
      continue;
    }
    const template = await convertWorkflowTemplate(context, value, undefined, options);
    const errors = context.errors.getErrors().map((each) => each.message);
    const root = {};
    for (let n = 0; n < value.count; n++) root[plain(value.get(n).key)] = plain(value.get(n).value);
    const { on: events = null, env = null, defaults = null, name: title = null } = root;
    answers.push({ errors, events, env, defaults, name: title, jobs: (template.jobs ?? []).map(job), raw: root.jobs });
  } catch (error) {
    answers.push({ errors: [`crashed: ${error.message}`] });
  }
}
process.stdout.write(JSON.stringify(answers));
