import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@assent/client";
import { frame, json, refused, service, stream } from "./service.mjs";

function follow(answers, options = {}) {
  const { fetch, asked } = service(...answers);
  const client = new Client({ baseUrl: "http://127.0.0.1:1", apiKey: "k", fetch, ...options });
  return { asked, client };
}

async function take(events, count) {
  const found = [];
  for await (const event of events) if (found.push(event) === count) break;
  return found;
}

test("a dropped stream is opened after the last event, and none comes twice", async () => {
  const first = stream([frame(3, "action.created", { n: 3 }), frame(4, "action.updated", { n: 4 }).slice(0, 20)]);
  const second = stream([frame(3, "action.created", { n: 3 }), frame(4, "action.updated", { n: 4 })]);
  const { client, asked } = follow([first, second]);
  assert.deepEqual(await take(client.events({ types: ["action.created", "action.updated"] }), 2), [
    { id: 3, event: "action.created", data: { n: 3 } },
    { id: 4, event: "action.updated", data: { n: 4 } },
  ]);
  assert.equal(asked[0].url, "http://127.0.0.1:1/api/stream?types=action.created%2Caction.updated");
  assert.deepEqual(asked.map((each) => each.headers.get("last-event-id")), [null, "3"]);
});

test("before the first event the service says where to go on", async () => {
  const connected = stream(['event: connected\ndata: {"last_event_id": 8}\n\n']);
  const { client, asked } = follow([connected, stream([frame(9, "x", {})])]);
  assert.equal((await take(client.events(), 1))[0].id, 9);
  assert.deepEqual(asked.map((each) => each.headers.get("last-event-id")), [null, "8"]);
});

test("lines are read however they are cut and ended", async () => {
  const whole = `: a comment\r\nid: 5\r\nevent: look\r\ndata: {"a":\r\ndata: "é"}\r\n\r\n${frame(7, "end", {})}`;
  const bytes = new TextEncoder().encode(whole);
  for (const size of [1, 2, 3, 7]) {
    const cut = (request) => {
      const body = new ReadableStream({
        start(controller) {
          for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream", "x-request-id": request.headers.get("x-request-id") } });
    };
    const found = await take(follow([cut]).client.events(), 2);
    assert.deepEqual(found, [{ id: 5, event: "look", data: { a: "é" } }, { id: 7, event: "end", data: {} }]);
  }
});

test("an event whose frame cannot be read is asked for again, and is not passed over", async () => {
  const [one, two, three] = [1, 2, 3].map((n) => frame(n, "x", { n }));
  const spoiled = {
    "cut JSON": 'id: 2\nevent: x\ndata: {"n":2\n\n',
    "no record": "id: 2\nevent: x\ndata: [2]\n\n",
    "no id": 'event: x\ndata: {"n":2}\n\n',
    "an id that is none": 'id: two\nevent: x\ndata: {"n":2}\n\n',
    "a lower id": 'id: 0\nevent: x\ndata: {"n":2}\n\n',
  };
  for (const [name, bad] of Object.entries(spoiled)) {
    const { client, asked } = follow([stream([one, bad, three]), stream([two, three])]);
    assert.deepEqual((await take(client.events({ lastEventId: 0 }), 3)).map((each) => each.data.n), [1, 2, 3], name);
    assert.deepEqual(asked.map((each) => each.headers.get("last-event-id")), ["0", "1"], name);
    const again = follow([stream([one, bad, three]), stream([one, bad, three])]);
    const got = [];
    await assert.rejects(async () => { for await (const { data } of again.client.events({ lastEventId: 0 })) got.push(data.n); }, { name: "ServerError", code: "unreadable_answer" }, name);
    assert.deepEqual(got, [1], name);
  }
  // What was handed out is nobody's business any more.
  const { client } = follow([stream([one, two]), stream(['id: 1\ndata: {"n\n\n', two, three])]);
  assert.equal((await take(client.events({ lastEventId: 0 }), 3)).length, 3);
});

test("a stream that nobody can have ends with its error", async () => {
  await assert.rejects(take(follow([json({ code: "x" }, { status: 401 })]).client.events(), 1), { name: "Unauthorized" });
  const { client, asked } = follow([refused()], { retries: 1 });
  await assert.rejects(take(client.events(), 1), { name: "ConnectionFailed" });
  assert.equal(asked.length, 2);
  await assert.rejects(take(follow([json({})]).client.events(), 1), { name: "ServerError" });
  const unbound = () => new Response("", { headers: { "content-type": "text/event-stream" } });
  await assert.rejects(take(follow([unbound]).client.events(), 1), { name: "UnboundAnswer" });
});

test("a signal ends it, and who stops reading ends the connection", async () => {
  const stop = new AbortController();
  const reading = take(follow([stream([], { stays: true })]).client.events({ signal: stop.signal }), 1);
  setTimeout(() => stop.abort(new RangeError("enough")), 10);
  await assert.rejects(reading, RangeError);
  const { client, asked } = follow([stream([frame(1, "x", {})], { stays: true })]);
  await take(client.events(), 1);
  assert.equal(asked[0].signal.aborted, true);
});
