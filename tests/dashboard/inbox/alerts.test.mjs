// What tells somebody who looks elsewhere, with a window made for the purpose: `node --test`.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Alerts, titled } from "../../../dashboard/assent_dashboard/inbox/frontend/alerts.js";

function around({ permission = "default", answers = "granted", notification = true } = {}) {
  const kept = new Map();
  const made = { asked: 0, notices: [], tones: 0, focused: 0, rewritten: null };
  class Notification {
    static permission = permission;
    static async requestPermission() {
      made.asked += 1;
      Notification.permission = answers;
      return answers;
    }
    constructor(title, options) {
      made.notices.push({ title, ...options, shown: this });
    }
    close() {
      this.closed = true;
    }
  }
  class AudioContext {
    state = "suspended";
    currentTime = 0;
    destination = {};
    async resume() {
      this.state = "running";
    }
    async close() {}
    createOscillator() {
      return { frequency: {}, connect: (next) => next, start: () => (made.tones += 1), stop: () => {} };
    }
    createGain() {
      return { gain: {}, connect: (next) => next };
    }
  }
  class MutationObserver {
    constructor(act) {
      made.rewritten = act;
    }
    observe() {}
    disconnect() {
      made.rewritten = null;
    }
  }
  const document = { title: "Approvals", head: {}, visibilityState: "visible", hasFocus: () => document.focused, focused: true };
  const localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  const world = { document, localStorage, AudioContext, MutationObserver, focus: () => (made.focused += 1) };
  if (notification) world.Notification = Notification;
  return { world, made, document, kept };
}

test("the title has the number in front, once, and none without", () => {
  assert.equal(titled("Approvals", 3), "(3) Approvals");
  assert.equal(titled("(3) Approvals", 12), "(12) Approvals");
  assert.equal(titled("(3) Approvals", 0), "Approvals");
  assert.equal(titled("(draft) Approvals", 1), "(1) (draft) Approvals");
});

test("the number stays when somebody else writes the title, and goes with the page", () => {
  const { world, made, document } = around();
  const alerts = new Alerts(world);
  alerts.count(2);
  assert.equal(document.title, "(2) Approvals");
  document.title = "Approvals - Assent";
  made.rewritten();
  assert.equal(document.title, "(2) Approvals - Assent");
  alerts.end();
  assert.equal(document.title, "Approvals - Assent");
  assert.equal(made.rewritten, null);
});

test("the browser is asked by a press alone", async () => {
  const { world, made, document } = around();
  const alerts = new Alerts(world);
  document.focused = false;
  alerts.count(1);
  alerts.came();
  assert.deepEqual([made.asked, made.notices.length, alerts.notices], [0, 0, "off"]);
  await alerts.switchNotices();
  assert.deepEqual([made.asked, alerts.notices], [1, "on"]);
  alerts.came();
  assert.deepEqual(made.notices.map((each) => [each.body, each.tag]), [["1 request waits", "assent-inbox"]]);
  await alerts.switchNotices();
  assert.deepEqual([made.asked, alerts.notices], [1, "off"]);
  alerts.came();
  assert.equal(made.notices.length, 1);
});

test("who looks at the page gets no browser notice", async () => {
  const { world, made, document } = around();
  const alerts = new Alerts(world);
  await alerts.switchNotices();
  alerts.count(4);
  alerts.came();
  assert.equal(made.notices.length, 0);
  document.visibilityState = "hidden";
  alerts.came();
  assert.equal(made.notices[0].body, "4 requests wait");
  made.notices[0].shown.onclick();
  assert.deepEqual([made.focused, made.notices[0].shown.closed], [1, true]);
});

test("a browser that refuses, that has refused, and that has none", async () => {
  const refusing = around({ answers: "denied" });
  const alerts = new Alerts(refusing.world);
  await alerts.switchNotices();
  assert.equal(alerts.notices, "denied");
  assert.equal(new Alerts(around({ permission: "denied" }).world).notices, "denied");
  const none = new Alerts(around({ notification: false }).world);
  await none.switchNotices();
  assert.equal(none.notices, "absent");
  none.came();
});

test("what the browser allows for another reason is still off until it is chosen here", () => {
  assert.equal(new Alerts(around({ permission: "granted" }).world).notices, "off");
});

test("the sound is off until it is chosen", () => {
  const { world, made, kept } = around();
  const alerts = new Alerts(world);
  alerts.came();
  assert.deepEqual([alerts.sound, made.tones], [false, 0]);
  alerts.switchSound(true);
  alerts.came();
  assert.deepEqual([alerts.sound, made.tones], [true, 2]);
  alerts.switchSound(false);
  alerts.came();
  assert.deepEqual([made.tones, kept.get("assent-inbox-sound")], [2, "off"]);
});
