// The MCP client of the AI SDK, held open: `FOLDER URL`, the folder being the npm prefix that has it. See lines.py.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, url] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
const say = (said) => process.stdout.write(JSON.stringify(said) + "\n");
const told = JSON.parse(readFileSync(join(folder, "node_modules/@ai-sdk/mcp/package.json"), "utf8"));
say({ version: told.version });
const { createMCPClient } = await import(pathToFileURL(require.resolve("@ai-sdk/mcp")).href);
const client = await createMCPClient({ transport: { type: "http", url } });
let held = [];
const list = async () => {
  try {
    held = Object.keys(await client.tools());
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
