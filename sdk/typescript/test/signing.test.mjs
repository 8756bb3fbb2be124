import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { inspect } from "node:util";
import { test } from "node:test";
import { canonical, Client } from "@assent/client";
import { action, json, service } from "./service.mjs";

const PKCS8 = { privateKeyEncoding: { type: "pkcs8", format: "pem" }, publicKeyEncoding: { type: "spki", format: "pem" } };
const PAIRS = {
  "RSASSA-PKCS1-v1_5": generateKeyPairSync("rsa", { modulusLength: 2048, ...PKCS8 }),
  Ed25519: generateKeyPairSync("ed25519", PKCS8),
};

function signing(privateKey) {
  const { fetch, asked } = service(json({ action: action() }));
  return { asked, client: new Client({ baseUrl: "http://127.0.0.1:1", apiKey: "k", agentId: "bot", privateKey, fetch, say: () => {} }) };
}

for (const [algorithm, { privateKey, publicKey }] of Object.entries(PAIRS)) {
  test(`what is sent is what is signed, by ${algorithm}`, async () => {
    const { client, asked } = signing(privateKey);
    const at = new Date(0);
    await client.createAction({ action_type: "look", declared_goal: "Grüße 🎉", metadata: { at, none: null, float: 1.5 }, left: undefined });
    await client.createAction({ action_type: "look" }, { idempotencyKey: "order-7" });
    for (const { body, headers } of asked) {
      const { _signature, ...signed } = body;
      const hash = algorithm === "Ed25519" ? null : "sha256";
      assert.ok(verify(hash, canonical(signed), createPublicKey(publicKey), Buffer.from(_signature, "base64")));
      assert.equal(signed.agent_id, "bot");
      assert.equal(headers.get("idempotency-key"), null, "the key is signed, too");
    }
    assert.deepEqual(asked[0].body.metadata, { at: "1970-01-01T00:00:00.000Z", none: null, float: 1.5 });
    assert.match(asked[0].body.idempotency_key, /^[0-9a-f]{32}$/);
    assert.equal(asked[1].body.idempotency_key, "order-7");
  });
}

test("who has signed already is not signed for", async () => {
  const { client, asked } = signing(PAIRS.Ed25519.privateKey);
  await client.createAction({ action_type: "look", _signature: "mine" });
  assert.equal(asked[0].body._signature, "mine");
  assert.equal(asked[0].body.idempotency_key, undefined);
});

test("a key that cannot sign is said, and nothing of it is shown", async () => {
  const small = generateKeyPairSync("rsa", { modulusLength: 1024, ...PKCS8 }).privateKey;
  const curve = generateKeyPairSync("ec", { namedCurve: "P-256", ...PKCS8 }).privateKey;
  const old = generateKeyPairSync("rsa", { modulusLength: 2048, privateKeyEncoding: { type: "pkcs1", format: "pem" }, publicKeyEncoding: PKCS8.publicKeyEncoding }).privateKey;
  for (const text of ["", "secret-words", old, PAIRS.Ed25519.publicKey])
    assert.throws(() => signing(text), (error) => error instanceof TypeError && /PKCS #8/.test(error.message) && !error.message.includes("secret"));
  const broken = PAIRS.Ed25519.privateKey.replace("MC4CAQAw", "MC4CAQAx");
  for (const [pem, message] of [[small, /has 1024 bits; use 2048 or more/], [curve, /cannot be read/], [broken, /cannot be read/]]) {
    const { client, asked } = signing(pem);
    await assert.rejects(client.createAction({ action_type: "look" }), { name: "TypeError", message });
    assert.equal(asked.length, 0);
  }
  const { client } = signing(PAIRS.Ed25519.privateKey);
  assert.ok(!inspect(client, { depth: 9, showHidden: true }).includes("PRIVATE"));
});
