// An agent of the AI SDK (Vercel) with governed tools. It runs offline, with a scripted model.
//
//     npm install ai zod ./assent-client-*.tgz
//     export ASSENT_API_KEY=...        # an agent's key, from `assent keys create`
//     node ai_sdk_example.mjs
//
// For a real model, give its name instead: `model: "anthropic/claude-sonnet-4.5"`.
import { governTools } from "@assent/client/ai";
import { generateText, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

const tools = governTools({
  look_up: tool({
    description: "What is to be paid.",
    inputSchema: z.object({ invoice: z.string() }),
    execute: ({ invoice }) => `invoice ${invoice}: 120 EUR to Example Ltd`,
  }),
  pay: tool({
    description: "Pay an invoice.",
    inputSchema: z.object({ invoice: z.string(), amount: z.number() }),
    execute: async ({ invoice, amount }) => `paid ${amount} EUR for invoice ${invoice}`,
  }),
  wipe_disk: tool({
    description: "Delete everything on a machine.",
    inputSchema: z.object({ host: z.string() }),
    execute: ({ host }) => `wiped ${host}`,
  }),
});

const call = (toolName, input) => ({ type: "tool-call", toolCallId: toolName, toolName, input: JSON.stringify(input) });
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const says = (finish, ...content) => ({ content, finishReason: { unified: finish, raw: undefined }, usage, warnings: [] });
const model = new MockLanguageModelV3({
  doGenerate: [
    says("tool-calls", call("look_up", { invoice: "17" }), call("wipe_disk", { host: "db-1" })),
    says("tool-calls", call("pay", { invoice: "17", amount: 120 })),
    says("stop", { type: "text", text: "Invoice 17 is done." }),
  ],
});

const { steps, text } = await generateText({
  model,
  tools,
  prompt: "Pay invoice 17, then clean up.",
  stopWhen: ({ steps: taken }) => taken.length === 5,
});
for (const step of steps)
  for (const part of step.content) {
    if (part.type === "tool-result") console.log(part.output);
    if (part.type === "tool-error") console.log(part.error.message);
  }
console.log(text);
