// What somebody writes about a request that is no decision: a question to its agent, a comment for the other operators,
// until when it is put off, who takes care of it, and a standing grant of its like. It is about the requests that it was
// opened for, whatever the cursor does; what is sent names them. Words stay until they were taken.

import { HIGH, HIGH_RISK, isWord, NOT_ALL, WORD } from "./core.js";
import { atStake, button, make } from "./detail.js";
import { ended, moment, putOff, several } from "./words.js";

const LISTED = 6;
const MINUTE = 60000;
const label = (text, field) => make("label", {}, make("span", {}, text), field);

/** Tomorrow at nine, by the clock of whoever looks, in milliseconds. */
export function morning(now) {
  const day = new Date(now);
  day.setDate(day.getDate() + 1);
  day.setHours(9, 0, 0, 0);
  return day.getTime();
}

/** Whose clock that is, in short: "UTC", "GMT+1". */
const zone = (at) => new Date(at).toLocaleTimeString("en", { timeZoneName: "short" }).split(" ").pop();

class Composer {
  /** `say(path, body)` sends and gives what was answered; `done(ids, text, results)` leaves with what came of it, `close()`
   * without; `failed(ids, why)` is told what was refused. `now()` is the service's time. */
  constructor(core, { kind, ids, hidden = 0 }, { say, done, failed, close, now }) {
    Object.assign(this, { core, kind, ids, hidden, say, done, failed, close, now });
    this.sending = false;
    this.rows = ids.map((id) => core.row(id));
    this.list = make("ul", { class: "inbox-asked" });
    this.problem = make("p", { class: "inbox-problem", role: "alert" });
    this.submit = button(this.verb, "Ctrl ↵", () => this.confirm(), { class: "inbox-main-button inbox-confirm" });
    this.element = make(
      "form",
      { class: "inbox-form", "aria-labelledby": "inbox-form-title", onsubmit: (event) => event.preventDefault() },
      make("h2", { id: "inbox-form-title" }, this.title),
      this.list,
      this.fields(),
      this.problem,
      make("p", { class: "inbox-buttons" }, this.submit, button("Cancel", "Esc", () => this.close(), { class: "inbox-cancel" })),
    );
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.draw();
  }

  key(event) {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.close();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (!event.repeat) this.confirm();
    } else if (event.key === "Enter" && event.target.tagName === "INPUT") {
      event.preventDefault();
    }
  }

  /** Those that it can still be about. */
  get open() {
    return this.ids.filter((id) => this.core.standing(id) === "waits");
  }

  /** Anew, after the list changed. */
  draw() {
    const { open } = this;
    const many = this.ids.length > 1;
    const lines = this.rows.slice(0, LISTED).map((row, at) =>
      make(
        "li",
        { class: open.includes(this.ids[at]) ? null : "inbox-over" },
        row ? [make("span", { class: "inbox-asked-goal" }, row.goal), ...atStake(row).flatMap((each) => [" · ", each])] : this.ids[at],
      ),
    );
    if (this.ids.length > LISTED) lines.push(make("li", {}, `and ${this.ids.length - LISTED} more`));
    this.list.replaceChildren(...lines);
    this.submit.disabled = this.sending || open.length === 0;
    const ending = many ? null : this.core.tombs.get(this.ids[0])?.ending;
    if (ending && open.length === 0) this.problem.textContent = `Too late. ${ended({ ...ending, at: null }, 0)}.`;
  }

  wants(text) {
    this.problem.textContent = text;
    this.focus();
  }

  /** `text` is what is said when it was taken, or makes that of what was answered for each request. */
  async send(path, body, text) {
    if (this.sending) return;
    this.sending = true;
    this.problem.textContent = "Sending…";
    this.draw();
    const { results, ...one } = await this.say(path, body);
    const refused = results ? Object.values(results).find(({ ok }) => !ok) : one.ok ? null : one;
    this.sending = false;
    if (!refused) {
      this.done(this.ids, typeof text === "function" ? text(results) : text, results);
    } else {
      this.problem.textContent = refused.why;
      this.draw();
      this.failed(this.ids, refused.why);
    }
  }
}

class Question extends Composer {
  get title() {
    return "Ask its agent?";
  }

  get verb() {
    return "Ask";
  }

  fields() {
    this.text = make("textarea", { rows: "3", maxlength: "4000", class: "inbox-question", placeholder: "Recorded, and put to the agent" });
    this.conditions = make("textarea", { rows: "2", class: "inbox-offer", placeholder: "Such as: only 50 EUR; one on each line" });
    return [
      label("Question", this.text),
      label("You would allow it under these conditions (optional)", this.conditions),
      make("p", { class: "inbox-soft" }, "It decides nothing: the request waits on, and its time runs on."),
    ];
  }

  focus() {
    this.text.focus();
  }

  confirm() {
    const [id] = this.open;
    const text = this.text.value.trim();
    const conditions = this.conditions.value.split("\n").map((line) => line.trim()).filter(Boolean);
    if (!id) return;
    if (!text) return this.wants("Say what you want to know.");
    this.send("/inbox/questions", { id, text, conditions }, "Asked; the answer appears beside the request");
  }
}

class Comment extends Composer {
  get title() {
    return "A comment for the other operators";
  }

  get verb() {
    return "Comment";
  }

  get open() {
    return this.ids; // also on what has ended
  }

  fields() {
    this.text = make("textarea", { rows: "3", maxlength: "4000", class: "inbox-comment", placeholder: "Recorded; no agent reads it" });
    return [label("Comment", this.text)];
  }

  focus() {
    this.text.focus();
  }

  confirm() {
    const text = this.text.value.trim();
    if (!text) return this.wants("Say something.");
    this.send("/inbox/comments", { id: this.ids[0], text }, "Comment recorded");
  }
}

class Later extends Composer {
  get title() {
    return `Put ${several(this.ids.length, "request")} off, for you alone`;
  }

  get verb() {
    return "Until then";
  }

  fields() {
    const now = this.now();
    const choices = [
      ["15 minutes", now + 15 * MINUTE],
      ["1 hour", now + 60 * MINUTE],
      ["4 hours", now + 240 * MINUTE],
      [`Tomorrow at 9 ${zone(morning(now))}`, morning(now)],
    ];
    this.first = null;
    const buttons = choices.map(([text, until]) => button(text, null, () => this.until(until), { class: "inbox-until-choice" }));
    const back = this.ids.some((id) => this.core.sleeps(id))
      ? button("Bring back now", null, () => this.until(null), { class: "inbox-until-back" })
      : null;
    this.first = back || buttons[0];
    this.time = make("input", { type: "datetime-local", class: "inbox-until-time" });
    return [
      make("p", { class: "inbox-ready" }, back, buttons),
      label("Or until", this.time),
      make("p", { class: "inbox-soft" }, "Nothing of the request changes, and the others still see it. It is back by itself, before it expires at the latest."),
    ];
  }

  focus() {
    this.first.focus();
  }

  confirm() {
    const until = new Date(this.time.value).getTime();
    if (Number.isNaN(until)) return this.wants("Say until when.");
    this.until(until);
  }

  until(until) {
    const ids = this.open;
    if (ids.length === 0) return;
    this.send("/inbox/later", { ids, until }, (results) => putOff(results, until, this.now()));
  }
}

class Assign extends Composer {
  get title() {
    return this.ids.length === 1 ? "Who takes care of it?" : `Who takes care of these ${this.ids.length} requests?`;
  }

  get verb() {
    return "Assign";
  }

  fields() {
    this.choice = make("select", { class: "inbox-colleagues" }, make("option", { value: "" }, "Nobody in particular"));
    this.look();
    return [label("Operator", this.choice), make("p", { class: "inbox-soft" }, "It decides nothing: everybody may decide as before.")];
  }

  focus() {
    this.choice.focus();
  }

  /** Who there is; whoever takes care of all of them now is chosen already. */
  async look() {
    const found = await this.say("/inbox/operators");
    if (found.ok === false) {
      this.problem.textContent = found.why;
      return;
    }
    this.names = new Map(found.operators.map((each) => [each.key_id, each.name]));
    this.choice.append(...found.operators.map(({ key_id: id, name, own }) => make("option", { value: id }, own ? `${name} (you)` : name)));
    const [now, ...others] = new Set(this.ids.map((id) => this.core.assigned.get(id)?.to));
    const present = found.operators.filter(({ name }) => name === now);
    if (others.length === 0 && present.length === 1 && this.choice.value === "") this.choice.value = present[0].key_id;
  }

  confirm() {
    const ids = this.open;
    const to = this.choice.value || null;
    if (ids.length === 0) return;
    this.send("/inbox/assignments", { ids, to }, to === null ? "Assigned to nobody" : `Assigned to ${this.names.get(to)}`);
  }
}

class Grant extends Composer {
  get title() {
    return "Allow its like from now on?";
  }

  get verb() {
    return "Allow in advance";
  }

  /** Why a word is asked for; null where none is. */
  get lack() {
    if (this.rows[0]?.risk >= HIGH_RISK) return HIGH;
    return this.hidden > 0 ? NOT_ALL : null;
  }

  /** All causes of that: no condition binds some argument, too. */
  get causes() {
    return [this.unbound, this.lack].filter(Boolean).join(" ") || null;
  }

  fields() {
    this.without = new Set();
    this.unbound = null;
    this.pattern = make("div", { class: "inbox-pattern" }, make("p", { class: "inbox-soft" }, "Asking what it would cover…"));
    this.days = make("input", { type: "number", min: "1", max: "90", step: "1", value: "7", class: "inbox-days" });
    this.uses = make("input", { type: "number", min: "1", max: "1000", step: "1", value: "20", class: "inbox-uses" });
    this.reason = make("textarea", { rows: "2", maxlength: "2000", class: "inbox-grant-reason" });
    const goal = this.rows[0]?.goal || this.ids[0];
    this.reason.value = `Like: ${goal}`.slice(0, 2000);
    this.typed = make("input", { type: "text", autocomplete: "off", class: "inbox-typed" });
    this.cause = make("span", {});
    this.asked = make("label", {}, this.cause, this.typed);
    this.ask();
    this.ready = false; // whether what is shown is what would be given
    this.look();
    return [
      this.pattern,
      this.asked,
      make("p", { class: "inbox-bounds" }, label("For so many days", this.days), label("So many times", this.uses)),
      label("Reason, which stands in each approval", this.reason),
      make("p", { class: "inbox-soft" }, "This request itself still waits for your decision. A grant can be revoked at any moment, on the page of policies."),
    ];
  }

  focus() {
    this.reason.focus();
  }

  ask() {
    const { causes } = this;
    this.asked.hidden = causes === null;
    this.cause.textContent = causes === null ? "" : `${causes} Type “${WORD}”`;
  }

  /** What the pattern is, and would have covered. */
  async look() {
    const asked = [...this.without].join(",");
    const found = await this.say(`/inbox/grants/${encodeURIComponent(this.ids[0])}?without=${asked}`);
    if (asked !== [...this.without].join(",")) return;
    if (found.ok === false) {
      this.problem.textContent = found.why;
      return;
    }
    this.ready = found.why_not === null;
    this.unbound = found.unbound;
    this.ask();
    const left = new Set(found.without);
    this.pattern.replaceChildren(
      make("p", {}, make("strong", {}, `${found.who} may ${found.type}`), `, up to risk ${found.max_risk}, where:`),
      make(
        "ul",
        {},
        found.parts.map((part, at) => {
          const box = make("input", { type: "checkbox", onchange: () => this.leave(at, box) });
          box.checked = !left.has(at);
          const open = left.has(at) ? found.opened[at] : null;
          return make(
            "li",
            {},
            make("label", { class: "inbox-part-choice" }, box, ` ${part}`),
            open === null ? null : make("strong", { class: "inbox-part-open" }, ` Left open: ${open}`),
          );
        }),
        found.parts.length === left.size ? make("li", {}, "any request of this type") : null,
      ),
      ...found.would.map((sentence) => make("p", {}, sentence)),
      found.why_not === null ? "" : make("p", { class: "inbox-problem" }, `No grant is used here: ${found.why_not}`),
    );
    this.draw();
  }

  leave(at, box) {
    if (box.checked) this.without.delete(at);
    else this.without.add(at);
    this.ready = false;
    this.draw();
    this.look();
  }

  draw() {
    super.draw();
    if (!this.ready) this.submit.disabled = true;
  }

  confirm() {
    const [id] = this.open;
    const reason = this.reason.value.trim();
    if (!id) return;
    if (!this.ready) return this.wants("Nothing can be given before its pattern is shown.");
    if (!this.days.validity.valid || !this.days.value) return this.wants("Days are a whole number from 1 to 90.");
    if (!this.uses.validity.valid || !this.uses.value) return this.wants("It is used 1 to 1000 times.");
    if (!reason) return this.wants("Say why; it stands in each approval that it gives.");
    if (this.causes !== null && !isWord(this.typed.value)) {
      this.problem.textContent = `${this.causes} Type ${WORD}.`;
      return this.typed.focus();
    }
    const body = { id, days: Number(this.days.value), uses: Number(this.uses.value), reason, without: [...this.without] };
    this.send("/inbox/grants", body, `Allowed in advance until ${moment(this.now() + body.days * 1440 * MINUTE)}`);
  }
}

export const COMPOSERS = { ask: Question, comment: Comment, later: Later, assign: Assign, grant: Grant };
