// Run by Node with the TypeScript SDK 2.x in NODE_PATH: what its client lists of a server `COMMAND...` on stdio.

const { Client } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");

async function main([command, ...args]) {
  const client = new Client({ name: "mcp-typescript", version: "2" }, {});
  await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" }));
  const { tools } = await client.listTools();
  process.stdout.write(JSON.stringify({ names: tools.map((tool) => tool.name) }) + "\n");
  await client.close();
}

main(process.argv.slice(2));
