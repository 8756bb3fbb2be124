// Runs each case of the table that it is given, and prints whether the governed call ran.
import { readFileSync } from "node:fs";
import { Client } from "@assent/client";

const { answers, cases } = JSON.parse(readFileSync(process.argv[2], "utf8"));

function changed(name, change, sent) {
  let text = JSON.stringify(answers[name]);
  for (const [place, value] of Object.entries(sent)) text = text.replaceAll(place, value);
  const answer = JSON.parse(text);
  for (const [place, value] of Object.entries(change)) {
    const path = place.split(".");
    const last = path.pop();
    path.reduce((member, each) => member[each], answer)[last] = value;
  }
  return answer;
}

async function ran({ of, change }) {
  const creation = ["allowed", "approved", "waits"].includes(of) ? of : "waits";
  let sent = {};
  const fetch = async (url, { method = "GET", body, headers }) => {
    const { pathname: path } = new URL(url);
    if (path === "/api/stream") return new Response("{}", { status: 404 });
    if (path === "/api/actions") sent = { $digest: JSON.parse(body).parameters_digest, $key: new Headers(headers).get("idempotency-key") };
    const name = path === "/api/actions" ? creation : path.endsWith("/claim") ? "claim" : "read";
    const status = path !== "/api/actions" ? 200 : creation === "waits" ? 202 : 201;
    const answer = changed(name, name === of && method !== "PATCH" ? change : {}, sent);
    return new Response(JSON.stringify(answer), { status, headers: { "x-request-id": new Headers(headers).get("x-request-id") } });
  };
  const client = new Client({ baseUrl: "http://127.0.0.1:1", apiKey: "k", agentId: "bot", fetch, say: () => {}, retries: 0 });
  let ran = false;
  const pay = client.governed(() => (ran = true), { actionType: "pay", fields: { session_id: "run-7" } });
  await pay(5).catch(() => undefined);
  return ran;
}

const told = [];
for (const each of cases) told.push(await ran(each));
console.log(JSON.stringify(told));
