// The TypeScript SDK's client, 1.x or 2.x, held open with its option listChanged. `URL ERA FOLDER`, the folder being the
// npm prefix that has it; see `observe.bench.client`. It lists once when it has connected, and holds what it was given.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [url, era, folder] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
let held = [];

const say = (said) => process.stdout.write(JSON.stringify(said) + "\n");
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);

function versionOf(name) {
  // `exports` may hide package.json, so that it is looked for above the module.
  for (let place = dirname(require.resolve(name)); place !== dirname(place); place = dirname(place)) {
    try {
      const told = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
      if (told.version) return told.version;
    } catch {}
  }
}

async function sdk() {
  try {
    const two = await load("@modelcontextprotocol/client");
    return { ...two, version: versionOf("@modelcontextprotocol/client") };
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
  }
  const one = await load("@modelcontextprotocol/sdk/client/index.js");
  const http = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
  return { ...one, ...http, version: versionOf("@modelcontextprotocol/sdk/client/index.js") };
}

const names = (tools) => tools.map((tool) => tool.name);

const found = await sdk();
say({ version: found.version });
const onChanged = (error, tools) => {
  if (tools) held = names(tools);
};
const options = { listChanged: { tools: { onChanged } } };
if (era !== "default") options.versionNegotiation = { mode: era === "modern" ? { pin: "2026-07-28" } : era };
const client = new found.Client({ name: "mcp-typescript", version: found.version ?? "0" }, options);
client.onerror = (error) => process.stderr.write(`${error}\n`);
await client.connect(new found.StreamableHTTPClientTransport(new URL(url)));
const list = async () => {
  try {
    held = names((await client.listTools()).tools);
  } catch (error) {
    process.stderr.write(`${error}\n`);
  }
};
await list();
say({ tools: held });
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === "list") await list();
  say({ tools: held });
}
await client.close();
process.exit(0);
