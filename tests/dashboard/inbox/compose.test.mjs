// The form of a standing grant, with a document made for the purpose: `node --test`.

import assert from "node:assert/strict";
import { test } from "node:test";

import { COMPOSERS } from "../../../dashboard/assent_dashboard/inbox/frontend/compose.js";

/** As much of an element as the form asks for. */
class Element {
  constructor(tag) {
    Object.assign(this, { tag, children: [], attributes: {}, listeners: {}, hidden: false, value: "", checked: false });
    this.validity = { valid: true };
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
    if (name === "value") this.value = value;
  }

  addEventListener(name, act) {
    this.listeners[name] = act;
  }

  append(...children) {
    this.children.push(...children.filter((child) => child !== ""));
  }

  replaceChildren(...children) {
    this.children = [];
    this.append(...children);
  }

  focus() {}

  set textContent(text) {
    this.children = text === "" ? [] : [text];
  }

  get textContent() {
    return this.children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }

  all(tag) {
    const own = this.children.filter((child) => typeof child !== "string");
    return [...own.filter((child) => child.tag === tag), ...own.flatMap((child) => child.all(tag))];
  }
}
globalThis.document = { createElement: (tag) => new Element(tag) };

const PARTS = ["parameters are to, attachments and no others", "parameters.to: exactly as here (1 item: “team@example.org”)"];
const OPENED = ["further arguments of any name and value", "any to"];

/** A form for one request, what it has sent, and whether the service names arguments that nothing binds. */
async function opened({ unbound = null, risk = 10, hidden = 0 } = {}) {
  const core = { row: () => ({ goal: "Send it", risk, systems: ["mail"], reversible: false }), standing: () => "waits", tombs: new Map() };
  const sent = [];
  const say = async (path, body) => {
    if (body) return sent.push(body) && { ok: true };
    const without = path.split("without=")[1].split(",").filter(Boolean).map(Number);
    return { who: "bot", type: "email", max_risk: 20, parts: PARTS, opened: OPENED, without, unbound, would: [], why_not: null };
  };
  const acts = { say, done() {}, failed() {}, close() {}, now: () => 0 };
  const form = new COMPOSERS.grant(core, { kind: "grant", ids: ["act_1"], hidden }, acts);
  await settled();
  return { form, sent };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("what is left out says what it leaves open", async () => {
  const { form, sent } = await opened();
  assert.doesNotMatch(form.pattern.textContent, /Left open/);
  const [, to] = form.pattern.all("input");
  to.checked = false;
  to.listeners.change();
  await settled();
  assert.match(form.pattern.textContent, /exactly as here \(1 item: “team@example.org”\) Left open: any to/);
  assert.doesNotMatch(form.pattern.textContent, /further arguments/);
  assert.equal(form.asked.hidden, true, "no word is asked for");
  form.confirm();
  assert.deepEqual(sent.map((body) => body.without), [[1]]);
});

test("arguments that nothing binds are named, and take the word", async () => {
  const unbound = "No condition can bind mail.to: a grant lets any value of it through.";
  const { form, sent } = await opened({ unbound });
  assert.equal(form.asked.hidden, false);
  assert.equal(form.cause.textContent, `${unbound} Type “allow”`);
  form.typed.value = "yes";
  form.confirm();
  assert.deepEqual(sent, []);
  assert.equal(form.problem.textContent, `${unbound} Type allow.`);
  form.typed.value = " Allow ";
  form.confirm();
  assert.equal(sent.length, 1);
});

test("what is asked about says what it touches, its risk, and that it cannot be undone", async () => {
  const { form } = await opened({ risk: 35.55 });
  assert.equal(form.list.textContent, "Send it · touches mail · risk 35.6 · cannot be undone");
});

test("a high risk and unseen arguments take the word as before", async () => {
  for (const [given, why] of [[{ risk: 95 }, /The risk is high/], [{ hidden: 3 }, /Not all of its arguments are shown/]]) {
    const { form, sent } = await opened(given);
    assert.match(form.cause.textContent, why);
    form.confirm();
    assert.deepEqual(sent, []);
  }
});
