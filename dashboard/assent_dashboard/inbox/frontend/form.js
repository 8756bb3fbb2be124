// What is asked before a decision leaves: why it is denied, the word that a high risk wants, conditions, how many are
// meant. It is about the requests that it was opened for, and follows them: who ends meanwhile is left out and told.
// Of several, each is named with what it touches, its risk, whether it cannot be undone, and its arguments, alike ones once,
// and which arguments all have in common once below. Alike are those of which all of this was sent alike; others that would be
// shown as the same line say from where they differ. It decides only by a press that came after it had been in sight as it is, to the end of that list.

import { HIGH, HIGH_RISK, isWord, NOT_ALL, WORD } from "./core.js";
import { atStake, boxed, button, make } from "./detail.js";
import { ended, several } from "./words.js";

const READY = ["Not now", "Wrong target", "Too risky", "Say more, then ask again"];
const LONGEST_VALUE = 200;
const LONGEST_DIFFERENCE = 80;

export class Form {
  /** `core` is the inbox; `send(ids, details)` decides, `close()` leaves, `given(id)` has a request's arguments, or null, and
   * `scroll(by)` moves what is in sight. */
  constructor(core, { kind, verdict, ids }, { send, close, given, scroll }) {
    this.core = core;
    this.given = given;
    this.seen = null; // since when every line of it has been in sight
    this.met = new Set(); // its lines that have been
    this.kind = kind;
    this.verdict = verdict;
    this.close = close;
    this.send = send;
    this.scroll = scroll;
    const allows = verdict === "allow";
    const high = allows ? ids.filter((id) => core.row(id)?.risk >= HIGH_RISK) : [];
    this.allows = allows;
    this.ids = [...high, ...ids.filter((id) => !high.includes(id))]; // what needs the word is seen first
    this.rows = this.ids.map((id) => core.row(id));
    this.reason = make("textarea", {
      rows: "3",
      maxlength: "4000",
      class: "inbox-reason",
      placeholder: allows ? "Recorded with the decision" : "Recorded, and shown to the agent",
    });
    this.typed = make("input", { type: "text", autocomplete: "off", class: "inbox-typed" });
    this.cause = make("span", {});
    this.word = make("label", {}, this.cause, this.typed);
    this.conditions = make("textarea", {
      rows: "2",
      class: "inbox-conditions",
      placeholder: "One on each line; recorded in the receipt, for the agent to keep to",
    });
    this.minutes = make("input", { type: "number", min: "1", max: "525600", step: "1", class: "inbox-minutes" });
    this.title = make("h2", { id: "inbox-form-title" });
    this.list = make("ul", { class: "inbox-asked" });
    this.problem = make("p", { class: "inbox-problem", role: "alert" });
    this.submit = button("", "Ctrl ↵", (event) => this.confirm(event), { class: "inbox-main-button inbox-confirm" });
    const label = (text, field) => make("label", {}, make("span", {}, text), field);
    this.element = make(
      "form",
      { class: "inbox-form", "aria-labelledby": "inbox-form-title", onsubmit: (event) => event.preventDefault() },
      this.title,
      this.list,
      this.word,
      label(allows ? "Reason (optional)" : "Reason", this.reason),
      allows ? null : make("p", { class: "inbox-ready" }, READY.map((text) => button(text, null, () => this.say(text)))),
      kind === "more" || kind === "batch" || kind === "word"
        ? allows && [label("Conditions (optional)", this.conditions), label("Valid for so many minutes (optional)", this.minutes)]
        : null,
      this.problem,
      make("p", { class: "inbox-buttons" }, this.submit, button("Cancel", "Esc", () => this.close(), { class: "inbox-cancel" })),
    );
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.draw();
  }

  /** What is above the fields stays in sight: nobody has seen it yet. */
  focus() {
    (this.word.hidden ? this.reason : this.typed).focus({ preventScroll: true });
  }

  /** Where what is wrong covers the lines, or nothing does. */
  get edge() {
    return this.problem.textContent ? this.problem.getBoundingClientRect().top : Infinity;
  }

  /** Lines that have come in sight; whether all of them have by now. */
  meet(lines) {
    for (const line of lines) this.met.add(line);
    return [...this.list.children].every((line) => this.met.has(line));
  }

  say(text) {
    this.reason.value = text;
    this.reason.focus();
  }

  key(event) {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.close();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (!event.repeat) this.confirm(event);
    } else if (event.key === "Enter" && event.target.tagName === "INPUT") {
      event.preventDefault(); // Enter decides nothing, and says so
      this.problem.textContent = this.wrongWord || "Ctrl and Enter together decide.";
    } else if (event.key === "PageDown" || event.key === "PageUp") {
      event.preventDefault();
      this.scroll(event.key === "PageDown" ? 1 : -1);
    }
  }

  get open() {
    return this.ids.filter((id) => this.core.standing(id) === "waits");
  }

  /** Anew, after the list changed. */
  draw() {
    const { open } = this;
    const verb = this.verdict === "allow" ? "Allow" : "Deny";
    const many = this.ids.length > 1;
    this.title.textContent = many ? `${verb} ${several(open.length, "request")}?` : `${verb} this request?`;
    this.submit.firstChild.textContent = many ? `${verb} ${open.length}` : verb;
    this.submit.disabled = open.length === 0;
    const cause = this.lack;
    this.word.hidden = cause === null;
    if (cause !== null) this.cause.textContent = `${cause} Type “${WORD}”, or give a reason`;
    const lines = many ? this.groups(open) : [this.line(this.rows[0], this.ids, open)];
    const signature = lines.map((line) => line.textContent).join("|") + cause;
    if (this.signature !== signature) {
      this.signature = signature;
      this.seen = null;
      this.met.clear();
      this.element.setAttribute("data-seen", "");
      this.list.replaceChildren(...lines);
    }
    const ending = many ? null : this.core.tombs.get(this.ids[0])?.ending;
    if (ending) this.problem.textContent = `Too late. ${ended({ ...ending, at: null }, 0)}.`;
  }

  /** Several requests with what each would do: alike ones once, what differs first, and once what all have in common. */
  groups(open) {
    const known = this.ids.map((id) => pairs(this.given(id)));
    const common = new Set(known[0].map((line) => JSON.stringify(line)));
    for (const lines of known) {
      const theirs = new Set(lines.map((line) => JSON.stringify(line)));
      for (const line of common) if (!theirs.has(line)) common.delete(line);
    }
    const groups = new Map();
    for (const [at, id] of this.ids.entries()) {
      const own = known[at].filter((line) => !common.has(JSON.stringify(line)));
      const row = this.rows[at];
      const given = this.given(id);
      const key = JSON.stringify([row?.goal, row?.agent, row?.type, row?.systems, row?.risk, row?.reversible, open.includes(id), Boolean(given), given?.alike, own]);
      if (!groups.has(key)) groups.set(key, { row, own, ids: [], told: told(row, given), differs: [] });
      groups.get(key).ids.push(id);
    }
    tellApart([...groups.values()], ({ row, own, ids, differs }) => this.line(row, ids.slice(0, 1), open, own, differs).textContent);
    const lines = [...groups.values()].map(({ row, own, ids, differs }) => this.line(row, ids, open, own, differs));
    if (common.size > 0) {
      const said = valued([...common].map((line) => JSON.parse(line)));
      lines.push(make("li", { class: "inbox-common" }, "In all: ", said.flatMap((each, at) => (at === 0 ? [each] : [" · ", each]))));
    }
    return lines;
  }

  line(row, ids, open, own = null, differs = []) {
    const waits = open.includes(ids[0]);
    const said = own !== null && row ? [...atStake(row), ...valued(own)] : [];
    return make(
      "li",
      { class: waits ? null : "inbox-over" },
      ids.length > 1 ? make("strong", {}, `${ids.length} × `) : null,
      row ? make("span", { class: "inbox-asked-goal" }, row.goal) : ids[0],
      own !== null && row ? make("span", { class: "inbox-soft" }, ` · ${row.agent} · ${row.type}`) : null,
      said.flatMap((each) => [" · ", each]),
      differs.flatMap((text) => [" · ", boxed(text, "inbox-differs")]),
      own !== null && this.allows && waits && !this.given(ids[0]) ? make("span", { class: "inbox-problem" }, " · its arguments are not here yet") : null,
      waits ? null : " · does not wait any more",
    );
  }

  /** Why a word is asked for before this is allowed; null where none is. */
  get lack() {
    if (!this.allows) return null;
    const { open } = this;
    const many = open.length > 1;
    const high = open.filter((id) => this.core.row(id)?.risk >= HIGH_RISK).length;
    if (high > 0) return many ? `${several(high, "of them is", "of them are")} of high risk.` : HIGH;
    const unseen = this.unseen;
    const hidden = open.filter((id) => this.given(id)?.hidden > 0 || (many && (unseen.has(id) || this.cut(id))));
    if (hidden.length === 0) return null;
    return many ? `Of ${hidden.length} of them, not all of goal and arguments is shown.` : NOT_ALL;
  }

  /** Whether the list of several does not show this one's goal or a value of it to its end. */
  cut(id) {
    const given = this.given(id);
    return given !== null && (given.goal !== this.core.row(id)?.goal || pairs(given).some(([, value]) => value.length > LONGEST_VALUE));
  }

  /** Those that are not alike, and are in everything that can be shown of them. */
  get unseen() {
    const found = new Map();
    for (const [at, id] of this.ids.entries()) {
      const given = this.given(id);
      if (given === null) continue;
      const key = JSON.stringify([...told(this.rows[at], given)]);
      if (!found.has(key)) found.set(key, []);
      found.get(key).push([id, given.alike]);
    }
    const differing = [...found.values()].filter((same) => new Set(same.map(([, alike]) => alike)).size > 1);
    return new Set(differing.flatMap((same) => same.map(([id]) => id)));
  }

  /** What is wrong with the word that is asked for; null where nothing is. */
  get wrongWord() {
    const right = this.lack === null || this.reason.value.trim() || isWord(this.typed.value);
    return right ? null : `${this.lack} Type ${WORD}, or say why.`;
  }

  confirm(event) {
    const { open } = this;
    const reason = this.reason.value.trim();
    const typed = this.typed.value.trim();
    if (open.length === 0) return;
    const lacking = this.allows && this.ids.length > 1 ? open.filter((id) => !this.given(id)).length : 0;
    if (lacking > 0) return this.wants(`The arguments of ${several(lacking, "request")} are not here yet.`);
    if (this.seen === null || this.seen > event.timeStamp) {
      return this.wants("This was not on the screen to its end when the key went down. Look, as far down as it goes (Page Down), and press again.");
    }
    if (this.verdict === "deny" && !reason) return this.wants("Say why. The reason is recorded, and it is all that the agent is told.");
    if (this.wrongWord) return this.wants(this.wrongWord);
    if (!this.minutes.validity.valid) return this.wants("Minutes are a whole number from 1 to 525600.");
    const conditions = this.conditions.value.split("\n").map((line) => line.trim()).filter(Boolean);
    if (conditions.some((line) => line.length > 500)) return this.wants("A condition has 500 characters at most.");
    if (conditions.length > 20) return this.wants("There can be 20 conditions at most.");
    const minutes = this.minutes.value ? Number(this.minutes.value) : null;
    this.send(open, { verdict: this.verdict, reason, conditions, minutes, typed });
  }

  wants(text) {
    this.problem.textContent = text;
    this.focus();
  }
}

/** As a page shows it: blanks in a row are one. */
const plain = (text) => text.replace(/\s+/g, " ").trim();

/** Arguments, and what the agent said of where it goes. */
const pairs = (given) => (given === null ? [] : [...given.lines, ...given.reach]);

/** What can be shown of a request, by what it is called. */
const told = (row, given) =>
  new Map([
    ["goal", plain(given?.goal ?? row?.goal ?? "")],
    ["agent", plain(row?.agent ?? "")],
    ["type", plain(row?.type ?? "")],
    ["systems", plain((row?.systems || []).join(", "))],
    ["risk", `${row?.risk}`],
    ["way back", row?.reversible ? "can be undone" : "cannot be undone"],
    ["allowed to, as the agent says", plain(given?.allowed ?? "")],
    ...(given?.reach || []).map(([name, value]) => [plain(name).toLowerCase(), plain(value)]),
    ...(given?.lines || []).map(([name, value]) => [`argument ${plain(name)}`, plain(value)]),
  ]);

/** Each time, of groups that would be shown as the same line, say from where they differ first: so they become fewer, until
 * only those are left that are shown alike in everything. */
function tellApart(groups, shown) {
  for (;;) {
    const same = new Map();
    for (const group of groups) {
      const line = plain(shown(group));
      same.set(line, [...(same.get(line) || []), group]);
    }
    const alike = [...same.values()].filter((each) => each.length > 1);
    const apart = alike.map((each) => [each, differing(each)]).filter(([, name]) => name !== undefined);
    if (apart.length === 0) {
      for (const group of alike.flat()) group.differs.push("differs in what is not shown");
      return;
    }
    for (const [each, name] of apart) {
      const texts = each.map(({ told: known }) => known.get(name) ?? null);
      const start = Math.max(0, begin(texts.map((text) => text ?? "")) - 2);
      for (const [at, group] of each.entries()) group.differs.push(difference(name, texts[at], start));
    }
  }
}

/** What is first shown otherwise of one of them than of another. */
function differing(groups) {
  const names = new Set(groups.flatMap(({ told: known }) => [...known.keys()]));
  return [...names].find((name) => new Set(groups.map(({ told: known }) => known.get(name))).size > 1);
}

/** With how many characters all of these begin alike. */
function begin(texts) {
  const [first, ...others] = texts;
  let at = 0;
  while (at < first.length && others.every((text) => text[at] === first[at])) at += 1;
  return at;
}

function difference(name, text, start) {
  if (text === null) return `it has no ${name}`;
  const rest = text.slice(start);
  return `differs in its ${name}: ${start > 0 ? "…" : ""}${rest.length > LONGEST_DIFFERENCE ? `${rest.slice(0, LONGEST_DIFFERENCE)}…` : rest}`;
}

/** Each with its name in a box of its own: a value that reads as a further argument stays one. */
const valued = (lines) =>
  lines.map(([name, value]) => boxed([make("b", {}, `${name}:`), ` ${value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value}`], "inbox-argument"));
