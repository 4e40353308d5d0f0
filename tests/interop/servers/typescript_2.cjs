// An orchard on the TypeScript SDK 2.x: `stdio`, or `http` on a free port of loopback.
// CommonJS, because only that finds packages by NODE_PATH.

const { createServer } = require("node:http");
const { toNodeHandler } = require("@modelcontextprotocol/node");
const { McpServer, createMcpHandler } = require("@modelcontextprotocol/server");
const { serveStdio } = require("@modelcontextprotocol/server/stdio");
const { z } = require("zod");

function orchard() {
  const server = new McpServer({ name: "orchard on typescript 2", version: "4.0.2" }, { instructions: "Trees first." });
  server.registerTool(
    "pick_apples",
    {
      description: "Pick so many apples.",
      inputSchema: z.object({ count: z.number().int(), trees: z.array(z.string()).optional() }),
      annotations: { readOnlyHint: true },
    },
    async ({ count }) => ({ content: [{ type: "text", text: String(count) }] }),
  );
  server.registerTool(
    "prune_tree",
    { description: "Prune a tree.", inputSchema: z.object({ tree: z.string() }) },
    async ({ tree }) => ({ content: [{ type: "text", text: tree }] }),
  );
  if (process.env.ORCHARD_LATER) {
    server.registerTool(
      "press_cider",
      { description: "Press cider.", inputSchema: z.object({ litres: z.number() }) },
      async ({ litres }) => ({ content: [{ type: "text", text: String(litres) }] }),
    );
  }
  return server;
}

if (process.argv[2] === "stdio") {
  serveStdio(orchard);
} else {
  createServer(toNodeHandler(createMcpHandler(orchard))).listen(0, "127.0.0.1");
}
