// The agent in Node, as tests/stories/agents.py asks it: each line is a call, and its answer a line of JSON. It stands in a
// folder of its own with the package installed, as an agent's program does.
import { createInterface } from "node:readline";
import { AssentError, buildPcaaCheckpointStates, Client, verifyBundle } from "@assent/client";
import { LegacyClient } from "@assent/client/legacy";

let client;
let legacy;
let became;
let said = [];

const WAYS = {
  guard: (context) => client.guard(context),
  create_action: (action) => client.createAction(action),
  get_action: (actionId) => client.getAction(actionId),
  record_assumption: (assumption) => client.recordAssumption(assumption),
  update_outcome: (actionId, outcome) => client.updateOutcome(actionId, outcome),
  wait_for_approval: (actionId, seconds) => client.waitForApproval(actionId, { timeout: seconds * 1000 }),
  claim_action: (actionId, act) => client.claimAction(actionId, act),
  track: (action, failing) =>
    client.track(action, async (tracked) => {
      await tracked.recordAssumption("It can be done");
      if (failing) throw new WorkError("the work went wrong");
      return tracked.actionId;
    }),
  governed: (name, argument) => {
    const ran = [];
    const work = (value) => ({ ran: [...ran, ran.push(value) && value] });
    return client.governed(work, { actionType: name })(argument);
  },
  async events(after, count) {
    const found = [];
    for await (const { id, event } of client.events({ lastEventId: after })) {
      found.push({ id, event });
      if (found.length === count) return found;
    }
    throw new Error("the stream ended");
  },
  verify: (bundle, keys) => verifyBundle(bundle, keys ? { keys } : {}),
  async message(text) {
    await client.sendMessage({ from_agent_id: "ops", to: "bot", type: "info", body: text });
    return client.getInbox({ unread: true });
  },
  heartbeat: () => client.heartbeat("busy", { queue: 3 }),
  // Any method, of the first generation too.
  async any(name, ...args) {
    const answer = await legacy[name](...args);
    return answer?.data instanceof Uint8Array ? { ...answer, data: Buffer.from(answer.data).toString("utf8") } : answer;
  },
  // The same agent, with a key to sign by.
  async sign(privateKey, action) {
    return new Client({ ...became, privateKey }).createAction(action);
  },
  // What needs no service: many at once.
  verify_texts: (cases) =>
    Promise.all(cases.map(({ text, keys, since }) => verifyBundle(Buffer.from(text, "base64"), { ...(keys && { keys }), ...(since !== null && { since }) }))),
  pcaa: (cases) =>
    cases.map(({ action, assumptions, approval, now }) => {
      try {
        return buildPcaaCheckpointStates(action, assumptions, approval, new Date(now));
      } catch (error) {
        return error.name;
      }
    }),
};

class WorkError extends Error {
  name = "WorkError";
}

async function answer({ become, name, given }) {
  if (become) {
    became = become;
    client = new Client({ ...become, say: (line) => said.push(line) });
    legacy = new LegacyClient({ ...become, say: (line) => said.push(line) });
    return { result: null };
  }
  said = [];
  try {
    return { result: (await WAYS[name](...given)) ?? null, said };
  } catch (error) {
    if (!(error instanceof AssentError || error instanceof WorkError)) console.error(error);
    const { code, status, details, reasons, reasoning } = error;
    return { raised: { name: error.name, code, status, details: details?.map((each) => each.place), reasons, reasoning }, said };
  }
}

for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(await answer(JSON.parse(line))));
