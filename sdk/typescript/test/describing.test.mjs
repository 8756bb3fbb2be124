// What people read of a call's arguments, and what guard scans: their content, without secrets, shortened after that.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@assent/client";
import { governTools } from "@assent/client/ai";
import { action, created, json, service } from "./service.mjs";

function client() {
  const { fetch, asked } = service((request) => (request.method === "POST" ? created()(request) : json({ action: action("completed") })(request)));
  return { one: new Client({ baseUrl: "http://127.0.0.1:1", apiKey: "k", agentId: "bot", fetch }), asked };
}

async function goal(work, ...args) {
  const { one, asked } = client();
  await one.governed(work)(...args);
  return asked[0].body.declared_goal;
}

function pay() {}

/** Put together here, so that they stand in no file. */
const SECRETS = {
  key: "assent_" + "Qw7Er2Ty9Ui4Op1".repeat(3).slice(0, 43),
  github: "ghp" + "_" + "a1B2c3D4e5F6".repeat(3),
  openai: "sk-" + "proj-" + "a1B2c3D4e5F6g7H8".repeat(3),
  jwt: ["eyJ" + "hbGciOiJIUzI1NiJ9", "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0", "dozjgNryP4J3jVmNHl0w5N"].join("."),
  aws: "AKIA" + "QW7ER2TY9UI4OP1A",
  address: "postgres://app:" + "hunter2hunter2" + "@db/x",
};
const SHOWN = /hunter2|a1B2|Qw7E|QW7E|dozj/;

test("no beginning of a secret is left where a goal, an error or a description is shortened", async () => {
  for (const [name, secret] of Object.entries(SECRETS))
    for (const longest of [120, 480, 2000, 4000, 20_000])
      for (const shift of [5, 12, 30, secret.length - 1]) {
        const text = `${"x ".repeat(longest / 2 - Math.ceil(shift / 2))}${secret}`;
        const { one, asked } = client();
        const work = () => {
          throw new Error(text);
        };
        await one.governed(work, { actionType: "pay" })(text, { [text]: [text] }).catch(() => undefined);
        await one.governed(pay, { declaredGoal: text })(1);
        await governTools({ pay: { description: text, execute: pay } }, { client: one }).pay.execute({ text });
        assert.doesNotMatch(JSON.stringify(asked.map((each) => each.body)), SHOWN, `${name}, ${shift} before ${longest}`);
      }
});

test("what goes by the name of a secret is hidden, whatever holds it", async () => {
  const cases = [
    [pay, { pwd: "hunter2" }],
    [pay, { pin: "hunter2", cookie: "hunter2", secretAccessKey: "hunter2" }],
    [pay, { name: "password", value: "hunter2" }],
    [pay, { env: [{ Key: "DB_PASSWORD", Value: "hunter2" }] }],
    [pay, ["password", "hunter2"]],
    [pay, ["mysql", "-u", "ada", "--password", "hunter2"]],
    [pay, new Map([["password", "hunter2"], ["to", 1]])],
    [pay, new Headers({ authorization: "hunter2" })],
    [pay, new URLSearchParams({ token: "hunter2" })],
    [pay, Object.assign(new Error("x"), { password: "hunter2" })],
    [function login(user, password) {}, "ada", "hunter2"],
    [async function login(/* a, b */ { user }, [x] = [1, ")"], password = "y") {}, {}, [], "hunter2"],
    [{ login: (user, ...passwords) => undefined }.login, "ada", "hunter2", "hunter2"],
    [{ login: async (password) => undefined }.login, "hunter2"],
  ];
  for (const [work, ...args] of cases) {
    const said = await goal(work, ...args);
    assert.doesNotMatch(said, SHOWN, said);
    assert.match(said, /\[REDACTED:[a-z_]+\]/, said);
  }
  assert.equal(await goal(function login(user, password) {}, "ada", "hunter2"), 'login("ada", "[REDACTED:password]")');
});

test("the goal shows the content of what is no JSON", async () => {
  const form = new FormData();
  form.set("to", "Eve");
  class Order {
    amount = 7;
  }
  const cases = [
    [new Map([["amount", 7], ["to", { name: "Eve" }]]), 'Map(["amount",7],["to",{"name":"Eve"}])'],
    [new Set(["a", 1n]), 'Set("a",1n)'],
    [new URLSearchParams("a=1"), 'URLSearchParams(["a","1"])'],
    [new Headers({ a: "1" }), 'Headers(["a","1"])'],
    [form, 'FormData(["to","Eve"])'],
    [new RangeError("wire it", { cause: { amount: 7 } }), 'RangeError("RangeError: wire it", {"cause":{"amount":7}})'],
    [/a.c/g, 'RegExp("/a.c/g")'],
    [Buffer.from("wire 7 €"), 'Buffer("wire 7 €")'],
    [new Uint8Array([0, 1, 255]), "Uint8Array(0x0001ff)"],
    [new TextEncoder().encode("text").buffer, 'ArrayBuffer("text")'],
    [new Float64Array([1.5, 2]), "Float64Array(1.5,2)"],
    [new BigInt64Array([7n]), "BigInt64Array(7)"],
    [new Date(0), "Date(1970-01-01T00:00:00.000Z)"],
    [new URL("http://a.invalid/"), 'URL("http://a.invalid/")'],
    [new Order(), 'Order {"amount":7}'],
    [{ a: undefined, b: NaN, c: -0, d: null }, '{"a":undefined,"b":NaN,"c":-0,"d":null}'],
  ];
  for (const [value, text] of cases) assert.equal(await goal(pay, value), `pay(${text})`);
  assert.equal(await goal(pay, "a\u202eb\nc"), 'pay("a\ufffdb\\nc")');
});
