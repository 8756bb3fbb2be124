import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import * as assent from "@assent/client";
import { Client, LegacyClient, NOT_SERVED } from "@assent/client/legacy";
import { json, service } from "./service.mjs";

test("the first generation's methods", async () => {
  const { fetch, asked } = service(json({}));
  const client = new LegacyClient({ baseUrl: "http://127.0.0.1:1", apiKey: "k", agentId: "bot", fetch });
  const sent = async (calling) => {
    await calling;
    const { method, url, body } = asked.at(-1);
    return [method, url.slice("http://127.0.0.1:1".length), body];
  };
  assert.deepEqual(await sent(client.createPairing("PEM", "RSASSA-PKCS1-v1_5", "The bot")), ["POST", "/api/pairings", { agent_id: "bot", public_key: "PEM", algorithm: "RSASSA-PKCS1-v1_5", agent_name: "The bot" }]);
  assert.deepEqual(await sent(client.getPairing("pair_1")), ["GET", "/api/pairings/pair_1", undefined]);
  assert.deepEqual(await sent(client.registerIdentity("bot", "PEM")), ["POST", "/api/identities", { agent_id: "bot", public_key: "PEM", algorithm: "RSASSA-PKCS1-v1_5" }]);
  assert.deepEqual(await sent(client.getIdentities()), ["GET", "/api/identities", undefined]);
  assert.deepEqual(await sent(client.createWebhook("https://hooks.invalid/", ["action.created"])), ["POST", "/api/webhooks", { url: "https://hooks.invalid/", events: ["action.created"] }]);
  assert.deepEqual(await sent(client.getActivityLogs({ actorId: "x" })), ["GET", "/api/activity?actor_id=x", undefined]);
  assert.deepEqual(await sent(client.mapCompliance("soc2")), ["GET", "/api/compliance/map?framework=soc2", undefined]);
  assert.deepEqual(await sent(client.getProofReport("md")), ["GET", "/api/policies/proof?format=md", undefined]);
  assert.deepEqual(await sent(client.createCalendarEvent({ summary: "x" })), ["POST", "/api/calendar", { agent_id: "bot", summary: "x" }]);
  assert.deepEqual(await sent(client.updateComplianceSchedule("cs_1", { name: "x" })), ["PATCH", "/api/compliance/schedules/cs_1", { name: "x" }]);
  assert.deepEqual(await sent(client.getComplianceTrends({ framework: "soc2" })), ["GET", "/api/compliance/trends?framework=soc2", undefined]);
  assert.deepEqual(NOT_SERVED, []);
  assert.ok(client instanceof Client);
  const other = client.withOptions({ agentId: "other" });
  assert.ok(other instanceof LegacyClient);
  assert.deepEqual(await sent(other.createPairing("PEM")), ["POST", "/api/pairings", { agent_id: "other", public_key: "PEM", algorithm: "RSASSA-PKCS1-v1_5" }]);
});

test("both builds have the same names", () => {
  const require = createRequire(import.meta.url);
  for (const [name, esm] of [["@assent/client", assent], ["@assent/client/legacy", { ...assent, LegacyClient, NOT_SERVED }]])
    assert.deepEqual(Object.keys(require(name)).sort(), Object.keys(esm).sort());
});
