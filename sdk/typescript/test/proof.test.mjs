import assert from "node:assert/strict";
import { test } from "node:test";
import { buildPcaaCheckpointStates, canonical, digest, PCAA_CHECKPOINTS, verifyBundle } from "@assent/client";

const text = (value) => new TextDecoder().decode(canonical(value));

test("canonical JSON is RFC 8785's", async () => {
  // Sections 3.2.2 and 3.2.3.
  const sample = { numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001], string: '€$\u000f\nA\'B"\\\\"/', literals: [null, true, false] };
  assert.equal(text(sample), '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}');
  const order = { "€": 1, "\r": 2, "\ufb33": 3, 1: 4, "\u{1f600}": 5, "\u0080": 6, ö: 7 };
  assert.equal(text(order), '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"\u{1f600}":5,"\ufb33":3}');
  assert.equal(await digest({}), "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  for (const wrong of [NaN, Infinity, undefined, () => 1, 1n, "\ud800", { "\udfff": 1 }, [undefined], new Date(0), new Map()]) assert.throws(() => canonical(wrong), TypeError);
  let deep = 1;
  for (let at = 0; at < 129; at++) deep = [deep];
  assert.throws(() => canonical(deep), TypeError);
});

test("what is no bundle fails its schema and nothing else, whatever it is", async () => {
  const kinds = ["", "{", "[]", "null", "{}x", '{"schema":"svc.proof.v1"}', '{"a":1,"a":2}', "\ufeff{}", '{"a":9007199254740993}', "{'a':1}", "[".repeat(10_000), new Uint8Array([0xff]), {}, [], { schema: "svc.proof.v1", kind: 7 }, { x: 1n }, "01", '"\\ud800"', "[1,]", "1e999"];
  for (const given of kinds) {
    const found = await verifyBundle(given);
    assert.equal(found.ok, false);
    assert.deepEqual(found.checks.map((each) => [each.name, each.status]), [["schema", "fail"]]);
  }
});

test("an answer comes back whatever the options are, and however long a text is", async () => {
  const thrower = { get keys() { throw null; } };
  for (const options of [null, undefined, 5, { keys: null }, { keys: { keys: "x" } }, { since: 5 }, thrower, new Proxy({}, { get: () => { throw thrower; } })])
    assert.equal((await verifyBundle("{}", options)).ok, false);
  for (const given of [undefined, 5, Symbol("x"), { get x() { throw null; } }, new Proxy({}, { ownKeys: () => { throw thrower; } })]) assert.equal((await verifyBundle(given)).ok, false);
  for (const long of ['"' + "a".repeat(2e7) + '"', '"' + "\\u0041".repeat(3e6) + '"', " ".repeat(2e7) + "1", "1".repeat(2e7), "0." + "1".repeat(2e7)]) {
    const [schema] = (await verifyBundle(`{"schema":"svc.proof.v1","x":${long}}`)).checks;
    assert.match(schema.detail, /x is not a member|no double holds/);
  }
});

test("an action's checkpoints", () => {
  assert.deepEqual([...PCAA_CHECKPOINTS], ["pre_action_admissibility", "action_open", "assumption_capture", "approval", "outcome_closure"]);
  const row = { action_id: "act_1", decision: "allow", decision_id: "dec_1", status: "running", risk_score: 70, runtime: "sdk_service", source: "live", declared_goal: "x", timestamp_start: "2026-11-20T12:00:00Z", approved_at: null, output_summary: null, error_message: null };
  const at = (hours) => new Date(Date.UTC(2026, 10, 20, 12 + hours));
  const statuses = (hours) => buildPcaaCheckpointStates(row, [], null, at(hours)).map((each) => each.status);
  assert.deepEqual(statuses(0), ["complete", "complete", "pending", "not_required", "not_required"]);
  assert.deepEqual(statuses(2), ["complete", "complete", "pending", "not_required", "pending"]);
  assert.deepEqual(statuses(25), ["complete", "complete", "missing", "not_required", "missing"]);
  const { status: _, ...without } = row;
  assert.throws(() => buildPcaaCheckpointStates(without), /status/);
});
