// One client of the TypeScript SDK, v1 or v2, does everything that it can with a server.
//
// Reads a job as JSON from standard input, writes what it got as JSON:
//   sdk        "v1" (@modelcontextprotocol/sdk) or "v2" (@modelcontextprotocol/client)
//   era        "legacy" or "modern" (only v2 knows 2026-07-28)
//   transport  "http", "sse" or "stdio"; with `url`, or with `command` and `args`
//   calls      arguments by name of tool
//   wrong      [name, arguments] of a call that fails
//   watch      URI of a resource whose updates are awaited; absent if nobody tells them

import { text } from "node:stream/consumers";

const UPDATED = "notifications/resources/updated";
const AWAITED = 3;
const PATIENCE = 30_000;

const job = JSON.parse(await text(process.stdin));
const client = await (job.sdk === "v1" ? connectV1(job) : connectV2(job));
process.stdout.write(JSON.stringify(await use(client, job)));
await client.close();

async function connectV1({ transport, url, command, args }) {
  const sdk = "@modelcontextprotocol/sdk";
  const { Client } = await import(`${sdk}/client/index.js`);
  const { ResourceUpdatedNotificationSchema } = await import(`${sdk}/types.js`);
  const transports = {
    http: async () => {
      const module = await import(`${sdk}/client/streamableHttp.js`);
      return new module.StreamableHTTPClientTransport(new URL(url));
    },
    sse: async () => {
      const module = await import(`${sdk}/client/sse.js`);
      return new module.SSEClientTransport(new URL(url));
    },
    stdio: async () => {
      const module = await import(`${sdk}/client/stdio.js`);
      const environment = { ...process.env };
      return new module.StdioClientTransport({ command, args, env: environment });
    },
  };
  const client = new Client({ name: "typescript-v1", version: "1" });
  const open = await transports[transport]();
  await client.connect(open);
  return Object.assign(client, {
    revision: () => open.protocolVersion ?? null,
    watch: async (uri, heard) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, heard);
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
  });
}

async function connectV2({ era, transport, url, command, args }) {
  const sdk = await import("@modelcontextprotocol/client");
  const transports = {
    http: async () => new sdk.StreamableHTTPClientTransport(new URL(url)),
    sse: async () => new sdk.SSEClientTransport(new URL(url)),
    stdio: async () => {
      const module = await import("@modelcontextprotocol/client/stdio");
      const environment = { ...process.env };
      return new module.StdioClientTransport({ command, args, env: environment });
    },
  };
  const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
  const client = new sdk.Client(
    { name: "typescript-v2", version: "2" },
    { versionNegotiation: { mode } },
  );
  await client.connect(await transports[transport]());
  return Object.assign(client, {
    revision: () => client.getNegotiatedProtocolVersion(),
    watch: async (uri, heard) => {
      client.setNotificationHandler(UPDATED, heard);
      if (era === "modern") {
        const listening = await client.listen({ resourceSubscriptions: [uri] });
        return () => listening.close();
      }
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
  });
}

async function use(client, { calls, wrong, watch }) {
  await somethingOfEveryKind(client);
  const { tools } = await client.listTools();
  const answers = {};
  for (const [name, values] of Object.entries(calls)) {
    answers[name] = await client.callTool({ name, arguments: values });
  }
  const [name, values] = wrong;
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const contents = {};
  for (const { uri } of resources) {
    contents[uri] = (await client.readResource({ uri })).contents;
  }
  for (const { uriTemplate } of resourceTemplates) {
    const uri = await firstMember(client, uriTemplate);
    contents[uriTemplate] = (await client.readResource({ uri })).contents;
  }
  const { prompts } = await client.listPrompts();
  const texts = {};
  for (const prompt of prompts) {
    texts[prompt.name] = (await client.getPrompt({ name: prompt.name })).messages;
  }
  return {
    revision: client.revision(),
    server: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    tools,
    answers,
    failure: await client.callTool({ name, arguments: values }),
    contents,
    prompts: texts,
    completed: await complete(client, "ref/prompt", "raise_coverage", "function", "with"),
    updates: watch ? await updates(client, watch) : [],
  };
}

async function somethingOfEveryKind(client) {
  // A server that was just started has neither a corpus nor a falsified property.
  // What happened early may have left the log, but not the resource.
  const uri = "echidna://campaign/events/PropertyFalsified";
  for (let found = []; found.length === 0; ) {
    const { contents } = await client.readResource({ uri });
    found = JSON.parse(contents[0].text).events;
  }
}

async function firstMember(client, template) {
  let uri = template;
  for (const [whole, variable] of template.matchAll(/\{(\w+)\}/g)) {
    const found = await complete(client, "ref/resource", template, variable, "");
    uri = uri.replace(whole, encodeURIComponent(found[0]));
  }
  return uri;
}

async function complete(client, type, of, name, value) {
  const ref = type === "ref/prompt" ? { type, name: of } : { type, uri: of };
  return (await client.complete({ ref, argument: { name, value } })).completion.values;
}

async function updates(client, uri) {
  const heard = [];
  let enough;
  let late;
  const awaited = new Promise((resolve, reject) => {
    enough = resolve;
    late = setTimeout(() => reject(new Error("no update came")), PATIENCE);
  });
  const leave = await client.watch(uri, ({ params }) => {
    heard.push(params.uri);
    if (heard.length === AWAITED) enough();
  });
  await awaited;
  clearTimeout(late);
  await leave();
  return heard.slice(0, AWAITED);
}
