import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, digest } from "@assent/client";
import { governTools, ToolRefused } from "@assent/client/ai";
import * as langgraph from "@assent/client/langgraph";
import { action, BLOCKED, created as creation, json, service } from "./service.mjs";

const BLOCK = json({ code: "action_blocked", decision: BLOCKED, action: { action_id: "act_1" } }, { status: 403 });

function governed(created = creation()) {
  const { fetch, asked } = service((request) => (request.method === "POST" ? created(request) : json({ action: action("completed") })(request)));
  const client = new Client({ baseUrl: "http://127.0.0.1:1", apiKey: "k", agentId: "bot", fetch, say: () => {} });
  const bodies = (method) => asked.filter((each) => each.method === method).map((each) => each.body);
  return { client, bodies };
}

test("a tool's call is an action of its name, with the digest of its input", async () => {
  const { client, bodies } = governed();
  const look = { description: "Read something.", execute: (input, { toolCallId }) => `${input.path} of ${toolCallId}` };
  const tools = governTools({ look }, { client, fields: { session_id: "s", metadata: { team: "ops" } } });
  assert.equal(await tools.look.execute({ path: "a" }, { toolCallId: "c" }), "a of c");
  const [body] = bodies("POST");
  assert.equal(body.action_type, "look");
  assert.equal(body.declared_goal, 'look({"path":"a"})');
  assert.equal(body.parameters_digest, await digest([{ path: "a" }]));
  assert.deepEqual(body.metadata, { tool: "look", tool_description: "Read something.", team: "ops" });
  assert.equal(body.session_id, "s");
  assert.equal(bodies("PATCH")[0].status, "completed");
});

test("a tool keeps its prototype and what it is called on", async () => {
  class Counter {
    count = 3;
    execute() {
      return this.count;
    }
  }
  const { client } = governed();
  const { counter } = governTools({ counter: new Counter() }, { client });
  assert.ok(counter instanceof Counter);
  assert.equal(await counter.execute({}), 3);
});

test("what is refused throws the words for the model, and does not run", async () => {
  const { client } = governed(BLOCK);
  const tools = governTools({ wipe: { execute: () => assert.fail("it ran") } }, { client });
  await assert.rejects(tools.wipe.execute({}), (error) => {
    assert.ok(error instanceof ToolRefused);
    assert.equal(error.name, "ToolRefused");
    assert.equal(error.cause.name, "GuardBlockedError");
    assert.match(error.message, /^wipe did not run: it is not allowed\. guard blocked look: Nobody wipes/);
    assert.match(error.message, /tell the user what was not allowed\. An operator can change the policy\.$/);
    return true;
  });
});

test("what a tool throws is its own, a refusal of another tool's among it", async () => {
  const { client, bodies } = governed();
  const inner = governTools({ wipe: { execute: () => assert.fail("it ran") } }, { client: governed(BLOCK).client });
  const outer = governTools({ tidy: { execute: () => inner.wipe.execute({}) } }, { client });
  await assert.rejects(outer.tidy.execute({}), { name: "ToolRefused", tool: "wipe" });
  assert.equal(bodies("PATCH")[0].status, "failed");
});

test("of several results the last one counts, and one that says so has failed", async () => {
  const { client, bodies } = governed();
  const bad = { content: [{ type: "text", text: "no such channel" }], isError: true };
  const many = { async *execute() { yield 1; yield 2; } };
  const tools = governTools({ many, remote: { execute: async () => bad } }, { client });
  assert.equal(await tools.many.execute({}), 2);
  assert.equal(await tools.remote.execute({}), bad);
  const [, { duration_ms: duration, ...outcome }] = bodies("PATCH");
  assert.deepEqual(outcome, { status: "failed", error_message: JSON.stringify(bad.content) });
  assert.ok(Number.isInteger(duration));
});

test("what does not run here, or is governed already, is refused at once", () => {
  assert.throws(() => governTools({ search: { type: "provider" } }), /^TypeError: search has no execute/);
  assert.throws(() => governTools(governTools({ look: { execute: () => 1 } })), /^TypeError: look is governed already/);
  assert.throws(() => langgraph.governTools([{ name: "x" }]), /cannot be governed/);
});

test("a graph's own signals pass through, and a message of an error has failed", async () => {
  const { client, bodies } = governed();
  const interrupt = Object.assign(new Error("interrupt"), { name: "GraphInterrupt", is_bubble_up: true });
  const parent = Object.assign(new Error("parent"), { name: "ParentCommand", is_bubble_up: true });
  const message = { status: "error", tool_call_id: "c", content: "no such channel" };
  const throws = (name, error) => ({ name, invoke: async () => { throw error; } });
  const [one, two, three] = langgraph.governTools([throws("one", interrupt), throws("two", parent), { name: "three", invoke: async () => message }], { client });
  await assert.rejects(one.invoke({}), (error) => error === interrupt);
  await assert.rejects(two.invoke({}), (error) => error === parent);
  assert.equal(await three.invoke({}), message);
  assert.deepEqual(
    bodies("PATCH").map((each) => [each.status, each.error_message]),
    [["cancelled", "the graph was interrupted in the middle of this call"], ["completed", undefined], ["failed", "no such channel"]],
  );
});

test("without a call's id a refusal is a text", async () => {
  const { client } = governed(BLOCK);
  const [wipe] = langgraph.governTools([{ name: "wipe", invoke: () => assert.fail("it ran"), call: () => assert.fail("it ran") }], { client });
  assert.match(await wipe.invoke({}), /^wipe did not run: it is not allowed/);
  assert.match(await wipe.call({}), /^wipe did not run: it is not allowed/);
});

/** A schema that fills a number in, as zod's are parsed. */
const NUMBERS = {
  async parseAsync({ amount = 1000000 }) {
    if (typeof amount !== "number") throw new TypeError("amount is no number");
    return { amount };
  },
};

test("a tool with methods of its own runs with what its schema makes, and asks about that", async () => {
  const paid = [];
  const own = { name: "pay", schema: NUMBERS, invoke: async (input) => paid.push(input), func: () => assert.fail("it ran") };
  const { client, bodies } = governed();
  const [pay] = langgraph.governTools([own], { client });
  await pay.invoke({});
  assert.deepEqual(paid, [{ amount: 1000000 }]);
  assert.equal(bodies("POST")[0].declared_goal, 'pay({"amount":1000000})');
  assert.equal(bodies("POST")[0].parameters_digest, await digest([{ amount: 1000000 }]));
  assert.match(await pay.invoke({ amount: "much" }), /^pay did not run: its arguments do not fit its schema\. TypeError: amount is no number$/);
  assert.equal(bodies("POST").length, 1, "nobody is asked");
  const [blocked] = langgraph.governTools([own], { client: governed(BLOCK).client });
  assert.match(await blocked.func({ amount: 1 }), /^pay did not run: it is not allowed/);
});

test("the middleware hands on what the schema makes, unless the tool would make something else of it", async () => {
  const { client, bodies } = governed();
  const doubles = { parseAsync: async ({ amount }) => ({ amount: 2 * amount }) };
  const wrapped = langgraph.wrapToolCall({ client });
  const handed = [];
  const handler = ({ toolCall }) => handed.push(toolCall.args);
  await wrapped({ toolCall: { name: "pay", args: {} }, tool: { schema: NUMBERS } }, handler);
  await wrapped({ toolCall: { name: "pay", args: { amount: 4 } }, tool: { schema: doubles } }, handler);
  assert.match(await wrapped({ toolCall: { name: "pay", args: { amount: "much" } }, tool: { schema: NUMBERS } }, handler), /do not fit its schema/);
  assert.deepEqual(handed, [{ amount: 1000000 }, { amount: 4 }]);
  assert.deepEqual(bodies("POST").map((each) => each.declared_goal), ['pay({"amount":1000000})', 'pay({"amount":4})']);
});
