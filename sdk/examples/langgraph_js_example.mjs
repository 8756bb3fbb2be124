// An agent of LangChain.js, whose tools run in LangGraph.js, governed. It runs offline, with a scripted model.
//
//     npm install langchain @langchain/core @langchain/langgraph zod ./assent-client-*.tgz
//     export ASSENT_API_KEY=...        # an agent's key, from `assent keys create`
//     node langgraph_js_example.mjs
//
// For a real model, give its name instead: `model: "anthropic:claude-sonnet-4-5"`.
import { governTools } from "@assent/client/langgraph";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { z } from "zod";

const lookUp = tool(({ invoice }) => `invoice ${invoice}: 120 EUR to Example Ltd`, {
  name: "look_up",
  description: "What is to be paid.",
  schema: z.object({ invoice: z.string() }),
});
const pay = tool(async ({ invoice, amount }) => `paid ${amount} EUR for invoice ${invoice}`, {
  name: "pay",
  description: "Pay an invoice.",
  schema: z.object({ invoice: z.string(), amount: z.number() }),
});
const wipeDisk = tool(({ host }) => `wiped ${host}`, {
  name: "wipe_disk",
  description: "Delete everything on a machine.",
  schema: z.object({ host: z.string() }),
});

const calls = (...made) => new AIMessage({ content: "", tool_calls: made.map(([name, args]) => ({ id: name, name, args })) });
const SCRIPT = [
  calls(["look_up", { invoice: "17" }], ["wipe_disk", { host: "db-1" }]),
  calls(["pay", { invoice: "17", amount: 120 }]),
  new AIMessage("Invoice 17 is done."),
];

/** Says what it was told to say: calls of tools, and a text in the end. */
class ScriptedModel extends BaseChatModel {
  _llmType() {
    return "scripted";
  }
  bindTools() {
    return this;
  }
  async _generate() {
    return { generations: [{ text: "", message: SCRIPT.shift() }] };
  }
}

const agent = createAgent({ model: new ScriptedModel({}), tools: governTools([lookUp, pay, wipeDisk]) });
const { messages } = await agent.invoke({ messages: [new HumanMessage("Pay invoice 17, then clean up.")] });
for (const message of messages) if (message.getType() === "tool") console.log(message.content);
console.log(messages.at(-1).content);
