// The page of the inbox: the list, of which only the rows in sight are drawn, the request beside it, keys, the bar of
// what is held, and what was said last. It draws what the core knows and decides nothing itself.

import { Alerts } from "./alerts.js";
import { COMPOSERS } from "./compose.js";
import { Inbox } from "./core.js";
import { badges, behind, button, difference, escalated, exact, goal, ledger, make, origins, retell, risk, SOON_MS, standing, stopped, talk, timed, waits } from "./detail.js";
import { Form } from "./form.js";
import { Given } from "./given.js";
import { closeConnectionErrors } from "./quiet.js";
import { Transport } from "./transport.js";
import { LONGEST_NAME, said, Views } from "./views.js";
import { ago, became, clock, duty, ended, leaves, left, Saying, several } from "./words.js";

const WIDE_ROW = 33;
const NARROW_ROW = 58;
const BEYOND = 4; // rows above and below those in sight
const REST_MS = 90; // the cursor rests so long before it is asked what stands behind
const SEARCHED_MS = 500;
const LEAST_HEIGHT = 420;
const KNOWN = 60; // so many details are kept
const FRESH_MS = 30000;
const ANEW_MS = 1000; // however much happens, the same is asked no sooner after itself
const AGAIN_MS = 2000; // what could not be asked is asked again after so long
const REFUSED_MS = 4000; // news come behind a refusal that is younger
const KEYS_EVERYWHERE = "assent-inbox-keys";
const FIELDS = "input:not([type=radio], [type=checkbox], [type=button]), textarea, select, [contenteditable], [role=dialog] *, [role=combobox]";

const KEYS = {
  j: "next", ArrowDown: "next", k: "previous", ArrowUp: "previous", Home: "first", End: "last",
  x: "pick", a: "allow", d: "deny", u: "undo", e: "ask", s: "later", f: "grant", m: "comment", i: "take", I: "assign",
};
const IN_LIST = new Set(["ArrowDown", "ArrowUp", "Home", "End"]);
const HELP = [
  ["j k", "down and up"],
  ["x", "select; a, d, s, i and I then mean all that are selected"],
  ["a", "allow"],
  ["A", "allow with conditions or a time limit"],
  ["d", "deny, with a reason"],
  ["u", "take the last decision back while it is held"],
  ["e", "ask the agent back, or offer what you would allow"],
  ["s", "later: put it off for you alone, until a time"],
  ["m", "a comment for the other operators"],
  ["i", "mine: you take care of it; again hands it back"],
  ["I", "give it to another operator; everybody may decide as before"],
  ["f", "from now on: allow its like in advance"],
  ["v", "the whole of a long goal, or its beginning"],
  ["J K", "the request beside the list, further down and up"],
  ["Enter", "to the request beside the list, Esc back"],
  ["/", "search; Enter keeps what was found, Esc all, and the keys are back"],
  ["?", "this help; Esc closes it"],
];

// What shows the end of what is not in sight.
const WAYS = {
  folded: "its goal goes on; v, or “The whole goal” below it, opens it",
  goal: "its goal goes on; J and K, or scrolling, show its end",
  arguments: "its arguments go on below; J, or scrolling, shows them",
};

/** Whether the end of an element is in sight, within what scrolls and above this edge of the window. */
function inSight(element, within, edge) {
  const box = element.getBoundingClientRect();
  if (!element.isConnected || folded(element) || (box.width === 0 && box.height === 0)) return false;
  const frame = within.getBoundingClientRect();
  const low = Math.min(frame.bottom, edge);
  return box.bottom <= low + 1 && box.bottom > Math.max(frame.top, 0);
}

const folded = (element) => element.closest("details:not([open])") !== null;

export class View {
  constructor(root) {
    this.root = root;
    this.core = new Inbox();
    this.keyId = null; // of the session's key
    this.alerts = new Alerts(window);
    this.views = new Views(window);
    this.offset = 0; // the service's time less this machine's
    this.hold = 5000;
    this.form = null;
    this.ends = {}; // the elements at which what has to be seen before it is allowed ends: `goal` where it is long, `arguments`
    this.met = { moves: null, names: new Set() }; // those that were in sight since the cursor came
    this.unfolded = null; // the request whose whole goal is open
    this.shownArguments = null; // those that stand beside the list
    this.refusal = null;
    this.saying = new Saying();
    this.open = false; // narrow: the request, and not the list
    this.known = new Map(); // id -> {found, asked, at}: when it was asked, and since when it is fresh
    this.news = 0; // how often something of what is known became of before
    this.given = new Given((ids) => this.transport.given(ids), () => this.frame());
    this.drawn = new Map(); // id -> {element, signature}
    this.state = "begins";
    this.data = null;
    this.trigger = () => {};
    this.timers = new Set();
    this.off = new AbortController();
    this.transport = new Transport({
      snapshot: (whole) => this.snapshot(whole),
      change: (one) => this.change(one),
      answered: (results) => this.changed(() => this.core.answered(results, Date.now())),
      state: (word) => this.reach(word),
    });
    this.build();
    this.listen();
    this.transport.connect();
    this.endQuiet = closeConnectionErrors(document);
    this.ticker = setInterval(() => this.tick(), 1000);
  }

  get now() {
    return Date.now() + this.offset;
  }

  build() {
    this.count = make("strong", { class: "inbox-count" }, "…");
    this.more = make("span", { class: "inbox-soft inbox-shown" });
    this.field = make("input", { type: "search", class: "inbox-search", placeholder: "Search  /", "aria-label": "Search what waits" });
    this.linked = make("span", { class: "inbox-soft inbox-live" });
    this.shifts = make("span", { class: "inbox-soft inbox-shifts" });
    this.everywhere = make("input", { type: "checkbox" });
    this.everywhere.checked = localStorage.getItem(KEYS_EVERYWHERE) !== "off";
    this.help = make(
      "section",
      { class: "inbox-help", id: "inbox-help", hidden: true, "aria-label": "Keys and notices" },
      make("dl", {}, HELP.map(([key, what]) => make("div", {}, make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)))),
      make("label", {}, this.everywhere, " Keys work everywhere on this page; without it, while the list has the focus"),
    );
    this.tells = button("", null, () => this.switchNotices(), { class: "inbox-tells" });
    this.sounds = make("input", { type: "checkbox", class: "inbox-sounds" });
    this.sounds.checked = this.alerts.sound;
    this.help.append(make("p", { class: "inbox-alerts" }, this.tells, make("label", {}, this.sounds, " A sound when a request comes")));
    this.helps = button("Keys and notices", "?", () => this.toggleHelp(), {
      class: "inbox-keys", "aria-expanded": "false", "aria-controls": "inbox-help",
    });
    this.saved = button("Views", null, () => this.toggleViews(), {
      class: "inbox-saved", "aria-expanded": "false", "aria-controls": "inbox-views",
    });
    this.shelf = make("section", { class: "inbox-views", id: "inbox-views", hidden: true, "aria-label": "Saved views" });
    this.space = make("div", { class: "inbox-space", role: "presentation" });
    this.list = make(
      "div",
      { class: "inbox-list", role: "listbox", tabindex: "0", "aria-label": "Requests that wait", "aria-multiselectable": "true" },
      this.space,
    );
    this.heads = make(
      "div",
      { class: "inbox-heads", "aria-hidden": "true" },
      ["", "Risk", "What", "", "Who", "Waits", "Expires"].map((head) => make("span", {}, head)),
    );
    this.nothing = make("div", { class: "inbox-nothing", hidden: true });
    this.detail = make("section", { class: "inbox-detail", tabindex: "-1", "aria-label": "The request" });
    this.notices = make("div", { class: "inbox-notices", role: "log", "aria-label": "What came otherwise" });
    this.said = make("p", { class: "inbox-said", role: "status" });
    this.undo = make("div", { class: "inbox-undo", hidden: true });
    this.undoText = make("span", {});
    this.undoBar = make("span", { class: "inbox-left" });
    this.undo.append(this.undoText, button("Undo", "u", (event) => this.press("undo", event)), this.undoBar);
    this.foot = make("div", { class: "inbox-foot" }, this.said, this.undo);
    this.root.replaceChildren(
      make(
        "div",
        { class: "inbox-bar" },
        make("span", { class: "inbox-counter" }, this.count, this.more),
        this.field,
        this.saved,
        this.shifts,
        make(
          "span",
          { class: "inbox-end" },
          this.linked,
          this.helps,
        ),
      ),
      this.help,
      this.shelf,
      this.notices,
      make("div", { class: "inbox-main" }, make("div", { class: "inbox-side" }, this.heads, this.list, this.nothing), this.detail),
      this.foot,
    );
    this.root.classList.add("inbox");
  }

  listen() {
    const { signal } = this.off;
    document.addEventListener("keydown", (event) => this.key(event), { signal, capture: true });
    // Of the list, of the request, and of the page: what has come into sight is drawn, and counts as seen.
    document.addEventListener("scroll", () => this.frame(), { signal, capture: true, passive: true });
    window.addEventListener("resize", () => this.frame(), { signal });
    // Whoever has signed in again in another tab comes back to this one.
    window.addEventListener("focus", () => this.state === "over" && this.transport.connect(), { signal });
    this.list.addEventListener("click", (event) => this.pressed(event), { signal });
    this.everywhere.addEventListener("change", () => {
      localStorage.setItem(KEYS_EVERYWHERE, this.everywhere.checked ? "on" : "off");
    }, { signal });
    this.sounds.addEventListener("change", () => this.alerts.switchSound(this.sounds.checked), { signal });
    this.field.addEventListener("input", () => this.search(), { signal });
    this.field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" && event.key !== "Enter") return;
      event.preventDefault();
      if (event.key === "Escape" && this.field.value) {
        this.field.value = "";
        this.search();
      }
      this.list.focus();
    }, { signal });
    this.detail.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.back();
    }, { signal });
    this.shelf.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      this.toggleViews();
      this.saved.focus();
    }, { signal });
  }

  // What comes from around

  /** What the page's address asks for. */
  look(data, trigger) {
    this.trigger = trigger;
    const text = JSON.stringify(data);
    if (text === this.data) return;
    const first = this.data === null;
    this.data = text;
    this.asks = data.asks;
    if (first) {
      this.core.wanted = data.action_id || null;
      this.field.value = data.search || "";
    } else if (document.activeElement !== this.field) {
      this.field.value = data.search || "";
    }
    this.asked = data;
    this.changed(() => this.core.look({
      order: data.order, agent: data.agent_id || null, type: data.action_type || null, search: this.field.value, whose: data.whose,
    }));
  }

  search() {
    this.changed(() => this.core.look({ ...this.looked, search: this.field.value }));
    this.reveal();
    clearTimeout(this.searched);
    this.searched = setTimeout(() => this.trigger("search", this.field.value.trim()), SEARCHED_MS);
  }

  get looked() {
    const { order, agent_id: agent, action_type: type, whose } = this.asked;
    return { order, agent: agent || null, type: type || null, whose };
  }

  snapshot(whole) {
    this.offset = whole.now - Date.now();
    this.hold = whole.hold;
    if (this.keyId !== null && this.keyId !== whole.key_id) {
      location.reload(); // somebody else has signed in
      return;
    }
    this.keyId = whole.key_id;
    const first = this.core.v === null;
    this.outdated(() => true); // what was decided meanwhile is not told
    this.changed(() => this.core.snapshot(whole, Date.now()));
    if (first) {
      this.reveal();
      if (document.activeElement === document.body) this.list.focus({ preventScroll: true });
    }
  }

  change(one) {
    const before = this.core.items.size;
    for (const word of one.talk || []) this.heard(word);
    const gone = (one.gone || []).map(({ id }) => this.core.row(id)).filter(Boolean);
    for (const { agent_id: agent, type } of [...(one.settled || []), ...gone]) this.outdated((row) => row?.agent_id === agent && row.type === type);
    let came;
    this.changed(() => {
      came = this.core.change(one, Date.now());
    });
    for (const { id, given, by } of one.assigned || []) if (came === "new" && given) this.assigned(id, by);
    const mine = (one.escalated || []).filter(({ id, own }) => own && this.core.items.has(id));
    if (came === "new" && mine.length > 0) {
      this.tell(`Escalated to you: ${this.core.row(mine[0].id).goal}`, "news");
      this.alerts.came();
    }
    const fresh = one.add?.length || 0;
    if (came === "new" && fresh > 0 && this.core.items.size > before) {
      this.tell(`${several(fresh, "new request")}`, "news");
      this.alerts.came();
    }
    return came;
  }

  /** What is known of these is of before, and is asked for anew; until that comes it stays where it is. */
  outdated(fits) {
    this.news += 1;
    for (const [id, known] of this.known) if (fits(known.found.row, id)) known.at = -Infinity;
    if (this.asking && fits(this.core.row(this.asking) || this.known.get(this.asking)?.found.row, this.asking)) this.asking = null;
  }

  /** Something was said about a request: what stands beside the list is of before. */
  heard({ id, kind, by, own, replaced_by: instead }) {
    this.outdated((_, each) => each === id);
    const row = this.core.row(id);
    if (kind === "answered" && instead) this.core.notice(instead, `${by || "Its agent"} asks for something else instead`, "talk");
    else if (kind === "answered" && row) this.core.notice(id, `${by || "Its agent"} answered`, "talk");
    else if (!own && row && kind === "comment") this.tell(`${by} commented on: ${row.goal}`, "news");
  }

  /** Somebody else has made this one's own. */
  assigned(id, by) {
    const text = `Assigned to you by ${by}`;
    this.core.notice(id, text, "talk");
    this.tell(`${text}: ${this.core.row(id)?.goal || id}`, "news");
    this.alerts.came();
    this.draw();
  }

  reach(word) {
    if (this.state === word) return;
    this.state = word;
    if (word === "over") this.changed(() => this.core.over());
    this.draw();
  }

  /** Change what is known, and keep what somebody looks at where it is. */
  changed(act) {
    const { core, list } = this;
    const before = core.place();
    const notices = core.notices.length;
    const first = core.notices[0];
    act();
    const after = core.place();
    const row = this.rowHeight;
    const seen = before * row >= list.scrollTop - row && before * row <= list.scrollTop + list.clientHeight;
    if (before >= 0 && after >= 0 && after !== before && seen) {
      this.space.style.height = `${core.arranged().length * row}px`;
      list.scrollTop += (after - before) * row;
    }
    if (core.notices.length !== notices || core.notices[0] !== first) this.tellNotices(first);
    this.draw();
  }

  tellNotices(last) {
    for (const notice of this.core.notices) {
      if (notice === last) break;
      const text = became(notice, this.now);
      if (text === null) continue;
      this.tell(text, notice.kind === "done" ? "done" : "refused");
      break;
    }
  }

  // What somebody does

  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = event.target;
    if (target instanceof Element && target.closest(FIELDS)) return;
    if (document.querySelector("[role=dialog]")) return;
    if (event.key === "Escape" && this.root.isConnected && !this.help.hidden && !this.form && !this.shelf.contains(target)) {
      this.taken(event);
      this.toggleHelp();
      return;
    }
    const inside = this.root.contains(target);
    if (!inside && !(this.everywhere.checked && document.contains(this.root))) return;
    if (!this.everywhere.checked && !this.list.contains(target)) return;
    if (event.key === "Escape" && (this.form || this.open)) {
      this.taken(event);
      if (this.form) this.closeForm();
      else this.back();
      return;
    }
    if (event.key === "/" || event.key === "?") {
      this.taken(event);
      if (event.key === "/") this.field.focus();
      else this.toggleHelp();
      return;
    }
    if (event.key === "Enter") {
      if (target === this.list || target === document.body) {
        this.taken(event);
        if (!event.repeat) this.enter();
      }
      return;
    }
    if (event.key === "A") {
      this.taken(event);
      this.press("more", event);
      return;
    }
    if (event.key === "v") {
      const whole = this.detail.querySelector(".inbox-whole-goal");
      this.taken(event);
      if (!whole || event.repeat) return;
      whole.open = !whole.open;
      this.unfold(this.id, whole.open); // the event of its own comes later than a quick key
      this.draw();
      return;
    }
    if (event.key === "J" || event.key === "K") {
      this.taken(event);
      this.scroll(event.key === "J" ? 1 : -1);
      return;
    }
    const inList = target === this.list || target === document.body;
    const name = event.key === " " && inList ? "pick" : KEYS[event.key];
    if (!name || (IN_LIST.has(event.key) && !inList)) return;
    this.taken(event);
    this.press(name, event);
  }

  taken(event) {
    event.preventDefault();
    event.stopPropagation();
  }

  /** Whether the page's banner says that the kill switch is on. */
  get halted() {
    return document.querySelector(".st-key-halted") !== null;
  }

  /** A key or a button, with an account of what it did. */
  press(name, event) {
    const { core } = this;
    const at = event.timeStamp;
    const pressed = core.cursor;
    let outcome;
    if (this.halted && ["allow", "more", "grant"].includes(name)) outcome = { did: "refused", why: "the kill switch is on, so nothing can be allowed; denying is possible", id: pressed };
    else if (this.form && name !== "undo") outcome = { did: "refused", why: "finish what is open, or leave it with Esc", id: null };
    else outcome = core.press(name, at, Boolean(event.repeat));
    if (outcome.press) this.transport.decide([outcome.press]);
    if (outcome.keys) this.takenBack(outcome.keys, outcome.id);
    if (outcome.form) this.openForm(outcome.form);
    if (outcome.take) this.take(outcome.take);
    this.account(name, event, outcome, pressed);
    if (["next", "previous", "first", "last"].includes(name) || outcome.did === "allow") this.reveal();
    this.draw();
    return outcome;
  }

  account(name, event, outcome, pressed) {
    const text = {
      refused: () => `Refused: ${outcome.why}`,
      end: () => "The list ends here",
      picked: () => `${several(this.core.picked.size, "request")} selected`,
      unpicked: () => `${several(this.core.picked.size, "request")} selected`,
      undo: () => `Taking it back${this.state === "lost" ? "; the dashboard does not answer just now" : ""}`,
      allow: () => `Allowed: ${this.core.row(outcome.id)?.goal || outcome.id}${this.state === "lost" ? "; not sent yet, the dashboard does not answer just now" : ""}`,
    }[outcome.did];
    this.tell(text ? text() : "", outcome.did, outcome.did === "refused" || outcome.did === "end");
    const { did, id, why = null, key = null, keys = [] } = outcome;
    const detail = { name, at: event.timeStamp, did, id, why, key: outcome.press?.key || key, keys, pressed };
    this.root.dispatchEvent(new CustomEvent("assent-press", { detail }));
  }

  /** These are one's own from now on, or nobody's. */
  async take({ ids, mine }) {
    const { core } = this;
    const { results, why } = await this.transport.say("/inbox/assignments", { ids, to: mine ? this.keyId : null });
    const refused = results ? Object.entries(results).find(([, { ok }]) => !ok) : [ids[0], { why }];
    if (refused) {
      const [id, answer] = refused;
      this.changed(() => core.notice(id, `Not taken: ${answer.why}`, "refused"));
      this.tell(`Not taken: ${answer.why}`, "refused");
      return;
    }
    const what = ids.length === 1 ? core.row(ids[0])?.goal || ids[0] : several(ids.length, "request");
    this.tell(mine ? `Yours: ${what}` : `Handed back: ${what}`, "said");
    this.draw();
  }

  async takenBack(keys, id) {
    const what = keys.length === 1 ? this.core.row(id)?.goal || id : several(keys.length, "decision");
    const results = await this.transport.undo(keys);
    const late = keys.map((key) => results[key]).filter((answer) => answer && !answer.ok);
    const which = keys.length === 1 ? "It" : `${late.length} of ${keys.length}`;
    if (late.length > 0) this.tell(`${which} cannot be taken back: ${late[0].why}`, "refused");
    else if (this.said.dataset.kind === "undo") this.tell(`Taken back: ${what}`, "undo"); // else more was done since
    this.draw();
  }

  pressed(event) {
    const option = event.target.closest("[role=option]");
    if (!option) return;
    const { id } = option.dataset;
    if (event.target.closest(".inbox-pick")) {
      if (this.core.standing(id) === "waits") this.core.pick(id);
    } else {
      this.core.move(id);
      if (this.narrow) this.enter();
    }
    if (this.form && !this.form.ids.includes(id)) this.closeForm();
    this.draw();
  }

  /** The request beside the list, by most of what is in sight. */
  scroll(by) {
    const moved = this.narrow ? this.scroller : this.detail;
    moved?.scrollBy({ top: by * 0.8 * moved.clientHeight });
  }

  enter() {
    if (this.core.cursor === null) return;
    this.open = true;
    this.draw();
    this.detail.focus({ preventScroll: true });
    if (this.narrow) this.root.scrollIntoView({ block: "start" });
  }

  back() {
    this.open = false;
    this.draw();
    this.list.focus({ preventScroll: true });
    this.reveal();
  }

  decideOn(id, verdict, event) {
    if (event.detail > 1) {
      this.account(verdict, event, { did: "refused", why: "a double click decides once", id }, this.core.cursor);
      return null;
    }
    // A press on what is shown beside the list is about that, wherever the cursor has gone since.
    this.core.move(id);
    if (verdict === "more") return this.press("more", event);
    if (this.core.picked.size > 0 && !this.core.picked.has(id)) this.core.picked.clear();
    return this.press(verdict, event);
  }

  composeOn(id, name, event) {
    this.core.move(id);
    if (["later", "take", "assign"].includes(name) && this.core.picked.size > 0 && !this.core.picked.has(id)) this.core.picked.clear();
    return this.press(name, event);
  }

  openForm(form) {
    const Kind = COMPOSERS[form.kind];
    this.form = Kind ? this.composing(Kind, form) : this.deciding(form);
    this.shown = null;
    if (this.narrow) this.open = true;
    this.draw();
    const { element } = this.form;
    // Beside the list the page itself stays where it is.
    if (this.narrow) element.scrollIntoView({ block: "start" });
    else this.detail.scrollTop += element.getBoundingClientRect().top - this.detail.getBoundingClientRect().top;
    this.form.focus();
  }

  composing(Kind, form) {
    const composer = new Kind(this.core, form, {
      now: () => this.now,
      say: (path, body) => this.transport.say(path, body),
      close: () => this.closeForm(),
      done: (ids, text, results) => {
        if (this.form === composer) this.closeForm(); // else it was left before the answer came
        this.saidSo(ids, text, form.kind === "later" ? results : {});
      },
      failed: (ids, why) => {
        if (this.form === composer) return; // it says so itself
        this.changed(() => this.core.notice(ids[0], `Not taken: ${why}`, "refused"));
      },
    });
    return composer;
  }

  /** What somebody wrote was taken: what stands beside the list is of before. `returns` has when what was put off is
   * back, as the service says. */
  saidSo(ids, text, returns) {
    const { core } = this;
    this.outdated((_, id) => ids.includes(id));
    const off = Object.entries(returns);
    if (off.length > 0) {
      this.changed(() => {
        for (const [id, { until }] of off) if (core.items.has(id)) core.putOff(id, until, Date.now());
        if (ids.includes(core.cursor) && core.sleeps(core.cursor)) core.advance();
      });
    }
    this.tell(text, "said");
    this.reveal();
    this.draw();
  }

  deciding(form) {
    return new Form(this.core, form, {
      send: (ids, details) => {
        const presses = this.core.decide(ids, details);
        this.transport.decide(presses);
        this.closeForm();
        const verb = details.verdict === "allow" ? "Allowed" : "Denied";
        this.tell(presses.length === 1 ? `${verb}: ${this.core.row(presses[0].id)?.goal}` : `${verb} ${presses.length}`, "allow");
        this.root.dispatchEvent(new CustomEvent("assent-sent", { detail: { ids: presses.map((press) => press.id) } }));
        this.reveal();
        this.draw();
      },
      close: () => this.closeForm(),
      given: (id) => this.given.of(id),
      scroll: (by) => this.scroll(by),
    });
  }

  closeForm() {
    if (!this.form) return;
    this.form = null;
    this.shown = null;
    this.draw();
    if (this.narrow && this.open) this.detail.focus({ preventScroll: true });
    else this.list.focus({ preventScroll: true });
  }

  async switchNotices() {
    await this.alerts.switchNotices();
    this.drawBar();
  }

  /** What had the focus before has it again, when it was in the help. */
  toggleHelp() {
    const { help } = this;
    const lost = help.contains(document.activeElement);
    if (help.hidden) this.beforeHelp = document.activeElement;
    help.hidden = !help.hidden;
    this.helps.setAttribute("aria-expanded", String(!help.hidden));
    if (!lost) return;
    const back = this.beforeHelp !== document.body && this.beforeHelp?.isConnected ? this.beforeHelp : this.list;
    back.focus({ preventScroll: true });
  }

  // Views with a name

  /** What is shown now, as parameters of the address. */
  get query() {
    const { search: _, ...query } = this.asked?.view || {};
    const search = this.field.value.trim();
    return search ? { ...query, search } : query;
  }

  toggleViews() {
    this.shelf.hidden = !this.shelf.hidden;
    this.saved.setAttribute("aria-expanded", String(!this.shelf.hidden));
    if (this.shelf.hidden) return;
    this.drawViews();
    this.shelf.querySelector("button, input").focus();
  }

  drawViews(problem = "") {
    const { query } = this;
    const shown = this.views.nameOf(query);
    const name = make("input", { type: "text", class: "inbox-view-name", maxlength: LONGEST_NAME, autocomplete: "off", value: shown });
    const rows = this.views.all.map((view) =>
      make(
        "li",
        {},
        button(view.name, null, () => this.openView(view), { class: "inbox-view", "aria-current": view.name === shown ? "true" : null }),
        make("span", { class: "inbox-soft" }, said(view.query)),
        button("Forget", null, () => this.keptViews(this.views.forget(view.name)), {
          class: "inbox-view-forget", "aria-label": `Forget ${view.name}`,
        }),
      ),
    );
    this.shelf.replaceChildren(
      rows.length > 0 ? make("ul", {}, rows) : make("p", { class: "inbox-soft" }, "No view has a name yet. Choose, order or search, and name what you see."),
      make(
        "form",
        { onsubmit: (event) => {
          event.preventDefault();
          const why = this.views.save(name.value, this.query);
          if (why === null) this.tell(`This view is kept as “${name.value.trim()}” in this browser`, "said");
          this.keptViews(why);
        } },
        make("label", {}, make("span", {}, `Name of what is shown now (${said(query)})`), name),
        make("button", { type: "submit", class: "inbox-view-save" }, "Save"),
      ),
      make("p", { class: "inbox-problem", role: "alert" }, problem),
    );
  }

  keptViews(problem) {
    this.drawViews(problem || "");
    this.drawBar();
    this.shelf.querySelector("input").focus();
  }

  openView({ query }) {
    clearTimeout(this.searched);
    this.field.value = query.search || "";
    this.toggleViews();
    this.list.focus({ preventScroll: true });
    this.trigger("view", new URLSearchParams(query).toString());
  }

  /** What a press did, or what came. `repeats` where the same press again is counted. */
  tell(text, kind, repeats = false) {
    const at = performance.now();
    if (kind === "news" && this.refusal && at - this.refusal.at < REFUSED_MS && this.said.dataset.kind === "refused") {
      this.said.textContent = this.saying.say(`${this.refusal.text} · ${text}`);
      return;
    }
    if (text || kind === "moved") this.said.textContent = this.saying.say(text, repeats);
    this.said.dataset.kind = kind;
    this.refusal = kind === "refused" ? { text: this.said.textContent, at } : null;
  }

  // Drawing

  get narrow() {
    return this.root.clientWidth < 640;
  }

  /** Where what can be seen ends: on a narrow window the foot covers what stands behind it. */
  get edge() {
    return Math.min(window.innerHeight, this.narrow ? this.foot.getBoundingClientRect().top : Infinity);
  }

  get rowHeight() {
    return this.narrow ? NARROW_ROW : WIDE_ROW;
  }

  /** Bring the row of the cursor into sight. */
  reveal() {
    const place = this.core.place();
    if (place < 0) return;
    const { list, rowHeight: row } = this;
    const top = place * row;
    this.space.style.height = `${this.core.arranged().length * row}px`;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + row > list.scrollTop + list.clientHeight) list.scrollTop = top + row - list.clientHeight;
  }

  frame() {
    if (this.framed) return;
    this.framed = requestAnimationFrame(() => {
      this.framed = 0;
      this.draw();
    });
  }

  draw() {
    if (!this.root.isConnected) return;
    this.fit();
    this.drawBar();
    this.drawList();
    this.drawDetail();
    this.drawNotices();
    this.drawUndo();
    this.stamp();
  }

  /** Whether a form about several requests stands beside the list, and nothing else. */
  get formAlone() {
    return this.form !== null && (this.form.kind === "batch" || this.form.ids.length > 1);
  }

  /** When what is drawn now has been painted, this is what somebody can have seen: not what a form covers, which keeps
   * its place beside the list while the cursor goes on. */
  stamp() {
    const { form } = this;
    if (form?.seen === null) {
      this.painted(() => {
        if (this.form !== form || form.seen !== null) return;
        // Each line by itself: one that was scrolled past at once was not seen.
        if (!form.meet([...form.list.children].filter((line) => inSight(line, this.detail, Math.min(this.edge, form.edge))))) return;
        form.seen = performance.now();
        form.element.setAttribute("data-seen", "yes");
      });
    }
    const { cursor: id, moves, read, painted } = this.core;
    const given = this.shownArguments;
    if (id === null || this.id !== id || this.formAlone || read !== null) return;
    if (this.met.moves !== moves) this.met = { moves, names: new Set() };
    const { names: met } = this.met;
    const unmet = given === null ? [] : Object.keys(this.ends).filter((name) => !met.has(name));
    const fresh = unmet.filter((name) => inSight(this.ends[name], this.detail, this.edge));
    const lacking = unmet.find((name) => !fresh.includes(name));
    const why =
      lacking === undefined ? null
      : this.narrow && !this.open ? "its arguments are not on the screen; Enter opens the request"
      : WAYS[folded(this.ends[lacking]) ? "folded" : lacking];
    if (painted !== null && (given === null || (why !== null && fresh.length === 0))) {
      if (why !== null) this.core.unread = why;
      return;
    }
    this.painted(() => {
      if (this.core.moves !== moves || this.shownArguments !== given) return;
      for (const name of fresh) met.add(name);
      this.core.paint(id, performance.now(), given === null ? { why: this.core.unread } : { why, hidden: given.hidden });
      this.detail.dataset.whole = this.core.read === null ? "" : "yes";
    });
  }

  /** `then` follows when what is drawn now has been painted. */
  painted(then) {
    requestAnimationFrame(() => {
      const after = new MessageChannel();
      after.port1.onmessage = () => {
        after.port1.close();
        then();
      };
      after.port2.postMessage(null);
    });
  }

  fit() {
    const top = this.root.getBoundingClientRect().top + (this.scroller?.scrollTop || 0);
    this.scroller ||= this.root.closest("[data-testid=stMain]");
    const height = Math.max(LEAST_HEIGHT, Math.floor(window.innerHeight - top - 12));
    const narrow = this.narrow;
    this.root.classList.toggle("inbox-narrow", narrow);
    this.root.classList.toggle("inbox-open", this.open && narrow);
    const wanted = narrow ? "" : `${height}px`;
    if (this.root.style.height !== wanted && (this.scroller?.scrollTop || 0) === 0) this.root.style.height = wanted;
  }

  drawBar() {
    const { core } = this;
    core.arranged();
    const count = Math.max(core.total, core.items.size) - core.asleep;
    if (core.v !== null) this.alerts.count(count);
    const { notices } = this.alerts;
    if (this.tells.dataset.state !== notices) {
      this.tells.dataset.state = notices;
      this.tells.disabled = notices === "absent" || notices === "denied";
      this.tells.textContent = {
        on: "No browser notices any more",
        off: "Tell me by a browser notice",
        denied: "This browser allows no notices here",
        absent: "This browser has no notices",
      }[notices];
    }
    const { hidden } = core;
    const shown = core.v === null ? "…" : hidden > 0 ? `${core.fitting} of ${count} waiting` : `${count} waiting`;
    if (this.count.textContent !== shown) this.count.textContent = shown;
    const picked = core.picked.size > 0 ? `${core.picked.size} selected` : "";
    const asleep = core.asleep > 0 ? `${core.asleep} put off` : "";
    const text = [picked, asleep].filter(Boolean).join(" · ");
    const told = `${text}|${core.all}|${hidden > 0}`;
    if (this.more.dataset.text !== told) {
      this.more.dataset.text = told;
      const all = core.all ? "Hide what is put off" : "Show what is put off";
      this.more.replaceChildren(
        text ? make("span", {}, text) : "",
        asleep ? button(all, null, () => this.showAsleep(), { class: "inbox-asleep-too" }) : "",
        hidden > 0 ? button("Show all", null, () => this.widen(), { class: "inbox-everybody" }) : "",
      );
    }
    const named = this.asked ? this.views.nameOf(this.query) : null;
    const views = named === null ? "Views" : `View: ${named}`;
    if (this.saved.textContent !== views) this.saved.textContent = views;
    const shifts = duty(core.shifts, this.now);
    if (this.shifts.textContent !== shifts) {
      this.shifts.textContent = this.shifts.title = shifts;
      this.shifts.classList.toggle("inbox-problem", shifts.startsWith("Nobody"));
    }
    const state = {
      begins: "Asking the service",
      away: "The service does not answer just now; this goes on by itself",
      lost: "The dashboard does not answer just now; this list may be old",
      over: "Your session has ended.",
    }[this.state];
    const trouble = core.problem !== null ? "The service does not answer just now; decisions are kept and sent when it is back" : null;
    const live = state || trouble || (core.live ? "live" : "asks every few seconds");
    if (this.linked.dataset.text !== live) {
      this.linked.dataset.text = live;
      this.linked.classList.toggle("inbox-problem", Boolean(state || trouble) && this.state !== "begins");
      this.linked.replaceChildren(live, this.state === "over" ? make("a", { href: `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`, target: "_self" }, " Sign in again") : "");
    }
    if (core.v !== null || this.state === "over") this.root.dataset.ready = "yes";
    const title = count > 0 ? `(${count}) Approvals · Assent` : "Approvals · Assent";
    if (document.title !== title && core.v !== null) document.title = title;
  }

  showAsleep() {
    this.changed(() => {
      this.core.all = !this.core.all;
      this.core.rows = null;
      this.core.begin();
    });
    this.list.focus({ preventScroll: true });
  }

  widen() {
    this.field.value = "";
    this.changed(() => this.core.look({ order: this.asked.order, whose: "all" }));
    this.trigger("widen", true);
  }

  drawList() {
    const { core, list, rowHeight: height } = this;
    const rows = core.arranged();
    const empty = rows.length === 0;
    list.hidden = this.heads.hidden = empty;
    this.nothing.hidden = !empty || core.v === null;
    if (empty) this.drawNothing();
    this.space.style.height = `${rows.length * height}px`;
    const first = Math.max(0, Math.floor(list.scrollTop / height) - BEYOND);
    const last = Math.min(rows.length, Math.ceil((list.scrollTop + list.clientHeight) / height) + BEYOND);
    const cursor = core.place();
    const places = [];
    for (let at = first; at < last; at += 1) places.push(at);
    if (cursor >= 0 && (cursor < first || cursor >= last)) places.push(cursor);
    const alive = new Set();
    this.given.want([core.cursor, ...(this.form?.ids || []), ...places.map((at) => rows[at].id)].filter((id) => core.items.has(id)));
    for (const at of places) {
      const row = rows[at];
      alive.add(row.id);
      this.drawRow(row, at, rows.length, height);
    }
    for (const [id, { element }] of this.drawn) {
      if (alive.has(id)) continue;
      element.remove();
      this.drawn.delete(id);
    }
    const active = cursor >= 0 ? `inbox-option-${core.cursor}` : null;
    if (active === null) list.removeAttribute("aria-activedescendant");
    else if (list.getAttribute("aria-activedescendant") !== active) list.setAttribute("aria-activedescendant", active);
  }

  drawRow(row, at, of, height) {
    const { core, now } = this;
    const stands = core.standing(row.id);
    const verdict = core.verdict(row.id);
    const ending = core.tombs.get(row.id)?.ending || null;
    const picked = core.picked.has(row.id);
    const current = row.id === core.cursor;
    const alike = core.count(row.id);
    const age = ago(row.asked, now).replace(" ago", "").replace("just now", "now");
    const until = left(row.expires, now).replace("in ", "");
    const soon = row.expires - now < 600000;
    const off = stands === "waits" && core.sleeps(row.id) ? `put off until ${clock(core.later.get(row.id), now)}` : "";
    const whose = core.assigned.get(row.id) || null;
    const up = core.escalated.get(row.id) || null;
    const status = ending ? ended(ending, now) : stands === "waits" ? off : verdict === "allow" ? "allowed, held" : "denied, held";
    const signature = [stands, verdict, picked, current, alike, age, until, status, height, whose?.to, whose?.own, up?.to].join("|");
    let known = this.drawn.get(row.id);
    if (!known) {
      known = { element: make("div", { role: "option", id: `inbox-option-${row.id}`, "data-id": row.id }), signature: null };
      this.drawn.set(row.id, known);
      this.space.append(known.element);
    }
    const { element } = known;
    const top = `${at * height}px`;
    if (element.style.top !== top) element.style.top = top;
    element.setAttribute("aria-posinset", at + 1);
    element.setAttribute("aria-setsize", of);
    if (known.signature === signature) return;
    known.signature = signature;
    element.className = `inbox-row${current ? " inbox-current" : ""}${picked ? " inbox-picked" : ""} inbox-${stands}`;
    element.setAttribute("aria-selected", picked);
    const heard = [
      row.goal, `of ${row.agent}`, row.type, `risk ${Math.round(row.risk)}`, `asked ${ago(row.asked, now)}`,
      `expires ${left(row.expires, now)}`, row.reversible ? null : "cannot be undone", row.simulated ? "simulated" : null,
      alike > 1 ? `${alike} identical` : null, up ? `escalated to ${up.to}` : null, whose ? `assigned to ${whose.own ? "you" : whose.to}` : null, status || null,
    ].filter(Boolean).join(", ");
    const marks = make(
      "span",
      { class: "inbox-marks" },
      alike > 1 ? make("span", { class: "inbox-badge", title: "Identical requests" }, `×${alike}`) : null,
      row.reversible ? null : make("span", { class: "inbox-badge", title: "Cannot be undone" }, "final"),
      row.simulated ? make("span", { class: "inbox-badge", title: "Simulated" }, "sim") : null,
      up ? make("span", { class: `inbox-badge inbox-escalated${up.own ? " inbox-high" : ""}`, title: `Escalated to ${up.to}` }, `↑ ${up.to}`) : null,
      whose ? make("span", { class: `inbox-badge inbox-whose${whose.own ? " inbox-own" : ""}`, title: `Assigned to ${whose.to}` }, whose.own ? "mine" : whose.to) : null,
    );
    const cells = [
      make("span", { class: "inbox-pick" }, picked ? "☑" : "☐"),
      risk(row),
      make("span", { class: "inbox-goal", title: row.goal }, row.goal),
      status ? make("span", { class: "inbox-status" }, status) : marks,
      make("span", { class: "inbox-agent", title: row.agent }, ...row.names.map((name) => make("span", {}, name))),
      make("span", { class: "inbox-age" }, age),
      make("span", { class: `inbox-until${soon ? " inbox-soon" : ""}` }, until),
    ];
    // Read aloud, a row is one sentence, and not its cells.
    for (const cell of cells) cell.setAttribute("aria-hidden", "true");
    element.replaceChildren(make("span", { class: "inbox-heard" }, heard), ...cells);
  }

  drawNothing() {
    const { core } = this;
    const kind = core.items.size === 0 ? "none" : core.hidden === 0 && core.asleep > 0 ? "asleep" : "narrowed";
    if (this.nothing.dataset.kind === kind) return;
    this.nothing.dataset.kind = kind;
    this.nothing.replaceChildren(
      ...(kind === "narrowed"
        ? [make("p", {}, make("strong", {}, "Nothing that waits fits your choice."))]
        : kind === "asleep"
        ? [make("p", {}, make("strong", {}, "You have put off all that waits."), " It is back by itself.")]
        : [
            make("p", {}, make("strong", {}, "Nothing waits.")),
            make(
              "p",
              {},
              "When a policy stops an agent, or an agent asks by itself, its request appears here by itself. Next: this makes one ask, and wait for you:",
            ),
            make("pre", { class: "inbox-asks", tabindex: "0" }, this.asks || ""),
          ]),
    );
  }

  drawDetail() {
    const { core } = this;
    const id = core.cursor;
    if (this.form) this.form.draw();
    const row = id === null ? null : core.row(id);
    const found = id === null ? null : this.known.get(id)?.found || null;
    const ending = core.tombs.get(id)?.ending || found?.standing || null;
    const stands = id === null ? null : core.standing(id);
    const alike = id === null ? 0 : core.count(id);
    const soon = Boolean(row) && row.expires - this.now < SOON_MS; // every other text about time is told anew by itself
    const held = core.held.get(id);
    const given = found?.arguments || this.given.of(id);
    const shown = [id, stands, Boolean(given), this.waiting(found), core.verdict(id), held?.problem, ending?.state, ending?.by, alike, core.picked.size, Boolean(found), this.form !== null, core.later.get(id), core.assigned.get(id)?.to, core.assigned.get(id)?.at, core.escalated.get(id)?.at, soon].join("|");
    // Drawing anew would take the words and the focus of who types; the form follows the list by itself.
    const typing = this.form !== null && this.detail.contains(this.form.element);
    if (this.shown !== shown && !typing) {
      const scroll = this.id === id ? this.detail.scrollTop : 0;
      this.shown = shown;
      this.detail.replaceChildren(...this.content(id, row || found?.row || null, stands, ending, alike, found, given));
      this.detail.scrollTop = scroll;
      if (this.id !== id) this.detail.dataset.whole = "";
      this.id = id;
      this.shownArguments = given || null;
      this.detail.dataset.id = id || "";
    }
    this.ask(id);
  }

  /** Which requests that took the place of others wait here. */
  waiting(found) {
    const instead = found?.talk.questions.map((each) => each.replaced_by) || [];
    return instead.filter((each) => this.core.items.has(each)).join();
  }

  content(id, row, stands, ending, alike, found, given) {
    const { core, now } = this;
    if (this.formAlone) return [this.form.element];
    if (id === null) return [make("p", { class: "inbox-soft" }, core.v === null ? "" : "No request is chosen.")];
    const back = button("Back to the list", null, () => this.back(), { class: "inbox-back" });
    if (!row) {
      return [
        back,
        make("p", {}, make("code", {}, id), core.v === null ? "" : " does not wait here any more."),
        this.failed?.id === id ? make("p", { class: "inbox-problem" }, this.failed.why) : null,
        make("p", {}, ledger(id, "Details")),
      ].filter(Boolean);
    }
    const held = core.held.get(id);
    const verb = core.verdict(id) === "deny" ? "denied" : "allowed";
    const asleep = stands !== "waits" || this.form !== null;
    const status =
      ending !== null ? standing(ending, now)
      : stands === "held" ? make("p", { class: "inbox-standing" }, `You ${verb} it; it leaves in a moment. `, make("kbd", {}, "u"), " takes it back.")
      : core.sleeps(id) ? make("p", { class: "inbox-standing" }, `You have put it off until ${clock(core.later.get(id), now)}; it is back then. `, make("kbd", {}, "s"), " changes that.")
      : stands === "sending" ? make("p", { class: "inbox-standing" }, `You ${verb} it. `, held?.problem || "It is on its way.")
      : null;
    const buttons = make(
      "p",
      { class: "inbox-buttons" },
      button("Allow", "a", (event) => this.decideOn(id, "allow", event), { class: "inbox-allow", disabled: asleep }),
      button("Deny…", "d", (event) => this.decideOn(id, "deny", event), { class: "inbox-deny", disabled: asleep }),
      button("Allow with…", "A", (event) => this.decideOn(id, "more", event), { class: "inbox-more", disabled: asleep }),
      alike > 1 ? button(`Select all ${alike} identical`, null, () => this.pickAlike(id), { class: "inbox-alike" }) : null,
      make("span", { class: "inbox-links" }, ledger(id, "Details and replay")),
    );
    const besides = make(
      "p",
      { class: "inbox-besides" },
      button("Ask back…", "e", (event) => this.composeOn(id, "ask", event), { class: "inbox-ask", disabled: asleep }),
      button("Later…", "s", (event) => this.composeOn(id, "later", event), { class: "inbox-later", disabled: asleep }),
      button("Allow its like…", "f", (event) => this.composeOn(id, "grant", event), { class: "inbox-grant", disabled: asleep }),
    );
    const whose = core.assigned.get(id) || null;
    const care = make(
      "p",
      { class: "inbox-care" },
      make(
        "span",
        {},
        whose ? `Assigned to ${whose.own ? "you" : whose.to}` : "Assigned to nobody",
        whose ? make("span", { class: "inbox-soft" }, ` by ${whose.by} `, timed((at) => ago(whose.at, at), now)) : null,
      ),
      make(
        "span",
        {},
        button(whose?.own ? "Hand it back" : "Take it", "i", (event) => this.composeOn(id, "take", event), { class: "inbox-take", disabled: asleep }),
        button("Give it to…", "I", (event) => this.composeOn(id, "assign", event), { class: "inbox-assign", disabled: asleep }),
      ),
    );
    const why = ending === null ? stopped(row) : [];
    const sentence = make("p", { class: "inbox-sentence" }, row.sentence);
    const shown = given ? exact(given) : null;
    const wants = goal(given ? given.goal : row.goal, this.unfolded === id, (open) => this.unfold(id, open));
    this.ends = { arguments: shown ? shown.lastElementChild : why.at(-1) || sentence };
    if (wants.length > 1) this.ends = { goal: wants[1].lastElementChild, ...this.ends };
    return [
      back,
      ...wants,
      badges(row, alike, now, ending === null),
      ending === null && core.escalated.has(id) ? escalated(core.escalated.get(id), now) : null,
      sentence,
      ...why,
      status,
      ...(this.form ? [this.form.element] : [buttons, besides]),
      ending === null && stands === "waits" ? care : null,
      make("p", { class: "inbox-soft" }, waits(row, now), make("br"), make("code", {}, id)),
      shown,
      this.background(id, found),
    ].filter((each) => each !== null);
  }

  /** What stands behind a request, in the element that has it: what is asked anew takes its place, and nothing else is drawn. */
  background(id, found) {
    this.behind = make("div", { class: "inbox-behind" });
    this.fill(id, found);
    return this.behind;
  }

  fill(id, found) {
    const remark = button("Comment…", "m", (event) => this.composeOn(id, "comment", event), { class: "inbox-remark", disabled: this.form !== null });
    const sections = found
      ? [origins(found), difference(found.nearest, this.now), ...talk(found.talk, this.now, remark, (each, label) => this.link(each, label)), ...behind(found, this.now)]
      : [make("p", { class: "inbox-soft inbox-asking" }, this.failed?.id === id ? `What stands behind it cannot be shown just now: ${this.failed.why}` : "Asking what stands behind it…")];
    const open = this.behind.querySelector("details")?.open;
    this.behind.replaceChildren(...sections.filter((each) => each !== null));
    if (open && found?.whole) this.behind.querySelector("details").open = true;
  }

  /** The whole goal of this request was opened, or folded again. */
  unfold(id, open) {
    if (open) this.unfolded = id;
    else if (this.unfolded === id) this.unfolded = null;
    this.frame();
  }

  /** To a request: here while it waits, else to the ledger. */
  link(id, label) {
    if (!this.core.items.has(id)) return ledger(id, label);
    const look = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.goTo(id);
    };
    return make("a", { href: `/approvals?action_id=${encodeURIComponent(id)}`, target: "_self", onclick: look }, label);
  }

  goTo(id) {
    this.core.move(id);
    this.reveal();
    this.draw();
    this.list.focus({ preventScroll: true });
  }

  pickAlike(id) {
    for (const each of this.core.alike(id)) if (this.core.standing(each) === "waits") this.core.picked.add(each);
    this.tell(`${several(this.core.picked.size, "request")} selected`, "picked");
    this.list.focus({ preventScroll: true });
    this.draw();
  }

  /** What stands behind the request that the cursor rests on. */
  ask(id) {
    if (id === this.asking || id === null || this.core.v === null) return;
    if (this.failed?.id === id && performance.now() - this.failed.at < AGAIN_MS) return;
    this.asking = id;
    clearTimeout(this.rest);
    const known = this.known.get(id);
    if (known && performance.now() - known.at < FRESH_MS) return;
    const soonest = known ? known.asked + ANEW_MS - performance.now() : 0;
    this.rest = setTimeout(async () => {
      if (this.core.cursor !== id) return;
      const { news } = this;
      const asked = performance.now();
      let last = this.known.get(id);
      try {
        const told = await this.transport.behind(id);
        last = this.known.get(id);
        if (last?.asked > asked) return; // a later question was answered before
        const found = JSON.stringify(last?.found) === JSON.stringify(told) ? last.found : told;
        this.known.delete(id);
        this.known.set(id, { found, asked, at: news === this.news ? performance.now() : -Infinity });
        for (const oldest of this.known.keys()) {
          if (this.known.size <= KNOWN) break;
          this.known.delete(oldest);
        }
        if (this.failed?.id === id) this.failed = null;
      } catch (error) {
        this.failed = { id, why: error.message, at: performance.now() };
        if (this.asking === id) this.asking = null;
      }
      const found = this.known.get(id)?.found;
      if (!last) this.shown = null;
      else if (this.id === id && last.found !== found) this.fill(id, found);
      if (this.core.cursor === id) this.drawDetail();
    }, Math.max(REST_MS, soonest));
  }

  drawNotices() {
    const all = this.core.notices.filter((notice) => notice.kind !== "done");
    const shown = all.slice(0, 4);
    // A request may come behind what is said of it.
    const goal = (notice) => notice.row?.goal || this.core.row(notice.id)?.goal || notice.id;
    const key = [all.length, ...shown.map((notice) => `${notice.id} ${notice.kind} ${notice.text} ${goal(notice)}`)].join("|");
    if (this.notices.dataset.key === key) return;
    this.notices.dataset.key = key;
    const came = { conflict: "Your decision came too late. ", unsure: "Details tell whether your decision counted. ", lost: "Selected, and gone. ", refused: "", talk: "" };
    this.notices.replaceChildren(
      ...shown.map((notice) =>
        make(
          "p",
          { class: `inbox-notice inbox-notice-${notice.kind}` },
          came[notice.kind],
          notice.ending ? timed((at) => `${ended(notice.ending, at)}: `, this.now) : `${notice.text.replace(/\.$/, "")}: `,
          make("strong", {}, goal(notice)),
          notice.ending?.reason ? ` “${notice.ending.reason}” ` : " ",
          notice.kind === "talk" ? button("Look", null, () => this.lookAt(notice)) : ledger(notice.id, "Details"),
          button("Dismiss", null, () => this.dismiss([notice])),
        ),
      ),
      ...(all.length > shown.length
        ? [make("p", { class: "inbox-notice" }, `${all.length - shown.length} more like these `, button("Dismiss all", null, () => this.dismiss(all)))]
        : []),
    );
  }

  lookAt(notice) {
    this.core.move(notice.id);
    this.reveal();
    this.dismiss([notice]);
  }

  dismiss(notices) {
    this.transport.dismiss(this.core.dismiss(notices));
    this.draw();
    this.list.focus({ preventScroll: true });
  }

  drawUndo() {
    const { core } = this;
    const held = [...core.held.entries()].filter(([, each]) => !each.sending && core.undoable.includes(each.key));
    const stuck = [...core.held.values()].filter((each) => each.sending && each.problem);
    this.undo.hidden = held.length === 0 && stuck.length === 0;
    if (this.undo.hidden) {
      this.undo.dataset.key = "";
      return;
    }
    this.undo.lastElementChild.hidden = held.length === 0;
    this.undo.querySelector("button").hidden = held.length === 0;
    if (held.length === 0) {
      this.undoText.textContent = `${several(stuck.length, "decision")} not sent yet: ${stuck[0].problem}`;
      return;
    }
    const [id, newest] = held.at(-1);
    const seconds = Math.max(0, Math.ceil((newest.until - Date.now()) / 1000));
    const verb = newest.verdict === "allow" ? "Allowed" : "Denied";
    const count = core.undoneWith(newest.key).length;
    const others = count > 1 ? ` and ${count - 1} more` : "";
    this.undoText.textContent = `${verb}: ${core.row(id)?.goal || id}${others} · ${leaves(seconds, this.state === "lost")}`;
    if (this.undo.dataset.key !== newest.key) {
      this.undo.dataset.key = newest.key;
      const bar = make("span", { class: "inbox-left" });
      bar.style.animationDuration = `${Math.max(0, newest.until - Date.now())}ms`;
      this.undoBar.replaceWith(bar);
      this.undoBar = bar;
    }
  }

  tick() {
    const at = Date.now();
    if (this.core.due(at)) {
      let back = [];
      this.changed(() => {
        back = this.core.wake(at);
      });
      if (back.length > 0) this.tell(`${several(back.length, "request")} that you had put off ${back.length === 1 ? "is" : "are"} back`, "news");
    }
    if (document.hidden) return;
    this.draw();
    for (const part of [this.detail, this.notices]) retell(part, this.now);
  }

  destroy() {
    clearInterval(this.ticker);
    clearTimeout(this.rest);
    clearTimeout(this.searched);
    this.off.abort();
    this.endQuiet();
    this.transport.close();
    this.alerts.end();
  }
}
