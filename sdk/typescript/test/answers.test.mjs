// What lets a call run, and what does not though it came with the id of its request.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@assent/client";
import { governTools } from "@assent/client/ai";
import { action, ALLOWED, approvalOf, created, json, NOW, service, stream } from "./service.mjs";

const ACT = `sha256:${"a".repeat(64)}`;
const WAITS = { action: { status: "pending_approval" }, decision: { ...ALLOWED, decision: "require_approval" }, approval: { state: "awaiting", act_digest: ACT } };
const APPROVED = { state: "approved", reasoning: null, act_digest: ACT, claimed_at: NOW };

function client(routes) {
  const { fetch, asked } = service((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/api/stream") return stream([], { stays: true })(request);
    return (routes[`${request.method} ${pathname}`] ?? json({ action: action() }))(request);
  });
  const one = new Client({ baseUrl: "http://127.0.0.1:1", apiKey: "k", agentId: "bot", fetch, say: () => {} });
  const outcomes = () => asked.filter((each) => each.method === "PATCH").map((each) => each.body);
  return { one, outcomes };
}

/** The three ways in that create an action by themselves. */
const WAYS = {
  track: (one, work) => one.track({ action_type: "pay", declared_goal: "x" }, work),
  governed: (one, work) => one.governed(async () => work(), { actionType: "pay" })(7),
  tools: (one, work) => governTools({ pay: { execute: () => work() } }, { client: one }).pay.execute({ n: 7 }),
};

async function refuses(name, routes, ways = Object.keys(WAYS)) {
  for (const way of ways) {
    let ran = 0;
    const { one } = client(routes);
    const ended = await WAYS[way](one, () => ++ran).then(() => "it gave a result", (error) => (error.name === "ToolRefused" ? error.cause : error).name);
    assert.equal(ran, 0, `${way} ran by ${name}`);
    assert.match(ended, /^(UnboundAnswer|ServerError)$/, `${way}: ${name}`);
  }
}

const creates = (more) => ({ "POST /api/actions": created(more) });
const plain = (body) => ({ "POST /api/actions": json(body) });

test("an answer that is not whole lets nothing run", async () => {
  for (const body of [null, [], "allow", true, 1, {}, { action: {} }, { action: { status: "running" } }, { action_id: "act_1", action: null, decision: ALLOWED }])
    await refuses(JSON.stringify(body), plain(body));
  for (const status of [undefined, null, "", ["running"], 1]) await refuses(`the status ${status}`, { "POST /api/actions": altered((answer) => (answer.action.status = status)) });
  for (const decision of [undefined, null, {}, { decision: null }, { decision: ["allow"] }]) await refuses(`the decision ${JSON.stringify(decision)}`, { "POST /api/actions": altered((answer) => (answer.decision = decision)) });
  for (const id of [undefined, null, "", 7]) await refuses(`the id ${id}`, { "POST /api/actions": altered((answer) => (answer.action.action_id = answer.action_id = id)) });
});

test("an answer that does not say yes lets nothing run", async () => {
  for (const status of ["blocked", "completed", "cancelled", "failed", "pending", "RUNNING", "weird"]) await refuses(status, creates({ action: { status } }));
  for (const decision of ["block", "require_approval", "ALLOW", "maybe"]) await refuses(decision, creates({ decision: { ...ALLOWED, decision } }));
  await refuses("an action that guard blocked", creates({ action: { decision: "block" } }));
  for (const status of [203, 207, 226]) await refuses(`the status ${status}`, { "POST /api/actions": created({}, { status }) });
  for (const state of ["awaiting", "denied", "pending"]) await refuses(`the approval ${state}`, creates({ approval: { state } }));
});

test("an answer about another action lets nothing run", async () => {
  for (const more of [{ action_type: "look" }, { agent_id: "other" }, { agent_id: null }, { action_id: "act_2" }]) await refuses(JSON.stringify(more), creates({ action: more }));
  for (const digest of [null, `sha256:${"0".repeat(64)}`]) await refuses(`the digest ${digest}`, creates({ action: { parameters_digest: digest } }), ["governed", "tools"]);
  for (const change of [{ action_id: "act_2" }, { decision_id: "dec_2" }, { agent_id: "other" }, { action_type: "wipe" }, { action_id: null }])
    await refuses(`the decision's ${JSON.stringify(change)}`, { "POST /api/actions": altered((answer) => Object.assign(answer.decision, change)) });
  for (const change of [{ action_id: "act_2" }, { agent_id: "other" }, { action_type: "wipe" }])
    await refuses(`the approval's ${JSON.stringify(change)}`, creates({ approval: { ...APPROVED, ...change } }));
  await refuses("another id beside it", creates({ action_id: "act_2" }));
  await refuses("another action again", creates({ idempotent_replay: true, action: { action_type: "look" } }));
  const own = client(creates({})).one.track({ action_type: "pay", action_id: "act_9" }, () => assert.fail("it ran"));
  await assert.rejects(own, { name: "UnboundAnswer" });
});

test("marks of an answered name are few when they are put in order", async () => {
  const { normalize } = String.prototype;
  let longest = 0;
  String.prototype.normalize = function (form) {
    longest = Math.max(longest, ...(String(this).match(/\p{M}+/gu) ?? []).map((run) => run.length));
    return normalize.call(this, form);
  };
  try {
    await refuses("a name with many marks", creates({ action: { action_type: `pay${"\u0301\u0323".repeat(500)}` } }));
  } finally {
    String.prototype.normalize = normalize;
  }
  assert.ok(longest > 0 && longest <= 60, `${longest} marks`);
});

test("another spelling of the name that was sent is the same name", async () => {
  for (const [sent, kept, as_sent] of [["Pay  Out", "pay out"], ["ＰＡＹ", "pay"], ["Straße", "strasse"], ["раy", "pay", "раy"]]) {
    const { one } = client(creates({ action: { action_type: kept, ...(as_sent && { action_type_as_sent: as_sent }) } }));
    assert.equal(await one.track({ action_type: sent }, () => 7), 7, sent);
  }
  const { one } = client(creates({ action: { agent_id: "BOT" } }));
  assert.equal(await one.track({ action_type: "pay" }, () => 7), 7);
});

test("a grant, a warning and a repetition that still runs let it run", async () => {
  const asks = { ...ALLOWED, decision: "require_approval" };
  for (const more of [{ decision: { ...ALLOWED, decision: "warn" } }, { decision: asks, approval: APPROVED }, { decision: asks, approval: APPROVED, idempotent_replay: true }])
    assert.equal(await client(creates(more)).one.track({ action_type: "pay" }, () => 7), 7, JSON.stringify(more));
});

test("an action that waited runs only by its own approval", async () => {
  let made;
  const found = (action_more, approval) => ({
    "POST /api/actions": async (request) => {
      const answer = created(WAITS, { status: 202 })(request);
      made = (await answer.clone().json()).action;
      return answer;
    },
    "GET /api/actions/act_1": (request) => json({ action: { ...made, status: "running", ...action_more }, approval: approval && approvalOf(made, approval) })(request),
  });
  for (const [more, approval] of [[{ action_id: "act_2" }, APPROVED], [{ action_type: "look" }, APPROVED], [{ agent_id: "x" }, APPROVED], [{ status: "completed" }, APPROVED], [{}, null], [{ status: "pending" }, null], [{}, { ...APPROVED, action_id: "act_2" }], [{}, { ...APPROVED, agent_id: "x" }], [{}, { ...APPROVED, action_type: "look" }]])
    await refuses(JSON.stringify([more, approval]), found(more, approval), ["track"]);
  const { one } = client(found({}, APPROVED));
  assert.equal(await one.track({ action_type: "pay" }, () => 7), 7);
});

test("what something in between answers to a wait ends none, and lets nothing run", async () => {
  const page = (status, headers = {}) => () => new Response("<html>no</html>", { status, headers: { "content-type": "text/html", ...headers } });
  const between = [404, 403, 409, 503].map((status) => page(status));
  for (const answer of [...between, page(302, { location: "https://login.invalid/" }), json({}), json([])]) {
    let made;
    let looked = 0;
    const creation = (request) => {
      const answered = created(WAITS, { status: 202 })(request);
      return answered.clone().json().then((body) => ((made = body.action), answered));
    };
    const approved = (request) => json({ action: { ...made, status: "running" }, approval: approvalOf(made, APPROVED) })(request);
    const later = client({ "POST /api/actions": creation, "GET /api/actions/act_1": (request) => (looked++ ? approved : answer)(request) });
    // The time of the wait is over before its next look, which finds it; it is long enough for a first one on a busy machine.
    assert.equal(await later.one.track({ action_type: "pay" }, () => 7, { approvalTimeout: 500 }), 7);
    assert.equal(looked, 2);
    const never = client({ "POST /api/actions": creation, "GET /api/actions/act_1": answer });
    await assert.rejects(never.one.track({ action_type: "pay" }, () => assert.fail("it ran"), { approvalTimeout: 40 }), { name: "ApprovalTimeoutError" });
  }
});

test("an approval that was not claimed for this act lets nothing run", async () => {
  let made;
  const claims = (change) => ({
    "POST /api/actions": async (request) => {
      const answer = created(WAITS, { status: 202 })(request);
      made = (await answer.clone().json()).action;
      return answer;
    },
    "GET /api/actions/act_1": (request) => json({ action: { ...made, status: "running" }, approval: approvalOf(made, APPROVED) })(request),
    "POST /api/actions/act_1/claim": (request) => {
      const whole = { action: { ...made, status: "running" }, approval: approvalOf(made, APPROVED), act_digest: ACT };
      return json(change(whole) ?? whole)(request);
    },
  });
  const changes = {
    nothing: () => ({}),
    "another action": (answer) => void (answer.action.action_id = "act_2"),
    "another digest": (answer) => void (answer.action.parameters_digest = ACT),
    "another act": (answer) => void (answer.act_digest = `sha256:${"b".repeat(64)}`),
    "no act": (answer) => void delete answer.act_digest,
    ...Object.fromEntries(["cancelled", "denied", "completed", "pending_approval"].map((status) => [`an action that is ${status}`, (answer) => void (answer.action.status = status)])),
    "an approval of another action": (answer) => void (answer.approval.action_id = "act_2"),
    "an approval of another agent": (answer) => void (answer.approval.agent_id = "other"),
    "an approval of another type": (answer) => void (answer.approval.action_type = "wipe"),
    "an approval of another act": (answer) => void (answer.approval.act_digest = `sha256:${"b".repeat(64)}`),
    "an approval of no act": (answer) => void (answer.approval.act_digest = null),
    "a denied approval": (answer) => void (answer.approval.state = "denied"),
    "no approval": (answer) => void delete answer.approval,
  };
  for (const [name, change] of Object.entries(changes)) await refuses(name, claims(change), ["governed", "tools"]);
  const { one, outcomes } = client(claims(changes["another act"]));
  await assert.rejects(WAYS.governed(one, () => assert.fail("it ran")), { name: "UnboundAnswer" });
  assert.equal(outcomes()[0].status, "failed");
  assert.equal(await WAYS.governed(client(claims(() => {})).one, () => 7), 7);
});

test("what an answer to something else left behind is ended", async () => {
  let asked = 0;
  const swapped = (more, change) => async (request) => {
    const answer = await created(more)(request).json();
    if (asked++ === 0) change(answer);
    return json({ ...answer, idempotent_replay: asked > 1 })(request);
  };
  for (const [more, change, withdrawn, status] of [
    [{}, (answer) => (answer.action.action_type = "wipe"), 0, "failed"],
    [{}, (answer) => (answer.action.status = "weird"), 0, "failed"],
    [WAITS, (answer) => (answer.action.agent_id = "other"), 1, undefined],
  ]) {
    asked = 0;
    let withdrawals = 0;
    const withdraw = (request) => (withdrawals++, json({})(request));
    const { one, outcomes } = client({ "POST /api/actions": swapped(more, change), "POST /api/actions/act_1/withdraw": withdraw });
    await assert.rejects(one.track({ action_type: "pay" }, () => assert.fail("it ran")), { name: "UnboundAnswer" });
    assert.equal(withdrawals, withdrawn);
    assert.equal(outcomes()[0]?.status, status);
    assert.match(outcomes()[0]?.error_message ?? "UnboundAnswer", /UnboundAnswer/);
  }
  // What is not this action after all is left alone, and so is what a key of the program's own finds.
  const never = client(creates({ action: { agent_id: "other" } }));
  await assert.rejects(never.one.track({ action_type: "pay" }, () => assert.fail("it ran")), { name: "UnboundAnswer" });
  asked = 0;
  const keyed = client({ "POST /api/actions": swapped({}, (answer) => (answer.action.action_type = "wipe")) });
  await assert.rejects(keyed.one.track({ action_type: "pay", idempotency_key: "mine" }, () => assert.fail("it ran")), { name: "UnboundAnswer" });
  assert.deepEqual([never.outcomes(), keyed.outcomes()], [[], []]);
});

test("a wait that the program's own code ends is taken back", async () => {
  let withdrawn;
  const { fetch } = service((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/api/stream") return stream([], { stays: true })(request);
    if (pathname.endsWith("/withdraw")) withdrawn = request.body;
    return (request.method === "POST" ? created(WAITS, { status: 202 }) : json({ action: action("pending_approval"), approval: { state: "awaiting" } }))(request);
  });
  const say = () => {
    throw new RangeError("no paper");
  };
  const one = new Client({ baseUrl: "http://127.0.0.1:1", apiKey: "k", agentId: "bot", fetch, say });
  await assert.rejects(one.track({ action_type: "pay" }, () => assert.fail("it ran")), { name: "RangeError" });
  assert.deepEqual(withdrawn, { reason: "RangeError: no paper" });
});

test("guard with an answer that is none throws as other nonsense does", async () => {
  for (const body of [null, 1, "x", [], {}, { decision: "block" }, { decision: ["block"], reasons: [], matched_policies: [] }]) {
    const { fetch } = service(json(body));
    const one = new Client({ baseUrl: "http://127.0.0.1:1", apiKey: "k", fetch });
    await assert.rejects(one.guard({ action_type: "pay" }), { name: "ServerError", code: "unreadable_answer" }, JSON.stringify(body));
  }
});

function altered(change) {
  return async (request) => {
    const answer = await created()(request).json();
    change(answer);
    return json(answer)(request);
  };
}
