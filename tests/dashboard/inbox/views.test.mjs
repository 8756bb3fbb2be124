// Views that have a name, with a window made for the purpose: `node --test`.

import assert from "node:assert/strict";
import { test } from "node:test";

import { LONGEST_NAME, MOST, said, Views } from "../../../dashboard/assent_dashboard/inbox/frontend/views.js";

function browser({ kept = null, full = false } = {}) {
  const held = new Map(kept === null ? [] : [["assent-inbox-views", kept]]);
  const localStorage = {
    getItem: (key) => held.get(key) ?? null,
    setItem: (key, value) => {
      if (full) throw new Error("QuotaExceededError");
      held.set(key, value);
    },
  };
  return { localStorage };
}
const RISKY = { window: "7d", order: "risk", agent_id: "payer" };
const names = (views) => views.all.map((view) => view.name);

test("a view is found again by another page of the same browser", () => {
  const world = browser();
  assert.equal(new Views(world).save("  Risky   ones ", RISKY), null);
  const views = new Views(world);
  assert.deepEqual(views.all, [{ name: "Risky ones", query: RISKY }]);
  assert.equal(views.nameOf({ agent_id: "payer", order: "risk", window: "7d" }), "Risky ones", "in whatever order");
  assert.equal(views.nameOf({ ...RISKY, search: "bank" }), null);
  assert.equal(views.nameOf({}), null);
});

test("a name stands for one view, and the list has the alphabet's order", () => {
  const views = new Views(browser());
  for (const name of ["night", "day", "Bank"]) assert.equal(views.save(name, RISKY), null);
  assert.equal(views.save("day", { window: "1d" }), null);
  assert.deepEqual(names(views), ["Bank", "day", "night"]);
  assert.deepEqual(views.all[1].query, { window: "1d" });
  assert.equal(views.forget("night"), null);
  assert.equal(views.forget("nobody knows it"), null);
  assert.deepEqual(names(views), ["Bank", "day"]);
});

test("what is no name, too long or too many is refused in words", () => {
  const views = new Views(browser());
  assert.match(views.save("   ", RISKY), /Give it a name/);
  assert.equal(views.save("n".repeat(LONGEST_NAME), RISKY), null);
  assert.match(views.save("n".repeat(LONGEST_NAME + 1), RISKY), /60 characters at most/);
  assert.match(views.save("long", { search: "s".repeat(401) }), /too long/);
  for (let at = 1; at < MOST; at += 1) assert.equal(views.save(`view ${at}`, RISKY), null);
  assert.match(views.save("one more", RISKY), /30 views at most/);
  assert.equal(views.save("view 3", { window: "1d" }), null, "one that is there can still be replaced");
  assert.equal(views.all.length, MOST);
});

test("what somebody else wrote into the browser is no view", () => {
  for (const kept of ["", "{", "null", "7", '{"name": "x"}']) assert.deepEqual(new Views(browser({ kept })).all, []);
  const mixed = [null, 1, { name: "" , query: {} }, { name: "x" }, { name: "y", query: { order: 1 } }, { name: "z", query: RISKY }];
  assert.deepEqual(names(new Views(browser({ kept: JSON.stringify(mixed) }))), ["z"]);
});

test("a browser that keeps nothing says so", () => {
  const views = new Views(browser({ full: true }));
  assert.match(views.save("day", RISKY), /keeps nothing/);
  assert.deepEqual(new Views({ get localStorage() { throw new Error("SecurityError"); } }).all, []);
});

test("a view is told in words", () => {
  assert.equal(said({}), "newest first");
  assert.equal(said({ ...RISKY, action_type: "pay", search: "bank 7" }), "highest risk first · agent payer · type pay · “bank 7” · decided in the last 7 days");
  assert.equal(said({ window: "1d", order: "expires" }), "what expires first · decided in the last day");
  assert.equal(said({ whose: "mine", agent_id: "payer" }), "newest first · mine · agent payer");
  assert.equal(said({ whose: "free" }), "newest first · nobody's");
});
