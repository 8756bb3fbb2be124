import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@assent/client";
import { ALLOWED, json, service } from "./service.mjs";

const UUID = "01a208d8351172e5ae03e50395b244e0";

function client() {
  const { fetch, asked } = service(json(ALLOWED));
  return { asked, one: new Client({ baseUrl: "http://127.0.0.1:1", apiKey: "k", fetch, say: () => {} }) };
}

test("an id of another kind is refused before anything is sent", async () => {
  const { one, asked } = client();
  const wrong = [
    [() => one.getAction(`loop_${UUID}`), /^action_id is "loop_.*", the id of an open loop; give that of an action \(act_\.\.\.\)$/],
    [() => one.updateOutcome(`dec_${UUID}`, { status: "completed" }), /`createAction` answers with the action's$/],
    [() => one.recordAssumption({ action_id: `act_${UUID}`.replace("act_", "asm_"), assumption: "x" }), /^action_id is "asm_/],
    [() => one.recordAssumption({ actionId: `asm_${UUID}`, assumption: "x" }), /^action_id is "asm_/],
    [() => one.getAssumptions({ actionId: `pol_${UUID}` }), /the id of a policy/],
    [() => one.markMessages({ message_ids: [`msg_${UUID}`, `ho_${UUID}`], read: true }), /^message_ids is "ho_/],
    [() => one.getThread(`fb_${UUID}`), /a context thread \(ct_\.\.\.\) or a message thread \(mt_\.\.\.\)/],
  ];
  for (const [call, message] of wrong) await assert.rejects(async () => call(), { name: "TypeError", message });
  assert.equal(asked.length, 0);
});

test("ids that people make, and what is the caller's own, go through", async () => {
  const { one, asked } = client();
  await one.getAction("order-7");
  await one.getAction(`act_${UUID}`);
  await one.getAction("loop_of_my_own");
  await one.getAction(`loop_${UUID.replace("172e5", "142e5")}`);
  await one.guard({ action_type: "look", template_id: `act_${UUID}` }, { raiseOnBlock: false });
  assert.equal(asked.length, 5);
});
