import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, digest, governed } from "@assent/client";
import { action, ALLOWED, BLOCKED, json, refused, service, stream } from "./service.mjs";

const CREATED = { action_id: "act_1", action: action(), decision: ALLOWED, approval: null, idempotent_replay: false };
const WAITING = { ...CREATED, action: action("pending_approval"), approval: { state: "awaiting" } };
const DECIDED = { state: "approved", reasoning: null };

/** The service by method and path; what it was asked is kept. */
function routed(routes, options = {}) {
  const { fetch, asked } = service((request) => {
    const { pathname } = new URL(request.url);
    const route = routes[`${request.method} ${pathname}`] ?? (pathname === "/api/stream" ? stream([], { stays: true }) : json({ action: action("completed") }));
    return (Array.isArray(route) && route.length > 1 ? route.shift() : [route].flat()[0])(request);
  });
  const said = [];
  const client = new Client({ baseUrl: "http://127.0.0.1:1", apiKey: "k", agentId: "bot", fetch, say: (line) => said.push(line), ...options });
  const sent = (place) => asked.filter((each) => `${each.method} ${new URL(each.url).pathname}` === place);
  return { client, said, sent, outcomes: () => sent("PATCH /api/actions/act_1").map((each) => each.body) };
}

test("work that is allowed runs, and is reported with its duration", async () => {
  const { client, outcomes, sent } = routed({ "POST /api/actions": json(CREATED, { status: 201 }) });
  const result = await client.track({ action_type: "look" }, async (tracked) => {
    assert.equal(tracked.actionId, "act_1");
    await tracked.recordAssumption("it is there");
    return 7;
  });
  assert.equal(result, 7);
  assert.deepEqual(sent("POST /api/assumptions")[0].body, { assumption: "it is there", action_id: "act_1" });
  const [{ duration_ms: duration, ...outcome }] = outcomes();
  assert.deepEqual(outcome, { status: "completed" });
  assert.ok(Number.isInteger(duration) && duration >= 0);
});

test("what the work throws is reported as failed, and thrown", async () => {
  const { client, outcomes } = routed({ "POST /api/actions": json(CREATED) });
  const work = () => {
    throw new SyntaxError("no such table");
  };
  await assert.rejects(client.track({ action_type: "look" }, work), SyntaxError);
  const [{ duration_ms: _, ...outcome }] = outcomes();
  assert.deepEqual(outcome, { status: "failed", error_message: "SyntaxError: no such table" });
});

test("an outcome that the work reported itself stands", async () => {
  const { client, outcomes } = routed({ "POST /api/actions": json(CREATED) });
  await client.track({ action_type: "look" }, (tracked) => tracked.updateOutcome({ status: "cancelled" }));
  assert.deepEqual(Object.keys(outcomes()[1]), ["duration_ms"]);
});

test("what is blocked, refused, unbound or not answered does not run", async () => {
  const blocked = json({ code: "action_blocked", decision: BLOCKED, action: { action_id: "act_1" } }, { status: 403 });
  for (const [route, name] of [[blocked, "GuardBlockedError"], [json({ code: "x" }, { status: 401 }), "Unauthorized"], [json(CREATED, { id: null }), "UnboundAnswer"], [refused(), "ConnectionFailed"], [json({ code: "x" }, { status: 500 }), "ServerError"]]) {
    const { client } = routed({ "POST /api/actions": route }, { retries: 0 });
    const never = () => assert.fail("it ran");
    await assert.rejects(client.track({ action_type: "look" }, never), { name });
    await assert.rejects(client.governed(never, { actionType: "look" })(), { name });
  }
});

test("a person is waited for, and id and replay link are said", async () => {
  const { client, said } = routed({
    "POST /api/actions": json(WAITING, { status: 202 }),
    "GET /api/actions/act_1": [json({ action: WAITING.action, approval: { state: "awaiting" } }), json({ action: action(), approval: DECIDED })],
    "GET /api/stream": stream(["event: connected\ndata: {\"last_event_id\":4}\n\n"], { stays: true }),
  });
  assert.equal(await client.track({ action_type: "pay" }, () => "paid"), "paid");
  assert.deepEqual(said, ["Waiting for approval of act_1: http://127.0.0.1:1/replay/act_1"]);
});

test("a wait ends with what was decided", async () => {
  for (const [state, status, name] of [["denied", "cancelled", "ApprovalDeniedError"], ["expired", "cancelled", "ApprovalExpiredError"], ["withdrawn", "cancelled", "ApprovalWithdrawnError"], [null, "completed", "NotAwaitingApprovalError"]]) {
    const approval = state === null ? null : { state, reasoning: "because" };
    const { client } = routed({ "GET /api/actions/act_1": json({ action: action(status), approval }) });
    await assert.rejects(client.waitForApproval("act_1"), { name, actionId: "act_1" });
  }
  const { client } = routed({ "GET /api/actions/act_1": json({ action: action("pending_approval"), approval: { state: "something new" } }) });
  await assert.rejects(client.waitForApproval("act_1", { timeout: 30, interval: 10 }), { name: "ApprovalTimeoutError", timeout: 30 });
});

test("trouble on the way is passed over, but not a service that never answered", async () => {
  const waiting = json({ action: action("pending_approval"), approval: { state: "awaiting" } });
  const { client } = routed({ "GET /api/stream": json({ code: "x" }, { status: 404 }), "GET /api/actions/act_1": [waiting, refused(), json({ code: "x" }, { status: 503 }), json({ action: action(), approval: DECIDED })] }, { retries: 0 });
  assert.equal((await client.waitForApproval("act_1", { interval: 5 })).status, "running");
  const never = routed({ "GET /api/actions/act_1": refused() }, { retries: 0 });
  await assert.rejects(never.client.waitForApproval("act_1"), { name: "ConnectionFailed" });
});

test("a wait that is stopped takes the question back, unless told not to", async () => {
  for (const [options, withdrawals] of [[{}, 1], [{ withdrawOnAbort: false }, 0]]) {
    const { client, sent } = routed({ "GET /api/actions/act_1": json({ action: action("pending_approval"), approval: { state: "awaiting" } }), "POST /api/actions/act_1/withdraw": json({}) });
    const stop = new AbortController();
    const waiting = client.waitForApproval("act_1", { signal: stop.signal, ...options });
    setTimeout(() => stop.abort(new Error("nobody wants it")), 20);
    await assert.rejects(waiting, /nobody wants it/);
    const found = sent("POST /api/actions/act_1/withdraw");
    assert.equal(found.length, withdrawals);
    if (withdrawals) assert.deepEqual(found[0].body, { reason: "Error: nobody wants it" });
  }
});

test("a repetition whose action is over does not run", async () => {
  const { client } = routed({ "POST /api/actions": json({ ...CREATED, idempotent_replay: true, action: action("completed") }) });
  await assert.rejects(client.track({ action_type: "pay", idempotency_key: "once" }, () => assert.fail("it ran")), { name: "ActionOverError" });
});

test("a governed call is its name, its arguments for people, and their digest", async () => {
  const { client, sent, outcomes } = routed({ "POST /api/actions": json(CREATED) });
  const refund = client.governed(async function refund(amount, to) {
    return `${amount} to ${to.name}`;
  });
  assert.equal(refund.name, "refund");
  assert.equal(await refund(12, { name: "Ann", api_key: "xyz" }), "12 to Ann");
  const [{ body, headers }] = sent("POST /api/actions");
  assert.equal(body.action_type, "refund");
  assert.equal(body.declared_goal, 'refund(12, {"name":"Ann","api_key":"[REDACTED]"})');
  assert.equal(body.parameters_digest, await digest([12, { api_key: "xyz", name: "Ann" }]));
  assert.ok(headers.get("idempotency-key"));
  assert.doesNotMatch(JSON.stringify(body), /xyz/);
  assert.equal(outcomes()[0].status, "completed");
});

test("an approval is claimed for the arguments as they are now, before the call runs", async () => {
  const approved = { "POST /api/actions": json(WAITING, { status: 202 }), "GET /api/actions/act_1": json({ action: action(), approval: DECIDED }) };
  const { client, sent } = routed({ ...approved, "POST /api/actions/act_1/claim": json({}) });
  await client.governed((order) => order.amount, { actionType: "pay" })({ amount: 70 });
  const [{ body }] = sent("POST /api/actions/act_1/claim");
  assert.equal(body.parameters_digest, await digest([{ amount: 70 }]));
  assert.equal(body.parameters_digest, sent("POST /api/actions")[0].body.parameters_digest);
  const used = routed({ ...approved, "POST /api/actions/act_1/claim": json({ code: "receipt_used" }, { status: 409 }) });
  await assert.rejects(used.client.governed(() => assert.fail("it ran"), { actionType: "pay" })(), { name: "Conflict" });
  assert.deepEqual(used.outcomes(), [], "who comes second leaves the action to who came first");
  const other = routed({ ...approved, "POST /api/actions/act_1/claim": json({ code: "act_differs" }, { status: 409 }) });
  await assert.rejects(other.client.governed(() => assert.fail("it ran"), { actionType: "pay" })(), { name: "Conflict" });
  assert.equal(other.outcomes()[0].status, "failed");
});

test("a call that ran gives its result though nobody can be told", async (context) => {
  const warned = context.mock.method(console, "warn", () => {});
  const { client } = routed({ "POST /api/actions": json(CREATED), "PATCH /api/actions/act_1": refused("ECONNRESET") }, { retries: 0 });
  assert.equal(await client.governed(() => 7, { actionType: "look" })(), 7);
  assert.match(warned.mock.calls[0].arguments[0], /act_1/);
  const own = client.governed(() => { throw new URIError("own"); }, { actionType: "look" });
  await assert.rejects(own(), URIError);
});

test("without a key in the environment nothing runs", async () => {
  await assert.rejects(governed(function look() { assert.fail("it ran"); })(), { name: "NotConfigured" });
});
