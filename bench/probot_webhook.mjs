// Probot with a handler that does nothing: it checks signatures, parses, and forgets.
// BENCH_SECRET, BENCH_KEY and BENCH_APP are its App's; prints its port.
import { createServer } from "node:http";
import { createNodeMiddleware, createProbot } from "probot";

const { BENCH_SECRET, BENCH_KEY, BENCH_APP } = process.env;
const probot = createProbot({
  overrides: { appId: BENCH_APP, privateKey: BENCH_KEY, secret: BENCH_SECRET, logLevel: "error" },
});
const app = (one) => { one.on("issue_comment.created", async () => {}); };
const middleware = await createNodeMiddleware(app, { probot, webhooksPath: "/webhook" });
const server = createServer(async (request, response) => {
  if (!(await middleware(request, response))) response.writeHead(404).end();
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
