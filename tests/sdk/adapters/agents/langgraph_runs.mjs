// What agents of LangGraph.js and LangChain.js do with governed tools, by the words given (`node many`, `agent many`); each
// story prints one JSON object of what the model was told and of what ran.
import { governTools, wrapToolCall } from "@assent/client/langgraph";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, END, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { createAgent, createMiddleware } from "langchain";
import { z } from "zod";

let ran = [];
const SECRET = "hunter2-hunter2";

const look = tool(
  ({ path }) => {
    ran.push(`look ${path}`);
    return `contents of ${path}`;
  },
  { name: "look", description: "Read something.", schema: z.object({ path: z.string() }) },
);
const wipe = tool(
  ({ host }) => {
    ran.push(`wipe ${host}`);
    return "wiped";
  },
  { name: "wipe", description: "Delete everything.", schema: z.object({ host: z.string(), password: z.string() }) },
);
const pay = tool(
  async ({ amount }) => {
    ran.push(`pay ${amount}`);
    return { paid: amount };
  },
  { name: "pay", description: "Pay something.", schema: z.object({ amount: z.number() }) },
);
/** Its schema makes of nothing what it pays. */
const lend = tool(
  ({ amount }) => {
    ran.push(`lend ${amount}`);
    return `lent ${amount}`;
  },
  { name: "pay", description: "Pay much.", schema: z.object({ amount: z.number().default(1000000) }) },
);
const both = tool(
  ({ word }) => {
    ran.push(`both ${word}`);
    return [word, { length: word.length }];
  },
  { name: "both", description: "Content and artifact.", schema: z.object({ word: z.string() }), responseFormat: "content_and_artifact" },
);
const broken = tool(
  () => {
    throw new RangeError("the printer is on fire");
  },
  { name: "broken", description: "Throw.", schema: z.object({}) },
);
const failed = tool(
  (_, config) => new ToolMessage({ content: "no such channel", name: "failed", tool_call_id: config.toolCall.id, status: "error" }),
  { name: "failed", description: "Say that it failed.", schema: z.object({}) },
);
const asks = tool(
  ({ question }) => {
    const answer = interrupt({ question });
    ran.push(`asks ${answer}`);
    return `the user said ${answer}`;
  },
  { name: "asks", description: "Ask the user.", schema: z.object({ question: z.string() }) },
);

const ALL = [look, wipe, pay, both, broken, failed];

class Scripted extends BaseChatModel {
  constructor(script) {
    super({});
    this.script = script;
  }
  _llmType() {
    return "scripted";
  }
  bindTools() {
    return this;
  }
  async _generate() {
    return { generations: [{ text: "", message: this.script.shift() }] };
  }
}

/** One turn of calls; what a name has behind its dash is part of its id alone. */
function called(...calls) {
  const made = calls.map(([name, args]) => ({ id: `c-${name}`, name: name.split("-")[0], args, type: "tool_call" }));
  return new AIMessage({ content: "", tool_calls: made });
}

function agent(kind, turns, tools, options, more = {}) {
  const model = new Scripted([...turns, new AIMessage("done")]);
  if (kind === "agent") return createAgent({ model, tools: governTools(tools, options), ...more });
  if (kind === "middleware") {
    const governs = createMiddleware({ name: "assent", wrapToolCall: wrapToolCall(options) });
    return createAgent({ model, tools, middleware: [governs], ...more });
  }
  return new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode(governTools(tools, options)))
    .addEdge(START, "model")
    .addConditionalEdges("model", toolsCondition, ["tools", END])
    .addEdge("tools", "model")
    .compile({ checkpointer: more.checkpointer });
}

const begin = () => ({ messages: [new HumanMessage("go")] });

/** What the model was told of each call, and whether as an error. */
function told({ messages }) {
  const answers = messages.filter((each) => each.getType() === "tool");
  return Object.fromEntries(answers.map((each) => [each.tool_call_id, [each.content, each.status ?? "success", each.artifact ?? null]]));
}

const MANY = [
  ["look", { path: "a.txt" }],
  ["wipe", { host: "db-1", password: SECRET }],
  ["pay-5", { amount: 5 }],
  ["pay-7", { amount: 7 }],
  ["both", { word: "abc" }],
  ["failed", {}],
];

const STORIES = {
  /** Many calls in one turn; two of them wait. */
  async many(kind) {
    return { told: told(await agent(kind, [called(...MANY)], ALL).invoke(begin())) };
  },

  /** A tool that throws. */
  async broken(kind) {
    const going = agent(kind, [called(["broken", {}])], ALL).invoke(begin());
    return going.then((state) => ({ told: told(state) }), (error) => ({ raised: String(error) }));
  },

  /** A tool that interrupts its graph by itself, and goes on with what that is answered with. */
  async interrupts(kind) {
    const made = agent(kind, [called(["asks", { question: "really?" }])], [asks], undefined, { checkpointer: new MemorySaver() });
    const thread = { configurable: { thread_id: "t" } };
    const state = await made.invoke(begin(), thread);
    const asked = state.__interrupt__.map((each) => each.value);
    return { asked, told: told(await made.invoke(new Command({ resume: "yes" }), thread)) };
  },

  /** Without any agent: a governed tool is a tool. */
  async by_hand() {
    const [governedLook, governedWipe] = governTools([look, wipe]);
    const message = await governedLook.invoke({ type: "tool_call", id: "m", name: "look", args: { path: "c" } });
    return {
      look: await governedLook.invoke({ path: "a" }),
      called: await governedLook.call({ path: "b" }),
      message: [message.content, message.tool_call_id],
      wipe: await governedWipe.invoke({ host: "h", password: SECRET }),
      same: governedLook instanceof look.constructor && governedLook.schema === look.schema && governedLook.name === "look",
      own: await look.invoke({ path: "free" }),
    };
  },

  /** Arguments as a schema makes them, and some that it does not take. */
  async schema(kind) {
    const turns = [called(["pay-nothing", {}]), called(["pay-wrong", { amount: "much" }])];
    return { told: told(await agent(kind, turns, [lend]).invoke(begin())) };
  },

  /** What a governed tool has inside is governed as well. */
  async inside() {
    const [copy] = governTools([wipe]);
    const calls = [() => copy.func({ host: "h", password: SECRET }), () => copy._call({ host: "h", password: SECRET })];
    return { errors: await Promise.all(calls.map((call) => call().then(String, (error) => error.name))) };
  },

  /** Nobody decides in time. */
  async short(kind) {
    const options = { approvalTimeout: 200, fields: { session_id: "ticket 1" } };
    return { told: told(await agent(kind, [called(["pay-5", { amount: 5 }])], ALL, options).invoke(begin())) };
  },

  /** What is not taken. */
  async mistakes() {
    const errors = [];
    for (const make of [() => governTools([{ type: "web_search" }]), () => governTools(governTools([look]))])
      try {
        make();
      } catch (error) {
        errors.push(`${error.name}: ${error.message}`);
      }
    return { errors };
  },
};

const [kind, ...names] = process.argv.slice(2);
for (const name of names) {
  ran = [];
  const said = await STORIES[name](kind);
  console.log(JSON.stringify({ ...said, ran: ran.sort() }));
}
