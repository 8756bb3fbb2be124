// What stands for arguments in an approval: their content, whatever they are, or the call is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, digest } from "@assent/client";
import { action, created, json, service } from "./service.mjs";

function asking(during = () => {}) {
  const { fetch, asked } = service((request) => {
    if (request.method !== "POST") return json({ action: action("completed") })(request);
    during();
    return created()(request);
  });
  const one = new Client({ baseUrl: "http://127.0.0.1:1", apiKey: "k", agentId: "bot", fetch });
  return { one, asked };
}

async function digested(...args) {
  const { one, asked } = asking();
  await one.governed(async () => undefined, { actionType: "pay" })(...args);
  return asked[0].body.parameters_digest;
}

class Point {
  constructor(x) {
    this.x = x;
  }
}
class Other extends Point {}
class Hidden {
  #amount;
  constructor(amount) {
    this.#amount = amount;
  }
  get amount() {
    return this.#amount;
  }
}
class Written extends Hidden {
  toJSON() {
    return { amount: this.amount };
  }
}
/** Says of itself what it is not. */
class Lying extends Point {
  toJSON() {
    return { x: "the same" };
  }
}
class Page extends URL {}

const form = (value) => {
  const made = new FormData();
  made.set("to", value);
  return made;
};
const PAIRS = {
  URL: (each) => new URL(`http://${each}.invalid/`),
  "a URL of a class of its own": (each) => new Page(`http://${each}.invalid/`),
  URLSearchParams: (each) => new URLSearchParams({ to: each }),
  Headers: (each) => new Headers({ to: each }),
  FormData: form,
  ArrayBuffer: (each) => new TextEncoder().encode(each).buffer,
  SharedArrayBuffer: (each) => {
    const made = new SharedArrayBuffer(1);
    new Uint8Array(made)[0] = each.charCodeAt(0);
    return made;
  },
  DataView: (each) => new DataView(new TextEncoder().encode(each).buffer),
  RegExp: (each) => new RegExp(each),
  "flags of a RegExp": (each) => new RegExp("x", each === "a" ? "g" : "i"),
  Error: (each) => new Error(each),
  "a boxed String": (each) => new String(each),
  "a boxed Number": (each) => new Number(each.charCodeAt(0)),
  "a boxed Boolean": (each) => new Boolean(each === "a"),
  "a boxed BigInt": (each) => Object(BigInt(each.charCodeAt(0))),
  Map: (each) => new Map([[each, 1]]),
  Set: (each) => new Set([each]),
  Date: (each) => new Date(each.charCodeAt(0)),
  "a class's own members": (each) => new Point(each),
  "a class with toJSON": (each) => new Lying(each),
  "what an array has besides": (each) => Object.assign([1], { more: each }),
  "an object without a prototype": (each) => Object.assign(Object.create(null), { to: each }),
  "what is inherited by an array's class": (each) => Object.assign(new (class Row extends Array {})(), { more: each }),
};

test("two arguments with other content have other digests", async () => {
  for (const [name, make] of Object.entries(PAIRS)) {
    assert.notEqual(await digested(make("a")), await digested(make("b")), name);
    assert.notEqual(await digested({ deep: [make("a")] }), await digested({ deep: [make("b")] }), name);
    assert.equal(await digested(make("a")), await digested(make("a")), name);
    assert.notEqual(await digested(make("a")), await digested({}), name);
  }
  assert.notEqual(await digested(new Point(1)), await digested(new Other(1)));
  assert.notEqual(await digested(new Point(1)), await digested({ x: 1 }));
});

class Ledger extends Map {
  constructor(more) {
    super();
    this.more = more;
  }
}
const put = (value, name, member) => Object.defineProperty(value, name, { value: member, enumerable: false });

test("two arguments that differ somewhere have other digests", async () => {
  const Foo = { Foo: class Foo { a = 1; } }.Foo;
  const cases = {
    "the cause of an error": [new Error("x", { cause: { amount: 1 } }), new Error("x", { cause: { amount: 2 } })],
    "the errors of one": [new AggregateError([1], "x"), new AggregateError([2], "x")],
    "an error's own member": [Object.assign(new Error("x"), { code: 1 }), Object.assign(new Error("x"), { code: 2 })],
    "a hidden member": [put({ a: 1 }, "amount", 1), put({ a: 1 }, "amount", 2)],
    "a hidden member and none": [put({ a: 1 }, "amount", 1), { a: 1, amount: 1 }],
    "a hidden member of a class": [put(new Foo(), "amount", 1), put(new Foo(), "amount", 2)],
    "a hidden member of an array": [put([1], "amount", 1), put([1], "amount", 2)],
    "a member of a map's class": [new Ledger(1), new Ledger(2)],
    "a hidden member of a date": [put(new Date(0), "amount", 1), put(new Date(0), "amount", 2)],
    "where a pattern goes on": [/a/g, Object.assign(/a/g, { lastIndex: 1 })],
    "what an object's prototype has": [Object.assign(Object.create({ limit: 1 }), { a: 1 }), Object.assign(Object.create({ limit: 2 }), { a: 1 })],
    zero: [0, -0],
    "a member that is undefined": [{ a: undefined }, {}],
    "a hole": [[, 1], [undefined, 1]],
    "a map and what looks like it": [new Map([["a", 1]]), { Map: [["a", 1]] }],
    "a class and what looks like it": [new Foo(), { Foo: { a: 1 } }],
    "a number and what looks like it": [NaN, { number: "NaN" }],
    "a map and its form here": [new Map(), { kind: "Map", as: "Map", content: [[]], members: {} }],
    "an object and its form here": [{ a: [new Map()] }, { members: { a: [new Map()] } }],
    "a class named like a kind": [new (class Map { a = 1; })(), Object.assign(new Map(), { a: 1 })],
  };
  for (const [name, [one, other]] of Object.entries(cases)) {
    assert.notEqual(await digested(one), await digested(other), name);
    assert.notEqual(await digested([{ x: one }]), await digested([{ x: other }]), name);
  }
});

test("what JSON carries has the digest that every language gives it", async () => {
  for (const value of [null, true, 0, 1.5, "é", [], {}, [1, [2, { a: null }]], { b: 1, a: ["x"] }, Object.assign(Object.create(null), { a: 1 })])
    assert.equal(await digested(value), await digest([value]));
  // What Python's `parameters_digest([{"b": 1, "a": []}])` gives.
  assert.equal(await digested({ b: 1, a: [] }), "sha256:7bb5e971ace0e1bb05510c076764f22f07502d01a7c2e96decd8f83ed7a5b2b6");
});

test("a call whose arguments no digest can tell is refused before anything is sent", async () => {
  const kinds = {
    Request: new Request("http://a.invalid/"),
    Response: new Response("a"),
    Blob: new Blob(["a"]),
    File: new Blob(["a"], { type: "text/plain" }),
    "a form with a file": (() => {
      const made = new FormData();
      made.set("file", new Blob(["a"]));
      return made;
    })(),
    Promise: Promise.resolve(1),
    "a stream": new ReadableStream(),
    "a generator": (function* () {
      yield 1;
    })(),
    "private members that toJSON tells": new Written(1),
    WeakMap: new WeakMap(),
    "a function": () => 1,
    "a symbol": Symbol("x"),
    "a member under a symbol": { [Symbol("x")]: 1 },
    "a method": { run() {} },
    "a class with private members": new Hidden(1),
    "private members beside public ones": new (class Order { #amount = 1; id = 7; get amount() { return this.#amount; } })(),
    "private members as a compiler writes them": new (class Order { id = 7; get amount() { return __privateGet(this, _amount); } })(),
    "private members of a class above": new (class More extends Hidden { id = 7; })(1),
    "private members of a map's class": new (class Account extends Map { #amount = 1; set(v) { return (this.#amount = v); } })(),
    "private members of a date's class": new (class Day extends Date { #a = 1; get a() { return this.#a; } })(0),
    "private members below what writes": new (class More extends Written { #more = 1; get more() { return this.#more; } })(1),
    "a hidden member under a symbol": put({ a: 1 }, Symbol("x"), 1),
    "what is only inherited": Object.create({ a: 1 }),
    "a boxed symbol": Object(Symbol("x")),
  };
  for (const [name, value] of Object.entries(kinds))
    for (const argument of [value, { deep: [value] }]) {
      const { one, asked } = asking();
      await assert.rejects(one.governed(() => assert.fail("it ran"), { actionType: "pay" })(argument), (error) => {
        assert.equal(error.name, "TypeError", name);
        assert.match(error.message, /^pay\[0\].*whose content no digest can tell; give what it stands for as JSON$/, name);
        return true;
      });
      assert.equal(asked.length, 0, name);
    }
});

/** What compilers make of `class Transfer { #to = "ann"; redirect(to) { this.#to = to; } }`, with names of one letter. */
function compiled() {
  const s = new WeakMap();
  const d = (t, r, e) => r.set(t, e);
  class Esbuild { constructor() { d(this,s,"ann") } redirect(r) { s.set(this, r); } }
  class Typescript { constructor() { s.set(this, "ann"); } }
  function Old() { s.set(this, "ann"); }
  class Redirected { id = 1; get to() { return d( this , s, 1 ); } }
  const made = [new Esbuild(), new Typescript(), new Old(), new Redirected()];
  return made.map((each) => Object.assign(each, { id: 1 }));
}

test("an instance whose class has values kept for it elsewhere is refused, and others are not", async () => {
  for (const each of compiled()) await assert.rejects(digested({ each }), /whose class has code keep values for `this`, whose content no digest can tell/, each.constructor.name);
  class Plain extends Error {
    constructor() {
      super("x");
      Error.captureStackTrace(this, Plain);
      Object.defineProperty(this, "id", { value: 1 });
      Plain.prototype.check.call(this, 1);
    }
    check() { return String(this) + this.all(); }
    all() { return [this, 1]; }
  }
  assert.match(await digested(new Plain()), /^sha256:/);
});

test("many bytes and long lists are told in time, and a list of holes is refused", async () => {
  const cost = async (value) => {
    const before = process.cpuUsage().user;
    await digested(value);
    return (process.cpuUsage().user - before) / 1000;
  };
  const bytes = Buffer.alloc(2e6, "ab");
  assert.ok((await cost(bytes)) < 2000);
  assert.ok((await cost(Array.from({ length: 1e5 }, (_, id) => ({ id, to: "Ann" })))) < 8000);
  const other = Buffer.from(bytes);
  other[1_999_999] = 0;
  assert.notEqual(await digested(bytes), await digested(other));
  // What a program of before made of bytes.
  assert.equal(await digested(new Uint8Array([0, 10, 255])), "sha256:64e03f34e6c162311141c4dc913515f571b71014c204928b77c74be5c7ccfeeb");
  await assert.rejects(digested(Object.assign(Buffer.from(bytes), { to: "Ann" })), /a Buffer of 2000000 with members beside them, whose content no digest can tell/);
  const sparse = [];
  sparse[4e9] = 1;
  await assert.rejects(digested(sparse), /a list of 4000000001 with 4000000000 holes, whose content no digest can tell/);
  const beyond = (value) => Object.assign([1], { [2 ** 32]: value });
  assert.notEqual(await digested(beyond("Ann")), await digested(beyond("Eve")));
  const bare = (value) => Object.setPrototypeOf([value], Object.prototype);
  assert.notEqual(await digested(bare("Ann")), await digested(bare("Eve")));
});

test("arguments that change after the question do not run", async () => {
  const changes = {
    "a member": [{ amount: 1 }, (each) => (each.amount = 1e6)],
    "a deep member": [{ to: { name: "Ann" } }, (each) => (each.to.name = "Eve")],
    "a URL": [new URL("http://good.invalid/"), (each) => (each.host = "evil.invalid")],
    "a form": [form("Ann"), (each) => each.set("to", "Eve")],
    bytes: [new ArrayBuffer(2), (each) => (new Uint8Array(each)[0] = 7)],
    "what cannot be told": [{ amount: 1 }, (each) => (each.amount = () => 1)],
  };
  for (const [name, [argument, change]] of Object.entries(changes)) {
    const { one, asked } = asking(() => change(argument));
    await assert.rejects(one.governed(() => assert.fail("it ran"), { actionType: "pay" })(argument), { name: name === "what cannot be told" ? "TypeError" : "ArgumentsChanged" }, name);
    const outcome = asked.at(-1).body;
    assert.equal(outcome.status, "failed", name);
    assert.match(outcome.error_message, /changed after act_1 was asked about|no digest can tell/, name);
  }
});
