import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, digest, governed } from "@assent/client";
import { action, ALLOWED, approvalOf, BLOCKED, created, json, NOW, refused, service, stream } from "./service.mjs";

const WAITS = { action: { status: "pending_approval" }, decision: { ...ALLOWED, decision: "require_approval" }, approval: { state: "awaiting", act_digest: `sha256:${"a".repeat(64)}` } };
const PENDING = json({ action: action("pending_approval"), approval: { state: "awaiting" } });
const ACT = `sha256:${"a".repeat(64)}`;
const DECIDED = { state: "approved", reasoning: null, act_digest: ACT, claimed_at: NOW };

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
  const { client, outcomes, sent } = routed({ "POST /api/actions": created() });
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
  const { client, outcomes } = routed({ "POST /api/actions": created() });
  const work = () => {
    throw new SyntaxError("no such table");
  };
  await assert.rejects(client.track({ action_type: "look" }, work), SyntaxError);
  const [{ duration_ms: _, ...outcome }] = outcomes();
  assert.deepEqual(outcome, { status: "failed", error_message: "SyntaxError: no such table" });
});

test("an outcome that the work reported itself stands", async () => {
  const { client, outcomes } = routed({ "POST /api/actions": created() });
  await client.track({ action_type: "look" }, (tracked) => tracked.updateOutcome({ status: "cancelled" }));
  assert.deepEqual(Object.keys(outcomes()[1]), ["duration_ms"]);
});

test("what is blocked, refused, unbound or not answered does not run", async () => {
  const blocked = json({ code: "action_blocked", decision: BLOCKED, action: { action_id: "act_1" } }, { status: 403 });
  for (const [route, name] of [[blocked, "GuardBlockedError"], [json({ code: "x" }, { status: 401 }), "Unauthorized"], [created({}, { id: null }), "UnboundAnswer"], [refused(), "ConnectionFailed"], [json({ code: "x" }, { status: 500 }), "ServerError"]]) {
    const { client } = routed({ "POST /api/actions": route }, { retries: 0 });
    const never = () => assert.fail("it ran");
    await assert.rejects(client.track({ action_type: "look" }, never), { name });
    await assert.rejects(client.governed(never, { actionType: "look" })(), { name });
  }
});

test("a person is waited for, and id and replay link are said", async () => {
  const { client, said, routes } = approving({
    "GET /api/stream": stream(["event: connected\ndata: {\"last_event_id\":4}\n\n"], { stays: true }),
  });
  routes["GET /api/actions/act_1"] = [PENDING, routes["GET /api/actions/act_1"]];
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

test("a governed wait that runs out takes its question back, unless it can be found again or somebody was quicker", async () => {
  const runs = async (withdrawal, options = {}, then = PENDING) => {
    const late = approving({ "POST /api/actions/act_1/withdraw": withdrawal });
    const first = late.routes["GET /api/actions/act_1"];
    late.routes["GET /api/actions/act_1"] = [PENDING, then === PENDING ? PENDING : first];
    const ended = await late.client.track({ action_type: "pay" }, () => "paid", { approvalTimeout: 0, ...options }).catch((error) => error);
    return [ended, late.sent("POST /api/actions/act_1/withdraw").length];
  };
  const [late, once] = await runs(json({}));
  assert.deepEqual([late.name, late.withdrawn, once], ["ApprovalTimeoutError", true, 1]);
  assert.match(late.message, /within 0 s\. It was taken back; call again to ask again/);
  const [waits, never] = await runs(json({}), { idempotencyKey: "call-1" });
  assert.deepEqual([waits.name, waits.withdrawn, never], ["ApprovalTimeoutError", false, 0]);
  const taken = json({ code: "already_decided", detail: "it is decided" }, { status: 409 });
  assert.deepEqual(await runs(taken, {}, "decided"), ["paid", 1]);
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
  const { client } = routed({ "POST /api/actions": created({ idempotent_replay: true, action: { status: "completed" } }) });
  await assert.rejects(client.track({ action_type: "pay", idempotency_key: "once" }, () => assert.fail("it ran")), { name: "ActionOverError" });
});

test("a governed call is its name, its arguments for people, and their digest", async () => {
  const { client, sent, outcomes } = routed({ "POST /api/actions": created() });
  const refund = client.governed(async function refund(amount, to) {
    return `${amount} to ${to.name}`;
  });
  assert.equal(refund.name, "refund");
  assert.equal(await refund(12, { name: "Ann", api_key: "xyz" }), "12 to Ann");
  const [{ body, headers }] = sent("POST /api/actions");
  assert.equal(body.action_type, "refund");
  assert.equal(body.declared_goal, 'refund(12, {"name":"Ann","api_key":"[REDACTED:api_key]"})');
  assert.equal(body.parameters_digest, await digest([12, { api_key: "xyz", name: "Ann" }]));
  assert.ok(headers.get("idempotency-key"));
  assert.doesNotMatch(JSON.stringify(body), /xyz/);
  assert.equal(outcomes()[0].status, "completed");
});

/** A service that asks a person, who says yes; what is told later repeats what was sent. */
function approving(more = {}, options = {}) {
  let made;
  const now = (rest) => (request) => json({ action: { ...made, status: "running" }, approval: approvalOf(made, { ...DECIDED, act_digest: ACT }), act_digest: ACT, ...rest })(request);
  const routes = {
    "POST /api/actions": async (request) => {
      const answer = created(WAITS, { status: 202 })(request);
      made = (await answer.clone().json()).action;
      return answer;
    },
    "GET /api/actions/act_1": now(),
    "POST /api/actions/act_1/claim": now(),
  };
  for (const [place, given] of Object.entries(more)) routes[place] = typeof given === "function" ? given : now(given);
  return { ...routed(routes, options), routes, made: () => made };
}

test("an approval is claimed for the arguments as they are now, before the call runs", async () => {
  const { client, sent } = approving();
  assert.equal(await client.governed((order) => order.amount, { actionType: "pay" })({ amount: 70 }), 70);
  const [{ body }] = sent("POST /api/actions/act_1/claim");
  assert.equal(body.parameters_digest, await digest([{ amount: 70 }]));
  assert.equal(body.parameters_digest, sent("POST /api/actions")[0].body.parameters_digest);
  const used = approving({ "POST /api/actions/act_1/claim": json({ code: "receipt_used" }, { status: 409 }) });
  await assert.rejects(used.client.governed(() => assert.fail("it ran"), { actionType: "pay" })(), { name: "Conflict" });
  assert.deepEqual(used.outcomes(), [], "who comes second leaves the action to who came first");
  const other = approving({ "POST /api/actions/act_1/claim": json({ code: "act_differs" }, { status: 409 }) });
  await assert.rejects(other.client.governed(() => assert.fail("it ran"), { actionType: "pay" })(), { name: "Conflict" });
  assert.equal(other.outcomes()[0].status, "failed");
});

test("a call that ran gives its result though nobody can be told", async (context) => {
  const warned = context.mock.method(console, "warn", () => {});
  const { client } = routed({ "POST /api/actions": created(), "PATCH /api/actions/act_1": refused("ECONNRESET") }, { retries: 0 });
  assert.equal(await client.governed(() => 7, { actionType: "look" })(), 7);
  assert.match(warned.mock.calls[0].arguments[0], /act_1/);
  const own = client.governed(() => { throw new URIError("own"); }, { actionType: "look" });
  await assert.rejects(own(), URIError);
});

test("without a key in the environment nothing runs", async () => {
  await assert.rejects(governed(function look() { assert.fail("it ran"); })(), { name: "NotConfigured" });
});

/** Halves of surrogate pairs that stand alone. */
const LONE = /[\ud800-\udfff]/u;

test("a goal and an error are cut between characters", async () => {
  for (let shift = 0; shift < 4; shift++) {
    const { client, sent, outcomes } = routed({ "POST /api/actions": created() });
    const text = "x".repeat(shift) + "\u{1f600}".repeat(5000);
    const own = new Error(text);
    const shout = (options) => client.governed(function shout() { throw own; }, options);
    for (const call of [shout({}), shout({ declaredGoal: text })]) await assert.rejects(call(text), (error) => error === own);
    for (const { body } of sent("POST /api/actions")) {
      assert.doesNotMatch(body.declared_goal, LONE);
      assert.ok([500, 2000, 120 + "shout()".length].includes([...body.declared_goal].length), String([...body.declared_goal].length));
    }
    for (const { error_message: message } of outcomes()) {
      assert.doesNotMatch(message, LONE);
      assert.equal([...message].length, 4000);
    }
  }
});

test("an outcome is told whatever its text holds, and whatever was thrown", async () => {
  const { client, outcomes } = routed({ "POST /api/actions": created() });
  const thrown = [new Error("cut \ud83d"), Object.create(null), Object.defineProperty(new Error("x"), "message", { get() { throw new Error("inner"); } })];
  for (const each of thrown) await assert.rejects(client.track({ action_type: "look" }, () => { throw each; }), (error) => error === each);
  await client.updateOutcome("act_1", { status: "failed", errorMessage: "\ud83d", output_summary: "a\udc00" });
  const told = outcomes();
  assert.deepEqual(told.map((each) => each.status), ["failed", "failed", "failed", "failed"]);
  assert.equal(told[0].error_message, "Error: cut \ufffd");
  assert.equal(told[1].error_message, "what was thrown cannot be written down");
  assert.deepEqual([told[3].errorMessage, told[3].output_summary], ["\ufffd", "a\ufffd"]);
});

test("an outcome is told where what was thrown tells nothing of itself", async () => {
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();
  const mute = new Proxy(new Error("x"), { getPrototypeOf() { throw new Error("inner"); } });
  for (const thrown of [revoked, mute]) {
    const { client, outcomes } = routed({ "POST /api/actions": created() });
    const fails = () => { throw thrown; };
    for (const going of [() => client.track({ action_type: "look" }, fails), () => client.governed(fails, { actionType: "look" })()]) {
      const found = await going().then(() => undefined, (error) => [error]);
      assert.ok(found[0] === thrown);
      assert.equal(outcomes().at(-1).status, "failed");
    }
    assert.equal(outcomes().length, 2);
  }
});

test("a goal that is no text is refused before anything is asked", async () => {
  const { client, sent } = routed({ "POST /api/actions": created() });
  for (const declaredGoal of [5, () => 5, async () => "x", () => null])
    await assert.rejects(client.governed(() => assert.fail("it ran"), { actionType: "look", declaredGoal })(), /^TypeError: declaredGoal is (Number|Promise|Null); give a text/);
  assert.deepEqual(sent("POST /api/actions"), []);
});

test("a call that gives what is read later has failed", async () => {
  const rows = async function* () { yield 1; };
  const some = function* () { yield 1; };
  const { client, outcomes, sent } = routed({ "POST /api/actions": created() });
  for (const work of [rows, some]) await assert.rejects(client.track({ action_type: "look" }, work), /^TypeError: .* is a generator function/);
  assert.deepEqual(sent("POST /api/actions"), []);
  for (const [kind, give] of Object.entries({ AsyncGenerator: rows, Generator: some, ReadableStream: () => new ReadableStream(), Object: () => ({ [Symbol.asyncIterator]: rows }) })) {
    for (const going of [client.track({ action_type: "look" }, () => give()), client.governed(async () => give(), { actionType: "look" })()]) await assert.rejects(going, { name: "TypeError", message: new RegExp(`gave a ${kind}, which is read when its action is over`) });
    assert.equal(outcomes().at(-1).status, "failed", kind);
  }
  assert.deepEqual(await client.track({ action_type: "look" }, () => [1]), [1]);
});

test("a promise or a generator within what a call gives has failed it, and what is whole is given", async () => {
  const { client, outcomes } = routed({ "POST /api/actions": created() });
  const later = () => Promise.reject(new Error("nobody awaits it"));
  const rows = function* () { yield 1; };
  const within = {
    array: () => [1, [later()]], map: () => new Map([["a", later()]]), key: () => new Map([[later(), 1]]), set: () => new Set([later()]),
    object: () => ({ a: { b: later() } }), bare: () => Object.assign(Object.create(null), { a: later() }), several: () => [later(), later()],
    generator: () => ({ rows: rows() }), stream: () => [new ReadableStream()],
  };
  for (const [name, give] of Object.entries(within)) {
    for (const going of [client.track({ action_type: "look" }, async () => give()), client.governed(give, { actionType: "look" })()]) await assert.rejects(going, { name: "TypeError", message: /^the call gave a (Promise in what it gave, which goes on|Generator, which is read|ReadableStream, which is read) when its action is over/ }, name);
    assert.equal(outcomes().at(-1).status, "failed", name);
  }
  // Nothing that a rejected promise left behind ends the process.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const cyclic = { list: [new Date(0), new Uint8Array(2), new Map([["a", new Set([1])]])] };
  cyclic.itself = cyclic;
  let looked = 0;
  const lazy = { get rows() { looked += 1; return later(); } };
  for (const whole of [cyclic, lazy, new Response("text"), null, "text"]) assert.equal(await client.track({ action_type: "look" }, () => whole), whole);
  assert.equal(looked, 0);
  const much = Array.from({ length: 200_000 }, (_, at) => [at]);
  assert.equal(await client.governed(() => much, { actionType: "look" })(), much);
});

test("a name that a bundler made is no type of an action, and a bound function has its own", async () => {
  const { client, sent } = routed({ "POST /api/actions": created() });
  const named = (name) => Object.defineProperty(() => 1, "name", { value: name });
  for (const name of ["", "e", "t0", "$_", "bound e"])
    for (const make of [() => client.governed(named(name)), () => governed(named(name))]) assert.throws(make, /^TypeError: .*; give actionType$/, name);
  await client.governed(named("e"), { actionType: "wipe" })();
  await client.governed(named("wipe").bind(null).bind(null))();
  await client.governed(named("付款"))();
  assert.deepEqual(sent("POST /api/actions").map((each) => each.body.action_type), ["wipe", "wipe", "付款"]);
});

test("a wait ends in its time where readings hang, and goes on where one fails", async () => {
  const alive = setInterval(() => {}, 1000);
  const hangs = (request) => new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)));
  const asked = { "POST /api/actions": created(WAITS, { status: 202 }) };
  const { client } = routed({ ...asked, "GET /api/actions/act_1": hangs });
  const began = performance.now();
  await assert.rejects(client.track({ action_type: "pay" }, () => assert.fail("it ran"), { approvalTimeout: 1100 }), { name: "ApprovalTimeoutError", timeout: 1100 });
  // The client's own timeout is 30 s, for each of four attempts.
  assert.ok(performance.now() - began < 20_000);
  clearInterval(alive);
  const failing = json({ code: "x" }, { status: 500 });
  const stands = json({ action: action(), approval: DECIDED });
  const { client: other } = routed({ "GET /api/stream": json({ code: "x" }, { status: 404 }), "GET /api/actions/act_1": [failing, failing, stands] });
  assert.equal((await other.waitForApproval("act_1", { interval: 5 })).status, "running");
  const { client: never } = routed({ "GET /api/stream": json({ code: "x" }, { status: 404 }), "GET /api/actions/act_1": failing });
  await assert.rejects(never.waitForApproval("act_1", { timeout: 30, interval: 5 }), { name: "ApprovalTimeoutError" });
});

test("a call that is stopped while it is created or claimed does not run, and is told as cancelled", async () => {
  const reason = new Error("nobody wants it");
  const later = (answer, stop) => async (request) => {
    stop.abort(reason);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return answer(request);
  };
  for (const way of ["track", "governed"]) {
    const stop = new AbortController();
    const { client, outcomes } = routed({ "POST /api/actions": later(created(), stop) });
    const never = () => assert.fail("it ran");
    const going = way === "track" ? client.track({ action_type: "look" }, never, { signal: stop.signal }) : client.governed(never, { actionType: "look", signal: stop.signal })();
    await assert.rejects(going, (error) => error === reason);
    assert.deepEqual([outcomes()[0].status, outcomes()[0].error_message], ["cancelled", "Error: nobody wants it"], way);
  }
  const stop = new AbortController();
  const waiting = routed({ "POST /api/actions": later(created(WAITS, { status: 202 }), stop), "POST /api/actions/act_1/withdraw": json({}) });
  await assert.rejects(waiting.client.track({ action_type: "pay" }, () => assert.fail("it ran"), { signal: stop.signal }), (error) => error === reason);
  assert.equal(waiting.sent("POST /api/actions/act_1/withdraw").length, 1);
  const claiming = new AbortController();
  const claimed = approving({ "POST /api/actions/act_1/claim": (request) => later(json({ action: { ...claimed.made(), status: "running" }, approval: approvalOf(claimed.made(), { ...DECIDED, act_digest: ACT }), act_digest: ACT }), claiming)(request) });
  await assert.rejects(claimed.client.governed(() => assert.fail("it ran"), { actionType: "pay", signal: claiming.signal })(), (error) => error === reason);
  assert.equal(claimed.outcomes()[0].status, "cancelled");
  // Approved meanwhile: its question cannot be taken back any more.
  for (const place of ["POST /api/actions", "GET /api/actions/act_1"]) {
    const deciding = new AbortController();
    const found = approving({ "POST /api/actions/act_1/withdraw": json({ code: "already_decided" }, { status: 409 }) });
    const answers = found.routes[place];
    found.routes[place] = (request) => later(answers, deciding)(request);
    await assert.rejects(found.client.governed(() => assert.fail("it ran"), { actionType: "pay", signal: deciding.signal })(), (error) => error === reason, place);
    assert.deepEqual(found.outcomes(), [{ status: "cancelled", error_message: "Error: nobody wants it" }], place);
    assert.deepEqual(found.sent("POST /api/actions/act_1/claim"), [], place);
  }
  const before = routed({});
  await assert.rejects(before.client.track({ action_type: "look" }, () => 1, { signal: AbortSignal.abort(reason) }), (error) => error === reason);
  assert.deepEqual(before.sent("POST /api/actions"), []);
});

test("what cannot be governed, and a time that nobody can wait, are refused at once", async () => {
  const { client, sent } = routed({});
  for (const what of [5, undefined, {}, class Deed {}, function* () {}, async function* () {}])
    for (const make of [() => client.governed(what, { actionType: "look" }), () => governed(what, { actionType: "look" })])
      assert.throws(make, /^TypeError: .*(cannot be governed; give a function|is a generator function)/);
  for (const approvalTimeout of [NaN, -1, "soon"]) {
    assert.throws(() => client.governed(() => 1, { actionType: "look", approvalTimeout }), RangeError);
    assert.throws(() => governed(() => 1, { actionType: "look", approvalTimeout }), RangeError);
    await assert.rejects(client.track({ action_type: "look" }, () => 1, { approvalTimeout }), RangeError);
  }
  assert.deepEqual(sent("POST /api/actions"), []);
});
