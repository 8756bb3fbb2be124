// Runs of the AI SDK with governed tools, by name (`many streamed`), one after the other; each prints one JSON object of
// what the model was told and of what ran.
import { Client } from "@assent/client";
import { governTools } from "@assent/client/ai";
import { generateText, streamText, tool } from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { z } from "zod";

let ran = [];
const SECRET = "hunter2-hunter2";

const look = tool({
  description: "Read something.",
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => {
    ran.push(`look ${path}`);
    return `contents of ${path}`;
  },
});
const wipe = tool({
  description: "Delete everything.",
  inputSchema: z.object({ host: z.string(), password: z.string() }),
  execute: ({ host }) => {
    ran.push(`wipe ${host}`);
    return "wiped";
  },
});
const pay = tool({
  description: "Pay something.",
  inputSchema: z.object({ amount: z.number() }),
  execute: async ({ amount }) => {
    ran.push(`pay ${amount}`);
    return { paid: amount };
  },
});
const broken = tool({
  inputSchema: z.object({}),
  execute: () => {
    throw new RangeError("the printer is on fire");
  },
});
const steps = tool({
  description: "Says how far it is.",
  inputSchema: z.object({ word: z.string() }),
  async *execute({ word }, { toolCallId }) {
    yield "begun";
    ran.push(`steps ${word} of ${toolCallId}`);
    yield `done ${word}`;
  },
});
const remote = {
  description: "A tool of an MCP server.",
  inputSchema: z.object({}),
  execute: async () => ({ content: [{ type: "text", text: "no such channel" }], isError: true }),
};

const ALL = { look, wipe, pay, broken, steps, remote };
const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** One turn of calls; what a name has behind its dash is part of its id alone. */
function called(...calls) {
  return calls.map(([name, input]) => ({
    ...{ type: "tool-call", toolCallId: `c-${name}`, toolName: name.split("-")[0] },
    input: JSON.stringify(input),
  }));
}

function scripted(...turns) {
  const script = [...turns, [{ type: "text", text: "done" }]];
  const finish = (content) => ({ unified: content[0].type === "text" ? "stop" : "tool-calls", raw: undefined });
  return new MockLanguageModelV3({
    doGenerate: async () => {
      const content = script.shift();
      return { content, finishReason: finish(content), usage: USAGE, warnings: [] };
    },
    doStream: async () => {
      const content = script.shift();
      const parts = content.flatMap((each) =>
        each.type === "text"
          ? [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: each.text }, { type: "text-end", id: "t" }]
          : [each],
      );
      const chunks = [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason: finish(content), usage: USAGE }];
      return { stream: simulateReadableStream({ chunks }) };
    },
  });
}

const run = (model, tools, more = {}) => ({ model, tools, prompt: "go", stopWhen: ({ steps: taken }) => taken.length > 4, ...more });

/** What the model was told of each call, and as what. */
function told(messages) {
  const parts = messages.filter((each) => each.role === "tool").flatMap((each) => each.content);
  return Object.fromEntries(parts.map((each) => [each.toolCallId, [each.output.value, each.output.type]]));
}

const MANY = called(
  ["look", { path: "a.txt" }],
  ["wipe", { host: "db-1", password: SECRET }],
  ["pay-5", { amount: 5 }],
  ["pay-7", { amount: 7 }],
  ["broken", {}],
  ["steps", { word: "x" }],
  ["remote", {}],
);

const STORIES = {
  /** Many calls in one step; two of them wait. */
  async many() {
    const { response, text } = await generateText(run(scripted(MANY), governTools(ALL)));
    return { told: told(response.messages), text };
  },

  /** The same as a stream. */
  async streamed() {
    const result = streamText(run(scripted(called(["look", { path: "b.txt" }], ["steps", { word: "y" }], ["wipe", { host: "db-2", password: SECRET }])), governTools(ALL)));
    const kinds = [];
    for await (const part of result.stream ?? result.fullStream) if (part.type.startsWith("tool-") && part.toolCallId && !part.type.startsWith("tool-input")) kinds.push(part.type);
    return { told: told((await result.response).messages), kinds: kinds.sort() };
  },

  /** A call that waits is stopped with its run, and its question is taken back. */
  async stopped() {
    const stop = new AbortController();
    const model = scripted(called(["pay-5", { amount: 5 }]));
    const going = generateText(run(model, governTools(ALL), { abortSignal: stop.signal }));
    setTimeout(() => stop.abort(new Error("nobody wants it")), 1500);
    return going.then(() => ({ raised: null }), (error) => ({ raised: String(error) }));
  },

  /** Nobody decides in time. */
  async short() {
    const tools = governTools(ALL, { approvalTimeout: 200, client: new Client({ say: () => {} }), fields: { session_id: "ticket 1" } });
    const { response } = await generateText(run(scripted(called(["pay-5", { amount: 5 }])), tools));
    return { told: told(response.messages) };
  },

  /** What is not taken, and what stays as it was. */
  async mistakes() {
    const errors = [];
    for (const make of [() => governTools({ hosted: { type: "provider", id: "x.search" } }), () => governTools(governTools({ look }))])
      try {
        make();
      } catch (error) {
        errors.push(`${error.name}: ${error.message}`);
      }
    const governed = governTools({ look });
    const same = governed.look !== look && governed.look.inputSchema === look.inputSchema && governed.look.description === look.description;
    const { response } = await generateText(run(scripted(called(["look", { path: "free" }])), { look }));
    return { errors, same, told: told(response.messages) };
  },
};

for (const name of process.argv.slice(2)) {
  ran = [];
  const said = await STORIES[name]();
  console.log(JSON.stringify({ ...said, ran: ran.sort() }));
}
