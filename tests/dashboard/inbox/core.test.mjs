// The inbox's core, without a page: `node --test`. What a rule of core.js says, and many events in any order.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Inbox } from "../../../dashboard/assent_dashboard/inbox/frontend/core.js";
import { badges, retell, standing, waits } from "../../../dashboard/assent_dashboard/inbox/frontend/detail.js";
import { Form } from "../../../dashboard/assent_dashboard/inbox/frontend/form.js";
import { Given } from "../../../dashboard/assent_dashboard/inbox/frontend/given.js";
import { closeConnectionErrors } from "../../../dashboard/assent_dashboard/inbox/frontend/quiet.js";
import { became, duty, leaves, putOff, Saying } from "../../../dashboard/assent_dashboard/inbox/frontend/words.js";

const row = (id, more = {}) => ({
  id, goal: `Goal of ${id}`, agent: "payer", agent_id: "payer", type: "pay", systems: [], sentence: "", why: [],
  risk: 20, own_risk: null, reversible: true, simulated: false, asked: 1000, expires: 9000, alike: null, ...more,
});
const whole = (number, items, more = {}) => ({ v: `desk-${number}`, items, held: [], total: items.length, live: true, problem: null, ...more });
const change = (number, more) => ({ v: `desk-${number}`, ...more });

/** Newest first: a, b, c, d. */
function four() {
  const inbox = new Inbox();
  inbox.snapshot(whole(0, ["d", "c", "b", "a"].map((id, at) => row(id, { asked: at }))), 0);
  return inbox;
}
const ids = (inbox) => inbox.arranged().map((each) => each.id).join("");
const seen = (inbox, at = 0) => inbox.paint(inbox.cursor, at);
const late = (key, id, more = {}) => ({ key, row: row(id), answer: { id, ok: false, state: "denied", by: "ana", at: 7, why: "I was first", ...more } });

test("the newest, what expires first, or the riskiest stands on top", () => {
  const inbox = new Inbox();
  inbox.snapshot(whole(0, [row("a", { asked: 1, expires: 9, risk: 10 }), row("b", { asked: 2, expires: 8, risk: 90 }), row("c", { asked: 3, expires: 7, risk: 10 })]), 0);
  assert.equal(ids(inbox), "cba");
  inbox.look({ order: "expires" });
  assert.equal(ids(inbox), "cba");
  inbox.look({ order: "risk" });
  assert.equal(ids(inbox), "bac");
});

test("agent, type and words leave rows out, and say how many", () => {
  const inbox = new Inbox();
  inbox.snapshot(whole(0, [row("a", { agent_id: "x" }), row("b", { type: "ship" }), row("c", { goal: "Pay <Zoë> 5 EUR" })]), 0);
  inbox.look({ agent: "x" });
  assert.deepEqual([ids(inbox), inbox.hidden, inbox.fitting, inbox.cursor], ["a", 2, 1, "a"]);
  inbox.look({ type: "ship" });
  assert.equal(ids(inbox), "b");
  inbox.look({ search: " zoë  EUR " });
  assert.equal(ids(inbox), "c");
  inbox.look({ search: "nothing of it" });
  assert.deepEqual([ids(inbox), inbox.cursor], ["", null]);
});

test("the cursor moves by one, stops at both ends, and begins where it is wanted", () => {
  const inbox = four();
  assert.equal(inbox.cursor, "a");
  assert.equal(inbox.press("previous", 1).did, "end");
  for (const at of ["b", "c", "d"]) assert.deepEqual([inbox.press("next", 1).did, inbox.cursor], ["moved", at]);
  assert.equal(inbox.press("next", 1).did, "end");
  const other = new Inbox();
  other.wanted = "b";
  other.snapshot(whole(0, [row("a"), row("b"), row("c")]), 0);
  assert.equal(other.cursor, "b");
});

test("a key decides only on what was painted before it went down", () => {
  const inbox = four();
  assert.match(inbox.press("allow", 50).why, /not on the screen yet/);
  inbox.paint("a", 100);
  assert.match(inbox.press("allow", 99).why, /not on the screen yet/);
  assert.equal(inbox.press("allow", 100).press.id, "a");
  assert.equal(inbox.cursor, "b", "the press moves on");
  assert.match(inbox.press("allow", 300).why, /not on the screen yet/, "and the next one needs eyes on it");
  inbox.press("next", 302);
  inbox.paint("b", 303);
  assert.match(inbox.press("allow", 400).why, /not on the screen yet/, "what was painted was another one");
});

test("a key that goes down twice at once decides once", () => {
  const inbox = four();
  inbox.paint("a", 100);
  assert.equal(inbox.press("allow", 1000).press.id, "a");
  inbox.paint("b", 1020);
  assert.deepEqual([inbox.press("allow", 1149).did, inbox.outbox.size], ["refused", 1]);
  assert.match(inbox.press("allow", 1149).why, /twice at once/);
  assert.match(inbox.press("allow", 1298).why, /twice at once/, "a key that bounces on is one press, however long");
  assert.equal(inbox.press("allow", 1448).press.id, "b");
  inbox.paint("c", 1449);
  assert.equal(inbox.press("deny", 1450).form.kind, "reason", "another key is another press");
});

test("where not all arguments are shown, a form asks first", () => {
  const inbox = four();
  inbox.paint("a", 1, { hidden: 261 });
  assert.deepEqual(inbox.press("allow", 2).form, { kind: "word", verdict: "allow", ids: ["a"] });
  assert.deepEqual(inbox.press("grant", 3).form, { kind: "grant", ids: ["a"], hidden: 261 });
  assert.equal(inbox.outbox.size, 0);
});

test("nothing is allowed whose arguments were not painted before the key went down", () => {
  const inbox = four();
  inbox.paint("a", 1, { why: "its arguments are not shown yet" });
  for (const name of ["allow", "more", "grant"]) assert.equal(inbox.press(name, 2).why, "its arguments are not shown yet");
  inbox.paint("a", 3, { why: "its arguments go on below" });
  assert.equal(inbox.press("allow", 3).why, "its arguments go on below");
  assert.equal(inbox.press("deny", 2).form.kind, "reason");
  inbox.paint("a", 5);
  assert.equal(inbox.press("allow", 4).why, "its arguments go on below", "it went down before");
  assert.equal(inbox.press("grant", 4).why, "its arguments go on below", "nor is its like, from now on");
  assert.equal(inbox.press("grant", 5).form.kind, "grant");
  assert.equal(inbox.press("more", 5).form.kind, "more");
  assert.equal(inbox.press("allow", 5).did, "allow");
  assert.equal(inbox.read, null, "the next one was not read yet");
});

test("arguments of rows in sight are asked for together, once, and again where no answer came", async () => {
  let now = 0;
  let fails = true;
  const asked = [];
  let came = 0;
  const given = new Given(
    async (ids) => {
      asked.push(ids.join(""));
      if (fails) throw new Error("away");
      return Object.fromEntries(ids.filter((id) => id !== "z").map((id) => [id, [["n", id]]]));
    },
    () => (came += 1),
    () => now,
  );
  const first = given.want(["b", "a", "b"]);
  await given.want(["c"]);
  assert.deepEqual([asked, given.of("a")], [["ba"], null], "one question at a time");
  await first;
  await given.want(["b", "a"]);
  assert.equal(asked.length, 1, "not at once again");
  [now, fails] = [2000, false];
  await given.want(["b", "a", "z"]);
  assert.deepEqual([asked[1], given.of("a"), given.of("z"), came], ["baz", [["n", "a"]], null, 2]);
  await given.want(["b", "a"]);
  assert.equal(asked.length, 2, "known");
});

test("a key that is held down decides once", () => {
  const inbox = four();
  seen(inbox);
  for (const name of ["allow", "deny", "pick", "undo"]) assert.match(inbox.press(name, 1, true).why, /held down/);
  assert.equal(inbox.press("next", 1, true).did, "moved");
});

test("the cursor never moves by itself: not when others come, not when its own is gone", () => {
  const inbox = four();
  inbox.press("next", 1);
  inbox.change(change(1, { add: [row("new", { asked: 99 })] }), 1);
  assert.deepEqual([ids(inbox), inbox.cursor], ["newabcd", "b"]);
  inbox.change(change(2, { gone: [{ id: "b", state: "denied", by: "ana", at: 5, reason: "No" }] }), 2);
  assert.deepEqual([ids(inbox), inbox.cursor], ["newabcd", "b"], "a tombstone stands in its place");
  assert.equal(inbox.tombs.get("b").ending.by, "ana");
  seen(inbox);
  assert.match(inbox.press("allow", 9).why, /does not wait/);
  inbox.press("next", 10);
  assert.deepEqual([ids(inbox), inbox.cursor], ["newacd", "c"], "and goes when somebody moves on");
  inbox.change(change(3, { gone: [{ id: "a", state: "expired" }] }), 3);
  assert.equal(ids(inbox), "newcd", "others leave without a trace");
});

test("older lists and changes that were heard change nothing, and a gap asks for the whole", () => {
  const inbox = four();
  assert.equal(inbox.change(change(1, { gone: [{ id: "a", state: "denied" }] }), 1), "new");
  assert.equal(inbox.snapshot(whole(0, [row("a"), row("z")]), 1), false);
  assert.equal(inbox.items.has("z"), false);
  assert.equal(inbox.change(change(1, { add: [row("a")] }), 1), "old");
  assert.equal(inbox.items.has("a"), false);
  assert.equal(inbox.change(change(3, {}), 1), "anew");
  assert.equal(inbox.change({ v: "another-2" }, 1), "anew");
  assert.equal(inbox.snapshot({ ...whole(0, [row("z")]), v: "another-0" }, 1), true, "another process begins anew");
  assert.equal(ids(inbox), "za", "what was under the cursor stays as a tombstone");
});

test("a risk of 90 asks for a word, a denial for a reason", () => {
  const inbox = new Inbox();
  inbox.snapshot(whole(0, [row("a", { risk: 90, asked: 2 }), row("b", { risk: 89.9, asked: 1 })]), 0);
  seen(inbox);
  assert.equal(inbox.press("allow", 1).form.kind, "word");
  assert.equal(inbox.press("deny", 1).form.kind, "reason");
  assert.equal(inbox.outbox.size, 0, "asking decides nothing");
  inbox.press("next", 2);
  seen(inbox, 3);
  assert.equal(inbox.press("allow", 3).press.id, "b");
});

test("what is selected is decided together, each with a key of its own, without what is gone", () => {
  const inbox = four();
  for (const at of [1, 2, 3]) {
    seen(inbox, at);
    inbox.press("pick", at);
    inbox.press("next", at);
  }
  assert.equal(inbox.picked.size, 3);
  const asked = inbox.press("deny", 4);
  assert.deepEqual(asked.form, { kind: "batch", verdict: "deny", ids: ["a", "b", "c"] });
  inbox.change(change(1, { gone: [{ id: "b", state: "approved", by: "ana", at: 1, reason: "Mine" }] }), 5);
  assert.equal(inbox.notices[0].kind, "lost");
  const presses = inbox.decide(asked.form.ids, { verdict: "deny", reason: "Same" });
  assert.deepEqual(presses.map((press) => press.id), ["a", "c"]);
  assert.equal(new Set(presses.map((press) => press.key)).size, 2);
  assert.equal(inbox.picked.size, 0);
});

test("the newest decision is taken back first, and none that has left", () => {
  const inbox = four();
  const [first] = inbox.decide(["a"], { verdict: "allow" });
  const [second] = inbox.decide(["b"], { verdict: "allow" });
  inbox.answered({ [first.key]: { ok: true, state: "held", left: 5000 }, [second.key]: { ok: true, state: "held", left: 5000 } }, 0);
  assert.equal(inbox.standing("a"), "held");
  assert.equal(inbox.press("undo", 1).key, second.key);
  inbox.change(change(1, { back: [{ id: "b", key: second.key }] }), 1);
  assert.equal(inbox.standing("b"), "waits");
  inbox.change(change(2, { held: [{ id: "a", key: first.key, verdict: "allow", left: 0, sending: true }] }), 2);
  assert.match(inbox.press("undo", 3).why, /left already/);
  inbox.change(change(3, { gone: [{ id: "a", state: "approved", by: "me", own: true, key: first.key }] }), 4);
  assert.match(inbox.press("undo", 5).why, /nothing is held/);
});

test("what was decided together is taken back together, but for what has left", () => {
  const inbox = four();
  const [alone] = inbox.decide(["d"], { verdict: "allow" });
  const [a, b, c] = inbox.decide(["a", "b", "c"], { verdict: "deny", reason: "Same" });
  inbox.answered(Object.fromEntries([alone, a, b, c].map((press) => [press.key, { ok: true, state: "held", left: 5000 }])), 0);
  assert.equal(inbox.undoneWith(c.key).length, 3);
  inbox.change(change(1, { held: [{ id: "a", key: a.key, verdict: "deny", left: 0, sending: true }] }), 1);
  assert.deepEqual(inbox.press("undo", 2).keys, [b.key, c.key]);
  assert.match(inbox.press("undo", 3).why, /left already/);
});

test("what another page of the session holds is taken back too, newest first, and what was decided together as one", () => {
  const held = (id, key, batch, more = {}) => ({ id, key, batch, verdict: "allow", left: 5000, sending: false, ...more });
  const inbox = new Inbox();
  const rows = ["d", "c", "b", "a"].map((id, at) => row(id, { asked: at }));
  inbox.snapshot(whole(0, rows, { held: [held("a", "one", "one"), held("b", "two", "two"), held("c", "three", "two")] }), 0);
  assert.equal(inbox.undoneWith("three").length, 2);
  const back = inbox.press("undo", 1);
  assert.deepEqual([back.id, back.keys], ["c", ["two", "three"]]);
  inbox.change(change(1, { held: [held("c", "three", "two", { left: 1 })] }), 1);
  assert.deepEqual(inbox.press("undo", 2).keys, ["one"], "what is being taken back is not taken back again");
  assert.match(inbox.press("undo", 3).why, /nothing is held/);
  inbox.change(change(2, { back: [{ id: "c", key: "three" }, { id: "b", key: "two" }, { id: "a", key: "one" }] }), 4);
  inbox.change(change(3, { held: [held("d", "four", "four")] }), 5);
  assert.deepEqual(inbox.press("undo", 6).keys, ["four"], "a second tab has decided on it");
  inbox.change(change(4, { back: [{ id: "d", key: "four" }] }), 7);
  const [own] = inbox.decide(["a"], { verdict: "allow" });
  inbox.snapshot(whole(5, rows, { held: [held("b", "five", "five")] }), 8);
  assert.deepEqual(inbox.press("undo", 9).keys, [own.key], "what the list does not have yet is the newest");
  assert.deepEqual(inbox.press("undo", 10).keys, ["five"]);
  inbox.snapshot(whole(6, rows), 11);
  assert.deepEqual([inbox.undoable, [...inbox.batches.keys()], [...inbox.returning]], [[], [], [own.key]]);
});

test("who was faster is told, also when the news overtakes the answer", () => {
  const inbox = four();
  const [press] = inbox.decide(["a"], { verdict: "allow" });
  inbox.change(change(1, { gone: [{ id: "a", state: "denied", by: "ana", at: 7, reason: "I was first" }] }), 1);
  assert.deepEqual([inbox.notices[0].kind, inbox.notices[0].ending.by, inbox.notices[0].row.goal], ["conflict", "ana", "Goal of a"]);
  inbox.answered({ [press.key]: { id: "a", ok: false, state: "denied", by: "ana", at: 7 } }, 2);
  assert.equal(inbox.notices.length, 1, "it is told once");
  const [other] = inbox.decide(["b"], { verdict: "allow" });
  inbox.answered({ [other.key]: { id: "b", ok: false, state: "expired", by: null, at: 8, why: null } }, 3);
  assert.deepEqual([inbox.notices[0].ending.state, inbox.items.has("b")], ["expired", false]);
});

test("what came otherwise stays however much is done meanwhile, and a list alone does not say whose decision counted", () => {
  const inbox = new Inbox();
  const many = Array.from({ length: 60 }, (_, at) => row(`r${at}`, { asked: at }));
  inbox.snapshot(whole(0, many), 0);
  const [late] = inbox.decide(["r0"], { verdict: "allow" });
  inbox.change(change(1, { gone: [{ id: "r0", state: "denied", by: "ana", at: 7 }] }), 1);
  for (let at = 1; at < 50; at += 1) {
    const [press] = inbox.decide([`r${at}`], { verdict: "allow" });
    inbox.change(change(1 + at, { gone: [{ id: `r${at}`, state: "approved", by: "me", at, own: true, key: press.key }] }), at);
  }
  assert.deepEqual(inbox.notices.map((each) => each.kind), ["done", "conflict"]);
  assert.deepEqual([inbox.notices[1].id, inbox.undoable.includes(late.key)], ["r0", false]);
  inbox.decide(["r55"], { verdict: "allow" });
  inbox.snapshot({ ...whole(0, many.slice(56)), v: "another-0" }, 99);
  assert.deepEqual([inbox.notices[0].id, inbox.notices[0].kind], ["r55", "unsure"]);
});

test("what the desk tells of a decision that came otherwise is told once, whoever pressed it, until it is dismissed", () => {
  const inbox = new Inbox();
  const rows = [row("a"), row("b"), row("c")];
  const otherwise = [late("k1", "x"), late("k2", "y", { state: "refused", why: "Say why." }), late("k3", "z", { state: null })];
  inbox.snapshot(whole(0, rows, { otherwise }), 0);
  assert.deepEqual(inbox.notices.map(({ key, kind }) => [key, kind]), [["k3", "unsure"], ["k2", "refused"], ["k1", "conflict"]]);
  assert.deepEqual([inbox.notices[2].ending.reason, inbox.notices[2].row.goal, inbox.notices[1].text], ["I was first", "Goal of x", "Not decided: Say why."]);
  inbox.snapshot(whole(1, rows, { otherwise }), 1);
  assert.equal(inbox.notices.length, 3, "known");
  assert.deepEqual(inbox.dismiss([inbox.notices[2]]), ["k1"]);
  inbox.snapshot(whole(2, rows, { otherwise }), 2);
  assert.deepEqual(inbox.notices.map(({ key }) => key), ["k3", "k2"], "the desk has not heard it yet");
  inbox.change(change(3, { dismissed: ["k2"] }), 3);
  assert.deepEqual(inbox.notices.map(({ key }) => key), ["k3"], "another page has dismissed it");
  // One's own press, of which only the list tells.
  const [press] = inbox.decide(["b"], { verdict: "allow" });
  inbox.snapshot(whole(4, [rows[0], rows[2]], { otherwise: [late(press.key, "b")] }), 4);
  assert.deepEqual([inbox.notices[0].kind, inbox.notices[0].ending.by, inbox.outbox.size, inbox.undoable.length], ["conflict", "ana", 0, 0]);
  inbox.answered({ [press.key]: { id: "b", ok: false, state: "denied", by: "ana", at: 7 } }, 5);
  assert.equal(inbox.notices.length, 2);
});

test("a session that ends, and another desk, leave nothing held and say that nobody knows", () => {
  const inbox = four();
  inbox.change(change(1, { held: [{ id: "a", key: "k", verdict: "allow", left: 5000, sending: false }] }), 0);
  inbox.over();
  assert.deepEqual([inbox.notices[0].kind, inbox.notices[0].key, inbox.standing("a"), inbox.undoable], ["unsure", "k", "waits", []]);
  seen(inbox);
  assert.equal(inbox.press("allow", 9).why, "your session has ended; sign in again");
  assert.equal(inbox.press("next", 9).did, "moved");
  inbox.snapshot({ ...whole(0, [row("a"), row("b")]), v: "another-0" }, 9);
  assert.equal(inbox.closed, false);
  inbox.change({ v: "another-1", held: [{ id: "b", key: "m", verdict: "allow", left: 5000, sending: false }] }, 9);
  inbox.snapshot({ ...whole(0, [row("a"), row("b")]), v: "third-0" }, 9);
  assert.deepEqual(inbox.notices.map(({ key, kind }) => [key, kind]), [["m", "unsure"], ["k", "unsure"]]);
});

test("identical requests are found by their likeness", () => {
  const inbox = new Inbox();
  inbox.snapshot(whole(0, [row("a", { alike: "x" }), row("b", { alike: "x" }), row("c", { alike: "y" }), row("d"), row("e")]), 0);
  assert.deepEqual(inbox.alike("a").sort(), ["a", "b"]);
  assert.deepEqual(inbox.alike("d"), ["d"]);
  assert.deepEqual(["a", "c", "d"].map((id) => inbox.count(id)), [2, 1, 1]);
});

test("what is put off is not shown until it is back, by the service's clock", () => {
  const inbox = new Inbox();
  const rows = ["d", "c", "b", "a"].map((id, at) => row(id, { asked: at, alike: "x" }));
  inbox.snapshot(whole(0, rows, { later: [{ id: "c", until: 1050 }, { id: "d", until: 900 }], now: 1000 }), 0);
  assert.deepEqual([ids(inbox), inbox.asleep, inbox.hidden, inbox.count("a")], ["abd", 1, 0, 3], "d is back already");
  assert.deepEqual(inbox.alike("a").sort(), ["a", "b", "d"], "nobody decides on what is not shown");
  inbox.change(change(1, { later: [{ id: "d", until: 1070 }] }), 10);
  assert.equal(ids(inbox), "ab");
  assert.deepEqual([inbox.due(49), inbox.wake(49)], [false, []]);
  assert.deepEqual([inbox.due(50), inbox.wake(50), ids(inbox)], [true, ["c"], "abc"]);
  inbox.change(change(2, { later: [{ id: "d", until: null }] }), 51);
  assert.equal(ids(inbox), "abcd", "and at once, where somebody brings it back");
  inbox.change(change(3, { later: [{ id: "d", until: 5000 }] }), 52);
  inbox.all = true;
  inbox.rows = null;
  assert.equal(ids(inbox), "abcd", "or wants to see them all");
  inbox.change(change(4, { gone: [{ id: "d", state: "denied" }] }), 53);
  assert.deepEqual([ids(inbox), inbox.sleeps("d")], ["abc", false]);
});

test("what the cursor is on stays when it is put off, and is passed over by moving on", () => {
  const inbox = four();
  inbox.press("next", 1);
  seen(inbox, 2);
  assert.deepEqual(inbox.press("later", 2).form, { kind: "later", ids: ["b"] });
  inbox.press("pick", 2);
  inbox.putOff("b", 9000, 3);
  assert.deepEqual([ids(inbox), inbox.cursor, inbox.picked.size], ["abcd", "b", 0], "nothing selected is put off");
  inbox.putOff("c", 9000, 3);
  inbox.advance();
  assert.deepEqual([ids(inbox), inbox.cursor], ["ad", "d"]);
  assert.match(inbox.press("allow", 4).why, /not on the screen yet/);
  inbox.press("previous", 5);
  assert.equal(inbox.cursor, "a");
  for (const id of ["a", "d"]) inbox.putOff(id, 9000, 6);
  inbox.advance();
  assert.deepEqual([ids(inbox), inbox.cursor, inbox.asleep], ["a", "a", 4], "nothing is left to move on to");
  const other = new Inbox();
  other.snapshot(whole(0, [row("a")], { later: [{ id: "a", until: 50 }] }), 0);
  assert.deepEqual([ids(other), other.cursor], ["", null]);
  assert.deepEqual([other.wake(50), other.cursor], [["a"], "a"], "the first that is back has the cursor");
});

test("asking, granting and putting off are about what was painted and waits; a comment also about what has ended", () => {
  const inbox = four();
  for (const name of ["ask", "grant", "later", "comment"]) {
    assert.match(inbox.press(name, 5).why, /not on the screen yet/);
    assert.equal(inbox.press(name, 5, true).did, "refused");
  }
  inbox.paint("a", 6);
  for (const name of ["ask", "later", "comment"]) {
    assert.deepEqual(inbox.press(name, 6).form, { kind: name, ids: ["a"] });
  }
  assert.deepEqual(inbox.press("grant", 6).form, { kind: "grant", ids: ["a"], hidden: 0 });
  assert.equal(inbox.outbox.size, 0, "none of them decides");
  inbox.change(change(1, { gone: [{ id: "a", state: "denied" }] }), 7);
  for (const name of ["ask", "grant", "later"]) assert.match(inbox.press(name, 8).why, /does not wait/);
  assert.deepEqual(inbox.press("comment", 8).form.ids, ["a"]);
  inbox.press("next", 9);
  seen(inbox, 10);
  inbox.press("pick", 10);
  inbox.press("next", 11);
  seen(inbox, 12);
  inbox.press("pick", 12);
  assert.deepEqual(inbox.press("later", 13).form.ids, ["b", "c"], "all that are selected");
});

test("who takes care of a request is looked at alone, and changes nothing of it", () => {
  const inbox = four();
  const told = (number, ...assigned) => inbox.change(change(number, { assigned }), 1);
  told(1, { id: "b", to: "me", own: true, by: "ana", at: 1 }, { id: "c", to: "ben", own: false, by: "ben", at: 1 });
  assert.equal(ids(inbox), "abcd");
  inbox.look({ whose: "mine" });
  assert.deepEqual([ids(inbox), inbox.cursor, inbox.hidden], ["b", "b", 3]);
  inbox.look({ whose: "free" });
  assert.deepEqual([ids(inbox), inbox.cursor, inbox.hidden], ["ad", "a", 2]);
  seen(inbox, 2);
  assert.deepEqual(inbox.press("take", 3).take, { ids: ["a"], mine: true });
  told(2, { id: "a", to: "me", own: true, by: "me", at: 2 });
  assert.deepEqual([ids(inbox), inbox.cursor], ["ad", "a"], "it stays under the cursor");
  assert.deepEqual(inbox.press("take", 4).take, { ids: ["a"], mine: false });
  assert.equal(inbox.press("assign", 4).form.kind, "assign");
  assert.equal(inbox.press("allow", 5).press.id, "a", "it restricts nobody");
  assert.deepEqual([ids(inbox), inbox.cursor], ["d", "d"], "and goes when the cursor moves on");
  assert.match(inbox.press("take", 5).why, /not on the screen yet/);
  inbox.look({});
  told(3, { id: "b", to: null, own: false, by: "ana", at: 3 });
  assert.equal(inbox.assigned.has("b"), false);
  inbox.change(change(4, { gone: [{ id: "c", state: "denied" }] }), 6);
  assert.equal(inbox.assigned.has("c"), false);
  inbox.press("last", 7);
  seen(inbox, 8);
  inbox.press("pick", 8);
  assert.deepEqual(inbox.press("take", 9).take, { ids: ["d"], mine: true }, "all that are selected");
  assert.match(inbox.press("take", 9, true).why, /held down/);
  assert.equal(inbox.snapshot(whole(9, [row("d")], { assigned: [{ id: "d", to: "me", own: true, by: "me", at: 1 }] }), 9), true);
  assert.deepEqual([...inbox.assigned.keys()], ["d"]);
});

test("what was escalated is known until it ends", () => {
  const inbox = four();
  const escalated = [{ id: "b", to: "Leads", own: true, on_shift: true, after: 10, at: 1 }];
  inbox.change(change(1, { escalated }), 1);
  assert.equal(inbox.escalated.get("b").to, "Leads");
  assert.equal(ids(inbox), "abcd", "nothing else changes");
  inbox.change(change(2, { gone: [{ id: "b", state: "denied" }] }), 2);
  assert.equal(inbox.escalated.size, 0);
  inbox.snapshot(whole(9, [row("d")], { escalated: [{ ...escalated[0], id: "d" }] }), 9);
  assert.deepEqual([...inbox.escalated.keys()], ["d"]);
});

test("who is on shift is said, and a gap too", () => {
  const now = new Date(2026, 10, 20, 14, 2).getTime();
  const until = new Date(2026, 10, 20, 17, 0).getTime();
  const next = new Date(2026, 10, 21, 9, 0).getTime();
  assert.equal(duty({ known: false, groups: [], next: null }, now), "");
  assert.equal(duty({ known: true, groups: [], next: null }, now), "Nobody is on shift");
  assert.equal(duty({ known: true, groups: [], next }, now), "Nobody is on shift until Nov 21 09:00");
  const groups = [{ group: "Payments", operators: ["ana", "ben"], until }, { group: "All", operators: ["cleo"], until: null }];
  assert.equal(duty({ known: true, groups, next: null }, now), "On shift: Payments (ana, ben) until 17:00; All (cleo)");
  const inbox = four();
  inbox.change(change(1, { shifts: { known: true, groups, next: null } }), 1);
  assert.equal(inbox.shifts.groups.length, 2);
  inbox.change(change(2, {}), 2);
  assert.equal(inbox.shifts.known, true, "what is not told stays");
});

/** Numbers that are the same in every run. */
function dice(seed) {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * n);
  };
}

/** As much of a document as texts need. */
class Element {
  constructor() {
    this.children = [];
    this.value = "";
    this.firstChild = {};
  }
  addEventListener() {}
  focus() {}
  replaceChildren(...children) {
    this.children = children;
  }
  setAttribute(name, value) {
    this[name] = value;
  }
  append(...children) {
    this.children.push(...children);
  }
  get textContent() {
    return this.children.map((each) => each.textContent ?? each).join("");
  }
  set textContent(text) {
    this.children = [text];
  }
  querySelectorAll(selector) {
    const below = this.children.filter((each) => each instanceof Element);
    return below.flatMap((each) => [...(`.${each.class}` === selector ? [each] : []), ...each.querySelectorAll(selector)]);
  }
}

test("what is said of time goes on", () => {
  globalThis.document = { createElement: () => new Element() };
  const one = row("a", { asked: 1000, expires: 61000 });
  const shown = new Element();
  shown.append(badges(one, 1, 1000), waits(one, 1000), standing({ state: "approved", by: "Ana", at: 1000 }, 5000));
  assert.match(shown.textContent, /Expires in 1 min.*Asked just now · expires in 1 min.*Allowed by Ana 4 s ago/);
  retell(shown, 46000);
  assert.match(shown.textContent, /Expires in 15 s.*Asked 45 s ago · expires in 15 s.*Allowed by Ana 45 s ago/);
  assert.doesNotMatch(badges(one, 1, 46000, false).textContent, /Expires/);
  const uneven = badges(row("a", { risk: 46.666666, own_risk: 23.333333333333332 }), 1, 1000).textContent;
  assert.match(uneven, /Risk 46.7 of 100 · the agent said 23.3/);
  delete globalThis.document;
});

test("Enter in a form decides nothing, and says so", () => {
  globalThis.document = { createElement: () => new Element() };
  const inbox = new Inbox();
  inbox.snapshot(whole(0, [row("a", { risk: 95 })]), 0);
  const asked = { kind: "word", verdict: "allow", ids: ["a"] };
  const form = new Form(inbox, asked, { send: () => assert.fail("sent"), close: () => {}, given: () => null });
  const enter = { key: "Enter", target: { tagName: "INPUT" }, preventDefault: () => {} };
  form.typed.value = "alow";
  form.key(enter);
  assert.equal(form.problem.textContent, "The risk is high. Type allow, or say why.");
  form.typed.value = "allow";
  form.key(enter);
  assert.equal(form.problem.textContent, "Ctrl and Enter together decide.");
  delete globalThis.document;
});

/** What is known of a request of `row(id)` with these arguments; `alike` is the same for those that were sent alike. */
const givenOf = (id, lines, more = {}) => ({ goal: `Goal of ${id}`, lines, reach: [], hidden: 0, alike: `${id} ${JSON.stringify(lines)}`, ...more });

const boxesOf = (line) => line.children.filter((each) => each.class?.startsWith("inbox-box")).map((each) => each.textContent);

/** A form about so many of one goal, with what is given of each, and `more` of each row; its lines, and what it asks a word for. */
function batch(goals, given, more = []) {
  const inbox = new Inbox();
  const names = goals.map((_, at) => `r${at}`);
  inbox.snapshot(whole(0, names.map((id, at) => row(id, { goal: goals[at], ...more[at] }))), 0);
  const known = new Map(names.map((id, at) => [id, given[at]]));
  const form = new Form(inbox, { kind: "batch", verdict: "allow", ids: names }, { send: () => {}, close: () => {}, given: (id) => known.get(id) });
  return { lines: form.list.children.map((each) => each.textContent), boxes: form.list.children.map((each) => boxesOf(each)), lack: form.lack };
}

test("only what was sent alike is one line, and no two others have the same", () => {
  globalThis.document = { createElement: () => new Element() };
  const same = { goal: "Restart service", alike: "1" };
  const args = [["body", "ls"]];
  const alike = batch(Array(3).fill("Restart service"), Array(3).fill(givenOf("r", args, same)));
  assert.deepEqual(alike.lines, ["3 × Restart service · payer · pay · names no system · risk 20", "In all: body: ls"]);
  assert.equal(alike.lack, null);

  const blanks = batch(Array(3).fill("Restart service"), ["1", "1", "2"].map((sent) => givenOf("r", args, { ...same, alike: sent })));
  assert.deepEqual(blanks.lines.slice(0, 2), [
    "2 × Restart service · payer · pay · names no system · risk 20 · differs in what is not shown",
    "Restart service · payer · pay · names no system · risk 20 · differs in what is not shown",
  ]);
  assert.equal(blanks.lack, "Of 3 of them, not all of goal and arguments is shown.");

  const body = "x".repeat(300);
  const tails = batch(["Run", "Run", "Run"], ["one", "two", "three"].map((tail, at) => givenOf("r", [["body", `${body} ${tail}`]], { goal: "Run", alike: `${at}` })));
  assert.deepEqual(tails.lines.map((line) => line.slice(line.indexOf("differs"))), [
    "differs in its argument body: …x one",
    "differs in its argument body: …x two",
    "differs in its argument body: …x three",
  ]);

  const more = batch(["Run", "Run"], [givenOf("r", [["body", "b"]], { goal: "Run", alike: "1" }), givenOf("r", [], { goal: "Run", alike: "2" })]);
  assert.deepEqual(more.lines, ["Run · payer · pay · names no system · risk 20 · body: b", "Run · payer · pay · names no system · risk 20"]);

  const cut = `${"Pay as agreed. ".repeat(21)}Pay…`;
  const long = ["AND DELETE", "AND KEEP"].map((tail, at) => givenOf("r", args, { goal: `${"Pay as agreed. ".repeat(30)}${tail}`, alike: `${at}` }));
  const goals = batch([cut, cut], long);
  assert.match(goals.lines[0], /differs in its goal: …D DELETE$/);
  assert.match(goals.lines[1], /differs in its goal: …D KEEP$/);
  assert.equal(goals.lack, "Of 2 of them, not all of goal and arguments is shown.");
  delete globalThis.document;
});

test("what touches other systems, cannot be undone or has another risk is a line of its own, and says so", () => {
  globalThis.document = { createElement: () => new Element() };
  const args = [["v", "1.4"]];
  const given = (alike, more = {}) => givenOf("r", args, { goal: "Deploy 1.4", alike, ...more });
  const reach = [["Data", "restricted"]];
  const stakes = [
    { systems: ["staging"], risk: 35.04 }, { systems: ["production"], risk: 55, reversible: false },
    { systems: ["staging"], risk: 45 }, { systems: ["staging"], risk: 45, reversible: false },
  ];
  const { lines, lack } = batch(Array(4).fill("Deploy 1.4"), [..."1234"].map((alike) => given(alike)), stakes);
  assert.deepEqual(lines, [
    "Deploy 1.4 · payer · pay · touches staging · risk 35",
    "Deploy 1.4 · payer · pay · touches production · risk 55 · cannot be undone",
    "Deploy 1.4 · payer · pay · touches staging · risk 45",
    "Deploy 1.4 · payer · pay · touches staging · risk 45 · cannot be undone",
    "In all: v: 1.4",
  ]);
  assert.equal(lack, null, "all of it is shown");
  const unread = batch(Array(2).fill("Deploy 1.4"), [null, null], stakes);
  assert.match(unread.lines.join("|"), /touches staging.*not here yet.*touches production.*not here yet/, "before any arguments are here");

  const far = batch(Array(2).fill("Deploy 1.4"), [given("1"), given("2", { reach })]);
  assert.deepEqual(far.lines.slice(0, 2), [
    "Deploy 1.4 · payer · pay · names no system · risk 20",
    "Deploy 1.4 · payer · pay · names no system · risk 20 · Data: restricted",
  ]);
  assert.equal(far.lack, null);

  // By commas alone two systems read as one.
  const systems = [{ systems: ["a", "b"] }, { systems: ["a, b"] }];
  const commas = batch(Array(2).fill("Deploy 1.4"), [given("1"), given("2")], systems);
  assert.equal(commas.lack, "Of 2 of them, not all of goal and arguments is shown.");
  delete globalThis.document;
});

test("a value that reads as a further argument stands in one box with its name", () => {
  globalThis.document = { createElement: () => new Element() };
  const memo = "rent · amount (parameters): 40";
  const given = [[["memo", memo], ["n", "1"]], [["memo", "rent"], ["amount (parameters)", "40"], ["n", "1"]]].map((lines, at) => givenOf("r", lines, { goal: "Pay", alike: `${at}` }));
  const { lines, boxes, lack } = batch(["Pay", "Pay"], given);
  assert.deepEqual(boxes[0].slice(2, 3), [`memo: ${memo}`]);
  assert.deepEqual(boxes[1].slice(2, 4), ["memo: rent", "amount (parameters): 40"]);
  assert.match(lines[0], /differs in its argument memo/, "read aloud they would be the same");
  assert.equal(lack, null);
  delete globalThis.document;
});

test("a form of several names what each would do, and decides by what was seen of it", () => {
  globalThis.document = { createElement: () => new Element() };
  const inbox = four();
  const known = new Map([
    ["a", givenOf("a", [["iban", "DE1"], ["amount", "5"]])],
    ["b", givenOf("b", [["iban", "DE1"], ["amount", "900000"]])],
  ]);
  const sent = [];
  const asked = { kind: "batch", verdict: "allow", ids: ["a", "b", "c"] };
  const form = new Form(inbox, asked, { send: (ids) => sent.push(...ids), close: () => {}, given: (id) => known.get(id) || null });
  form.minutes.validity = { valid: true };
  for (const each of [form.reason, form.typed, form.conditions, form.minutes]) each.value ||= "";
  form.confirm({ timeStamp: 10 });
  assert.equal(form.problem.textContent, "The arguments of 1 request are not here yet.");
  known.set("c", givenOf("c", [["iban", "DE1"], ["amount", "5"]]));
  form.draw();
  const lines = form.list.children.map((each) => each.textContent);
  assert.equal(lines.length, 4, "the three goals differ");
  assert.ok(lines[1].includes("amount: 900000") && !lines[1].includes("DE1"), lines[1]);
  assert.equal(lines[3], "In all: iban: DE1");
  form.confirm({ timeStamp: 10 });
  assert.match(form.problem.textContent, /not on the screen/);
  form.seen = 11;
  form.confirm({ timeStamp: 10 });
  assert.match(form.problem.textContent, /not on the screen/, "the key went down before");
  known.set("a", givenOf("a", [["iban", "DE1"], ["amount", "6"]]));
  form.draw();
  assert.equal(form.seen, null, "what changes has to be seen anew");
  form.seen = 12;
  form.confirm({ timeStamp: 12 });
  assert.deepEqual(sent, ["a", "b", "c"]);
  known.set("a", givenOf("a", [["iban", "x".repeat(201)]]));
  form.draw();
  form.seen = 13;
  form.confirm({ timeStamp: 13 });
  assert.equal(form.problem.textContent, "Of 1 of them, not all of goal and arguments is shown. Type allow, or say why.");
  inbox.change(change(1, { gone: [{ id: "a", state: "denied", by: "ben", at: 5, reason: "No" }] }), 20);
  assert.equal(form.lack, null, "what waits no longer lacks nothing");
  delete globalThis.document;
});

test("what is held and cannot be asked about is not said to leave", () => {
  assert.equal(leaves(3, true), "leaves in 3 s");
  assert.equal(leaves(0, false), "leaves now");
  assert.equal(leaves(0, true), "sent, or about to be: the network is cut");
});

test("the dialog about a cut network is closed, and no other", () => {
  const closed = [];
  const dialog = (text) => ({ textContent: text, querySelector: () => ({ click: () => closed.push(text) }) });
  const page = { body: {}, querySelectorAll: () => [dialog("Connection errorIs Streamlit still running?"), dialog("Guard's decision")] };
  let heard;
  globalThis.MutationObserver = class {
    constructor(hear) {
      heard = hear;
    }
    observe() {}
    disconnect() {
      heard = null;
    }
  };
  const end = closeConnectionErrors(page);
  heard();
  assert.deepEqual(closed, Array(2).fill("Connection errorIs Streamlit still running?"));
  end();
  assert.equal(heard, null);
  delete globalThis.MutationObserver;
});

test("what became of a decision is said in its place", () => {
  const inbox = four();
  inbox.decide(["a"], { verdict: "allow" });
  inbox.change(change(1, { gone: [{ id: "a", state: "denied", by: "Ana", at: 7, reason: "I was first" }] }), 1);
  assert.equal(became(inbox.notices[0], 7), "Too late, your decision does not count. Denied by Ana just now: Goal of a");
  const [other] = inbox.decide(["b"], { verdict: "allow" });
  inbox.change(change(2, { gone: [{ id: "b", state: "approved", by: "me", at: 8, own: true, key: other.key }] }), 2);
  assert.equal(became(inbox.notices[0], 8), "Allowed: Goal of b");
  const [third] = inbox.decide(["c"], { verdict: "allow" });
  inbox.answered({ [third.key]: { id: "c", ok: false, state: "refused", why: "Your session has ended." } }, 3);
  assert.equal(became(inbox.notices[0], 9), "Goal of c: Not decided: Your session has ended.");
  assert.equal(became({ ...inbox.notices[0], kind: "lost" }, 9), null, "nobody had decided on it");
});

test("presses that are refused alike are counted, and nothing else is", () => {
  const saying = new Saying();
  assert.equal(saying.say("Allowed: Pay 2", false), "Allowed: Pay 2");
  assert.equal(saying.say("Allowed: Pay 2", false), "Allowed: Pay 2", "the press, and what came of it");
  assert.equal(saying.say("The list ends here", true), "The list ends here");
  assert.equal(saying.say("The list ends here", true), "The list ends here (2 times)");
  assert.equal(saying.say("The list ends here", true), "The list ends here (3 times)");
  assert.equal(saying.say("", false), "");
  assert.equal(saying.say("The list ends here", true), "The list ends here");
});

test("what is back sooner than was chosen is told", () => {
  assert.equal(putOff({ a: { until: 900000 }, b: { until: 900000 } }, 900000, 0), "Put off: 2 requests");
  assert.equal(putOff({ a: { until: 300000 } }, 900000, 0), "Put off: 1 request; back in 5 min already, before it expires");
  assert.equal(putOff({ a: { until: 900000 }, b: { until: 300000 } }, 900000, 0), "Put off: 2 requests; the first is back in 5 min already, before it expires");
  assert.equal(putOff({ a: { until: null } }, null, 0), "Brought back");
});

test("many events in any order: none misdirected, none lost, every press has an outcome", () => {
  const events = Number(process.env.ASSENT_EVENTS || 20000);
  const roll = dice(Number(process.env.ASSENT_SEED || 1));
  const inbox = new Inbox();
  let number = 0;
  let made = 0;
  let now = 0;
  let shown = null; // what a person sees: the cursor's id as it was painted last
  const waits = new Map(); // the truth of the service
  const decided = new Map(); // id -> verdict, as it was sent
  let presses = 0;
  let outcomes = 0;
  const tell = (more) => {
    number += 1;
    assert.equal(inbox.change(change(number, more), now), "new");
  };
  const settle = (press) => {
    decided.set(press.id, [...(decided.get(press.id) || []), press]);
  };
  inbox.snapshot(whole(0, []), 0);
  for (let event = 0; event < events; event += 1) {
    now += 40 + roll(120);
    const kind = roll(100);
    const before = inbox.cursor;
    if (kind < 16) {
      const fresh = row(`r${(made += 1)}`, { asked: now, expires: now + roll(60000), risk: roll(100) });
      waits.set(fresh.id, fresh);
      tell({ add: [fresh] });
    } else if (kind < 27 && waits.size > 0) {
      const id = [...waits.keys()][roll(waits.size)];
      waits.delete(id);
      tell({ gone: [{ id, state: ["denied", "approved", "expired", "withdrawn"][roll(4)], by: "ana", at: now }] });
    } else if (kind < 34 && inbox.outbox.size > 0) {
      const [key, press] = [...inbox.outbox][0];
      if (waits.has(press.id)) inbox.answered({ [key]: { id: press.id, ok: true, state: "held", left: 5 } }, now);
      else inbox.answered({ [key]: { id: press.id, ok: false, state: "denied", by: "ana", at: now } }, now);
    } else if (kind < 40 && inbox.held.size > 2) {
      const [id, { key, verdict }] = [...inbox.held][0];
      waits.delete(id);
      tell({ gone: [{ id, state: verdict === "allow" ? "approved" : "denied", by: "me", at: now, own: true, key }] });
    } else if (kind < 42) {
      const old = Math.max(0, number - 1 - roll(3));
      if (number > 0) assert.equal(inbox.snapshot(whole(old, []), now), old >= number);
      for (const id of inbox.wake(now)) assert.ok(waits.has(id), "what is back waits");
    } else if (kind < 44) {
      inbox.look({ order: ["newest", "expires", "risk"][roll(3)] });
      assert.ok(before === null || inbox.cursor === before || !waits.has(before));
      shown = inbox.cursor === before ? shown : null;
    } else if (kind < 60) {
      shown = inbox.cursor;
      if (shown !== null) inbox.paint(shown, now);
    } else {
      const name = [
        ...["next", "previous", "allow", "allow", "deny", "pick", "undo", "first", "last"],
        ...["later", "ask", "comment", "grant"],
      ][roll(13)];
      presses += 1;
      const at = now - roll(2);
      const outcome = inbox.press(name, at, roll(12) === 0);
      assert.ok(outcome.did, "every press has an outcome");
      assert.ok(outcome.did !== "refused" || outcome.why, "a refusal says why");
      outcomes += 1;
      if (outcome.press) {
        assert.equal(outcome.press.id, shown, "a decision is about what was seen");
        assert.equal(outcome.press.id, before);
        settle(outcome.press);
      }
      const many = outcome.form?.kind === "batch" || (outcome.form?.kind === "later" && outcome.id === null);
      if (outcome.form && !many) assert.deepEqual(outcome.form.ids, [shown]);
      if (outcome.form?.kind === "later") {
        for (const id of outcome.form.ids) tell({ later: [{ id, until: now + roll(12000) }] });
        assert.equal(inbox.cursor, before, "putting off moves nothing by itself");
        if (outcome.form.ids.includes(inbox.cursor)) inbox.advance();
      } else if (outcome.form?.verdict && roll(2) === 0) {
        const open = outcome.form.ids.filter((id) => inbox.standing(id) === "waits");
        const sent = inbox.decide(outcome.form.ids, { verdict: outcome.form.verdict, reason: "So" });
        assert.deepEqual(sent.map((press) => press.id), open, "none more, none less");
        sent.forEach(settle);
      }
      if (outcome.did === "undo") {
        const id = outcome.id;
        const at = decided.get(id).findIndex((press) => press.key === outcome.key);
        assert.notEqual(at, -1, "what is taken back was decided here");
        if (inbox.held.get(id)?.key === outcome.key) {
          decided.get(id).splice(at, 1);
          tell({ back: [{ id, key: outcome.key }] });
        }
      }
      if (inbox.cursor !== before) shown = null;
    }
    if (kind < 42) assert.ok(before === null || inbox.cursor === before, "the cursor never moves by itself");
    assert.equal(inbox.items.size, waits.size, "nothing is lost, nothing left over");
    for (const id of inbox.picked) assert.ok(waits.has(id));
    const asleep = [...waits.keys()].filter((id) => inbox.sleeps(id));
    for (const id of asleep) assert.ok(id === inbox.cursor || !inbox.arranged().some((each) => each.id === id));
    const open = [...inbox.outbox.values()].map((press) => press.id).concat([...inbox.held.keys()]);
    assert.equal(new Set(open).size, open.length, "one decision at a time on each");
  }
  for (const id of inbox.items.keys()) assert.ok(waits.has(id));
  assert.equal(presses, outcomes);
  assert.ok(decided.size > events / 100, `only ${decided.size} decisions: the test looks at nothing`);
});
