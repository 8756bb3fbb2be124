import assert from "node:assert/strict";
import { inspect } from "node:util";
import { test } from "node:test";
import * as assent from "@assent/client";
import { action, ALLOWED, BLOCKED, json, refused, service } from "./service.mjs";

const { Client } = assent;

function client(answers, options = {}) {
  const { fetch, asked } = service(...answers);
  return { asked, client: new Client({ baseUrl: "http://127.0.0.1:1", apiKey: "k", agentId: "bot", fetch, say: () => {}, ...options }) };
}

const PROBLEM = { code: "storage_unavailable", title: "Unavailable", detail: "the disk is full", errors: [] };

test("a question carries key, agent, strictness, an id and an idempotency key", async () => {
  const { client: one, asked } = client([json(ALLOWED)]);
  assert.equal((await one.guard({ action_type: "look", mood: "calm" })).decision, "allow");
  const [request] = asked;
  assert.equal(request.url, "http://127.0.0.1:1/api/guard");
  assert.equal(request.method, "POST");
  assert.deepEqual(request.body, { agent_id: "bot", action_type: "look", mood: "calm" });
  assert.equal(request.headers.get("x-api-key"), "k");
  assert.equal(request.headers.get("prefer"), "handling=strict");
  assert.match(request.headers.get("x-request-id"), /^[0-9a-f]{32}$/);
  assert.match(request.headers.get("idempotency-key"), /^[0-9a-f]{32}$/);
  assert.equal(request.redirect, "manual");
});

test("what did not get through is sent again with its key and another id", async () => {
  const { client: one, asked } = client([json(PROBLEM, { status: 503, headers: { "retry-after": "0" } }), refused("ECONNRESET"), json(ALLOWED)]);
  await one.guard({ action_type: "look" });
  assert.equal(asked.length, 3);
  assert.equal(new Set(asked.map((each) => each.headers.get("idempotency-key"))).size, 1);
  assert.equal(new Set(asked.map((each) => each.headers.get("x-request-id"))).size, 3);
});

test("a key of the caller's own is the one that is sent", async () => {
  const { client: one, asked } = client([json({})]);
  await one.createAction({ action_type: "look" }, { idempotencyKey: "order-7" });
  await one.createAction({ action_type: "look", idempotency_key: "order-8" });
  assert.deepEqual(asked.map((each) => [each.headers.get("idempotency-key"), each.body.idempotency_key]), [["order-7", undefined], [null, "order-8"]]);
  await assert.rejects(one.createAction({ action_type: "look" }, { idempotencyKey: "or\nder" }), TypeError);
});

test("retries and retryFor bound it", async () => {
  for (const [options, attempts] of [
    [{ retries: 0 }, 1],
    [{ retries: 2 }, 3],
    [{ retryFor: 0 }, 1],
  ]) {
    const { client: one, asked } = client([refused()], options);
    await assert.rejects(one.createAction({ action_type: "look" }), { name: "ConnectionFailed", uncertain: false });
    assert.equal(asked.length, attempts, JSON.stringify(options));
  }
});

test("a port that fetch refuses by itself was never asked", async () => {
  const one = new assent.Client({ baseUrl: "http://127.0.0.1:9", apiKey: "k", retries: 0 });
  await assert.rejects(one.createAction({ action_type: "look" }), { name: "ConnectionFailed", reason: "bad port", uncertain: false });
});

test("what could happen twice is not sent again", async () => {
  const { client: one, asked } = client([refused("ECONNRESET")]);
  await assert.rejects(one.sendMessage({ body: "x" }), { name: "ConnectionFailed", uncertain: true });
  assert.equal(asked.length, 1);
  const reading = client([refused("ECONNRESET"), json({ actions: [] })]);
  await reading.client.getActions();
  assert.equal(reading.asked.length, 2);
});

test("a refusal is not repeated, and has name, code, status and details", async () => {
  for (const [status, name] of [
    ...[[400, "InvalidRequest"], [401, "Unauthorized"], [403, "Forbidden"], [404, "NotFound"], [409, "Conflict"]],
    ...[[410, "Gone"], [422, "InvalidRequest"], [429, "TooManyRequests"], [500, "ServerError"], [302, "ApiError"]],
  ]) {
    const errors = [{ place: "$.status", message: "unknown" }];
    const type = "urn:assent:problem:some_code";
    const { client: one, asked } = client([json({ type, code: "some_code", detail: "no", errors }, { status })]);
    await assert.rejects(one.updateOutcome("act_1", { status: "completed" }), (error) => {
      assert.equal(error.name, name);
      assert.ok(error instanceof assent.ApiError && error instanceof assent.AssentError);
      assert.deepEqual([error.code, error.status, error.detail, error.details], ["some_code", status, "no", errors]);
      return true;
    });
    assert.equal(asked.length, 1, name);
  }
});

test("an answer with another request's id is thrown away, and asked for again where that may be", async () => {
  const other = json(ALLOWED, { id: "0".repeat(32) });
  const { client: one, asked } = client([other, json({ ...ALLOWED, decision_id: "dec_2" })]);
  assert.equal((await one.guard({ action_type: "look" })).decision_id, "dec_2");
  assert.equal(asked.length, 2);
  const always = client([other], { retries: 1, acceptUnboundAnswers: true });
  await assert.rejects(always.client.guard({ action_type: "look" }), { name: "UnboundAnswer", answered: "0".repeat(32) });
  assert.equal(always.asked.length, 2);
});

test("a success without an id lets nothing through, unless that is accepted", async () => {
  const bare = json(ALLOWED, { id: null });
  const { client: one, asked } = client([bare]);
  await assert.rejects(one.guard({ action_type: "look" }), { name: "UnboundAnswer", answered: undefined, uncertain: true });
  assert.equal(asked.length, 1);
  assert.equal((await client([bare], { acceptUnboundAnswers: true }).client.guard({ action_type: "look" })).decision, "allow");
  await assert.rejects(client([json({ code: "x" }, { status: 404, id: null })]).client.getAction("act_1"), { name: "NotFound" });
});

test("a block raises, and so does a decision that nobody knows", async () => {
  await assert.rejects(client([json(BLOCKED)]).client.guard({ action_type: "wipe" }), { name: "GuardBlockedError", reasons: ["Nobody wipes"], actionId: undefined });
  await assert.rejects(client([json({ ...ALLOWED, decision: "maybe" })]).client.guard({ action_type: "look" }), { name: "GuardBlockedError" });
  assert.equal((await client([json(BLOCKED)]).client.guard({ action_type: "wipe" }, { raiseOnBlock: false })).decision, "block");
  const creation = json({ code: "action_blocked", decision: BLOCKED, action: { action_id: "act_9" } }, { status: 403 });
  await assert.rejects(client([creation]).client.createAction({ action_type: "wipe" }), { name: "GuardBlockedError", actionId: "act_9" });
  await assert.rejects(client([json({ code: "action_blocked" }, { status: 403 })]).client.createAction({ action_type: "wipe" }), { name: "Forbidden" });
});

test("what is no answer of ours is an error", async () => {
  for (const [body, type, file] of [["<html>", "text/html", false], ["{", "application/json", false], ["<html>", "text/html", true]]) {
    const page = (request) => new Response(body, { headers: { "content-type": type, "x-request-id": request.headers.get("x-request-id") } });
    const { client: one } = client([page]);
    await assert.rejects(file ? one.exportProof() : one.getSignals(), { name: "ServerError", code: "unreadable_answer" });
  }
});

test("an answer that could be read in two ways lets nothing through", async () => {
  const text = (body, { status = 200, ids = (id) => [id] } = {}) => (request) =>
    new Response(body, { status, headers: ids(request.headers.get("x-request-id")).map((id) => ["x-request-id", id]) });
  const decided = JSON.stringify(ALLOWED);
  const ways = {
    "two request ids": text(decided, { ids: (id) => ["0".repeat(32), id] }),
    "a member twice": text(decided.replace("{", '{"decision":"block",')),
    "a member twice under other letters": text(decided.replace("{", '{"\\u0064ecision" : "block",')),
    "a member twice, further in": text(decided.replace("{", '{"more":[{"a":1,"a":1}],')),
    "another status": text(decided, { status: 202 }),
  };
  for (const [name, answer] of Object.entries(ways)) await assert.rejects(client([answer], { retries: 0 }).client.guard({ action_type: "look" }), { name: "UnboundAnswer" }, name);
  const other = decided.replace("{", '{"a":{"decision":1,"b":"decision\\":"},"c":[{"a":1},{"a":1}],');
  assert.equal((await client([text(other)]).client.guard({ action_type: "look" })).decision, "allow");
});

test("an answer about another action is none to an outcome", async () => {
  for (const answer of [{ action: action("completed", { action_id: "act_2" }) }, { action_id: "act_2", action: action() }, {}]) {
    const { client: one } = client([json(answer)], { retries: 0 });
    await assert.rejects(one.updateOutcome("act_1", { status: "completed" }), { name: "OutcomeLost", actionId: "act_1", uncertain: true });
    await assert.rejects(one.reportActionSuccess("act_1"), { name: "OutcomeLost" });
  }
  const { client: again } = client([json({ action: action("completed", { action_id: "act_2" }) }), json({ action: action("completed") })]);
  assert.equal((await again.updateOutcome("act_1", { status: "completed" })).action.action_id, "act_1");
});

test("an outcome that cannot be told is lost, and says whose", async () => {
  const { client: one } = client([refused("ECONNRESET")], { retries: 0 });
  await assert.rejects(one.updateOutcome("act_1", { status: "completed" }), { name: "OutcomeLost", actionId: "act_1", uncertain: true });
  await assert.rejects(one.reportActionSuccess("act_1"), { name: "OutcomeLost" });
  for (const [status, name] of [[503, "OutcomeLost"], [502, "OutcomeLost"], [500, "ServerError"], [409, "Conflict"]]) {
    const { client: other } = client([json({ type: "urn:assent:problem:x", code: "x" }, { status })], { retries: 0 });
    await assert.rejects(other.updateOutcome("act_1", { status: "failed" }), { name });
  }
});

test("what something in between answers to an outcome is no answer of the service", async () => {
  const page = (status, headers) => () => new Response(status === 204 ? null : "<html>no</html>", { status, headers: { "content-type": "text/html", ...headers } });
  const echoed = (request) => new Response("{", { headers: { "x-request-id": request.headers.get("x-request-id") } });
  const problem = json({ type: "about:blank", code: "action_not_found" }, { status: 404 });
  const answers = [...[200, 204, 400, 401, 403, 404, 405, 409, 413, 422, 500].map((status) => page(status)), page(302, { location: "https://sso.invalid/" }), echoed, problem];
  for (const answer of answers) {
    const { client: one } = client([answer], { retries: 0 });
    await assert.rejects(one.updateOutcome("act_1", { status: "completed" }), { name: "OutcomeLost", actionId: "act_1", uncertain: true });
    await assert.rejects(one.reportActionSuccess("act_1"), { name: "OutcomeLost", uncertain: true });
  }
  const missing = json({ type: "urn:assent:problem:action_not_found", code: "action_not_found" }, { status: 404, id: null });
  await assert.rejects(client([missing]).client.updateOutcome("act_1", { status: "completed" }), { name: "NotFound" });
  await assert.rejects(client([page(404)]).client.getAction("act_1"), { name: "NotFound" });
});

test("an attempt ends after its time, and a caller's signal ends it at once", async () => {
  const never = (request) => new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)));
  const { client: one } = client([never], { timeout: 30, retries: 0 });
  // A signal's timer alone does not keep the process waiting.
  const alive = setInterval(() => {}, 1000);
  await assert.rejects(one.getAction("act_1"), { name: "ConnectionFailed", late: true });
  const stop = new AbortController();
  const asking = client([never]).client.getAction("act_1", { signal: stop.signal });
  stop.abort(new RangeError("enough"));
  await assert.rejects(asking, { name: "RangeError" });
  clearInterval(alive);
});

test("paths are one segment each, queries have the wire's names, nothing is left", async () => {
  const { client: one, asked } = client([json({})]);
  await one.getAction("../x/y");
  await one.getActions({ actionType: "a b", riskMin: 5, days: undefined, agent_id: null, limit: 2 });
  assert.equal(asked[0].url, "http://127.0.0.1:1/api/actions/..%2Fx%2Fy");
  assert.equal(asked[1].url, "http://127.0.0.1:1/api/actions?action_type=a+b&risk_min=5&limit=2");
  for (const wrong of ["", ".", "..", undefined, 7]) assert.throws(() => one.getAction(wrong), TypeError);
  await assert.rejects(one.guard({ action_type: "look", cost: NaN }), RangeError);
});

test("what cannot be is told when the client is made, without the key", () => {
  for (const options of [
    ...[{ baseUrl: "ftp://x" }, { baseUrl: "http://u:p@x" }, { baseUrl: "nonsense" }, { apiKey: "se cret" }, { apiKey: "se\ncret" }],
    ...[{ timeout: 0 }, { retries: -1 }, { retries: 0.5 }, { retryFor: 240_001 }],
  ])
    assert.throws(() => new Client(options), (error) => !/se.?cret|u:p/.test(error.message), JSON.stringify(options));
  const one = new Client({ apiKey: "secret-key-of-mine" });
  assert.doesNotMatch(inspect(one, { depth: 9, showHidden: true }) + JSON.stringify(one), /secret-key-of-mine/);
});

test("each operation of the table is a method that sends what it is given", async () => {
  const { client: one, asked } = client([json({ action_id: "one" })]);
  const ids = ["one", "two"];
  for (const [name, place] of Object.entries(assent.OPERATIONS)) {
    assert.equal(typeof one[name], "function", name);
    const [method, path, ...words] = place.split(" ");
    const args = [...ids.slice(0, path.split("{").length - 1), ...(words.includes("body") ? [{ x: 1 }] : []), ...(words.includes("query") ? [{ q: 2 }] : [])];
    if (words.includes("file")) continue;
    await one.call(name, ...args);
    const request = asked.at(-1);
    let at = 0;
    const wanted = path.replace(/\{\w+\}/g, () => ids[at++]);
    assert.equal(request.method, method);
    assert.equal(new URL(request.url).pathname, wanted);
    assert.equal(words.includes("query"), new URL(request.url).searchParams.get("q") === "2");
    assert.equal(request.body?.x, words.includes("body") ? 1 : undefined);
  }
  assert.ok(Object.keys(assent.OPERATIONS).length > 250);
});

test("members by position go where the wire has them", async () => {
  const { client: one, asked } = client([json({ action: action() })]);
  const sent = async (calling) => {
    await calling;
    const { method, url, body } = asked.at(-1);
    return [method, url.slice("http://127.0.0.1:1".length), body];
  };
  assert.deepEqual(await sent(one.approveAction("act_1", "deny", "no")), ["POST", "/api/actions/act_1/approve", { decision: "deny", reasoning: "no" }]);
  assert.deepEqual(await sent(one.registerOpenLoop("act_1", "question", "why?")), ["POST", "/api/actions/loops", { action_id: "act_1", loop_type: "question", description: "why?" }]);
  assert.deepEqual(await sent(one.resolveOpenLoop("loop_1", "resolved", "so")), ["PATCH", "/api/actions/loops/loop_1", { status: "resolved", resolution: "so" }]);
  assert.deepEqual(await sent(one.addThreadEntry("thr_1", "text", "milestone")), ["POST", "/api/context/threads/thr_1/entries", { agent_id: "bot", content: "text", entry_type: "milestone" }]);
  assert.deepEqual(await sent(one.closeThread("thr_1", "done")), ["PATCH", "/api/context/threads/thr_1", { status: "closed", summary: "done" }]);
  assert.deepEqual(await sent(one.scanPromptInjection("text", { source: "user_input" })), ["POST", "/api/security/prompt-injection", { agent_id: "bot", source: "user_input", text: "text" }]);
  assert.deepEqual(await sent(one.getPendingApprovals({ limit: 3 })), ["GET", "/api/actions?limit=3&status=pending_approval", undefined]);
  assert.deepEqual(await sent(one.getInbox({ type: "question", unread: true })), ["GET", "/api/messages?agent_id=bot&message_type=question&unread=true&direction=inbox", undefined]);
  assert.deepEqual(await sent(one.getLatestHandoff()), ["GET", "/api/handoffs?agent_id=bot&latest=true", undefined]);
  assert.deepEqual(await sent(one.getGovernanceProofBundle({ actionId: "act_1" })), ["GET", "/api/governance/proof?action_id=act_1&format=bundle", undefined]);
  assert.deepEqual(await sent(one.verifyGovernanceProof("act_1")), ["POST", "/api/governance/proof/verify", { action_id: "act_1" }]);
  assert.deepEqual(await sent(one.heartbeat("busy", { q: 1 })), ["POST", "/api/agents/heartbeat", { agent_id: "bot", status: "busy", metadata: { q: 1 } }]);
  assert.deepEqual(await sent(one.actionContext("act_1").sendMessage({ to: "x", body: "hi" })), ["POST", "/api/messages", { from_agent_id: "bot", to: "x", body: "hi", action_id: "act_1" }]);
});

test("another agent than the client's own is said in either spelling", async () => {
  const { client: one, asked } = client([json(ALLOWED)]);
  await one.guard({ action_type: "look", agent_id: "other" });
  await one.guard({ action_type: "look", agentId: "other" });
  assert.deepEqual(asked.map((each) => each.body.agent_id ?? each.body.agentId), ["other", "other"]);
  await one.withOptions({ agentId: "third" }).guard({ action_type: "look" });
  assert.equal(asked.at(-1).body.agent_id, "third");
});

const KEY = "assent_mine/and+nobody's";

test("the key is in nothing that an error tells", async () => {
  const echo = (status, body) => (request) => new Response(body(request.headers.get("x-api-key")), { status, headers: { "content-type": "application/problem+json", "x-request-id": request.headers.get("x-request-id"), location: `http://127.0.0.1:1/${KEY}/` } });
  const problem = (key) => JSON.stringify({ code: "x", detail: `you said ${key}`, headers: { list: [key] }, errors: [{ place: "$", message: key }], decision: { ...BLOCKED, reasons: [key] } });
  const thrown = () => {
    const cause = Object.assign(new Error(`it sent ${KEY}`), { code: "ECONNRESET", init: { headers: { "x-api-key": KEY } }, all: new Headers({ "x-api-key": KEY }) });
    throw Object.assign(new TypeError(`fetch failed: ${KEY}`, { cause }), { frozen: Object.freeze({ key: KEY }) });
  };
  const answers = {
    "a problem": echo(400, problem),
    "a page": echo(500, (key) => `<p>${key} ${encodeURIComponent(key)}</p>`),
    "a redirection": echo(302, () => ""),
    "an id": (request) => new Response("{}", { headers: { "x-request-id": request.headers.get("x-api-key") } }),
    "a fetch of one's own": thrown,
    "a block": echo(403, (key) => problem(key).replace('"x"', '"action_blocked"')),
    "a decision": json({ ...BLOCKED, reasons: [KEY], action_type: KEY }),
  };
  for (const [name, answer] of Object.entries(answers))
    for (const call of [(one) => one.guard({ action_type: "look" }), (one) => one.updateOutcome("act_1", { status: "completed" }), (one) => one.events().next()]) {
      if (name === "a decision" && !String(call).includes("guard")) continue;
      const { client: one } = client([answer], { apiKey: KEY, retries: 0 });
      await assert.rejects(call(one), (error) => {
        const told = inspect(error, { depth: 20, showHidden: true, getters: true }) + error.message + error.stack + JSON.stringify(error);
        for (const form of [KEY, encodeURIComponent(KEY)]) assert.ok(!told.includes(form), `${name}: ${told}`);
        if (name !== "an id") assert.ok(told.includes("[REDACTED:api_key]"), `${name}: ${told}`);
        return true;
      });
    }
  const denied = { action: action("cancelled"), approval: { state: "denied", reasoning: `no, ${KEY}` } };
  await assert.rejects(client([json(denied)], { apiKey: KEY }).client.waitForApproval("act_1"), { message: /no, \[REDACTED:api_key\]\. / });
});

test("a call's own time, and a redirection's place, and a missing key are told", async () => {
  for (const timeout of [2 ** 31, Infinity, NaN, 0]) {
    assert.throws(() => new Client({ timeout }), /^RangeError: timeout is .*; give milliseconds above 0, up to 2147483647$/);
    await assert.rejects(client([json({})]).client.getActions({}, { timeout }), /^RangeError: timeout is/);
  }
  const moved = (request) => new Response("", { status: 307, headers: { location: "http://127.0.0.1:2/here?token=x", "x-request-id": request.headers.get("x-request-id") } });
  await assert.rejects(client([moved]).client.getActions(), /points to http:\/\/127\.0\.0\.1:2\/here; it begins/);
  const keyless = json({ code: "unauthorized", detail: "Say who you are." }, { status: 401 });
  await assert.rejects(client([keyless], { apiKey: "" }).client.getActions(), { detail: "Say who you are. No key was sent: set ASSENT_API_KEY, or give apiKey." });
  await assert.rejects(client([keyless]).client.getActions(), { detail: "Say who you are." });
  for (const options of [{ apiKey: {} }, { baseUrl: 5 }, { agentId: [] }, { privateKey: 7 }])
    assert.throws(() => new Client(options), { name: "TypeError", message: `${Object.keys(options)[0]} is no text` });
});

test("what is no record, and what is too large, is an unreadable answer", async () => {
  for (const body of [null, 1, true, "x"]) await assert.rejects(client([json(body)]).client.getActions(), { name: "ServerError", code: "unreadable_answer" });
  const endless = (request) => {
    const chunk = new Uint8Array(2 ** 22);
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
    return new Response(body, { headers: { "content-type": "application/json", "x-request-id": request.headers.get("x-request-id") } });
  };
  await assert.rejects(client([endless]).client.getActions(), { code: "unreadable_answer", detail: /answered with more than 67108864 bytes$/ });
});

test("a client with other options keeps what is undefined", async () => {
  const { client: one, asked } = client([json(ALLOWED)]);
  const other = one.withOptions({ apiKey: undefined, baseUrl: undefined, agentId: undefined, agentName: "The bot" });
  await other.guard({ action_type: "look" });
  assert.equal(asked[0].headers.get("x-api-key"), "k");
  assert.equal(asked[0].body.agent_id, "bot");
  assert.equal(other.baseUrl, "http://127.0.0.1:1");
});

test("a refusal tells the wrong members that it names", async () => {
  const errors = [null, 7, "x", {}, { place: "$.a" }, { place: "$.b", message: "is no number" }];
  await assert.rejects(client([json({ ...PROBLEM, errors }, { status: 400 })]).client.guard({ action_type: "look" }), (error) => {
    assert.deepEqual(error.details, [{ place: "$.b", message: "is no number" }]);
    assert.doesNotMatch(error.message, /undefined|null/);
    return true;
  });
});
