// What is asked before a decision leaves: why it is denied, the word that a high risk wants, conditions, how many are
// meant. It is about the requests that it was opened for, and follows them: who ends meanwhile is left out and told.

import { HIGH_RISK, WORD } from "./core.js";
import { button, make } from "./detail.js";
import { ended, several } from "./words.js";

const READY = ["Not now", "Wrong target", "Too risky", "Say more, then ask again"];
const LISTED = 6;

export class Form {
  /** `core` is the inbox; `send(ids, details)` decides, `close()` leaves. */
  constructor(core, { kind, verdict, ids }, { send, close }) {
    this.core = core;
    this.kind = kind;
    this.verdict = verdict;
    this.close = close;
    this.send = send;
    const allows = verdict === "allow";
    const high = allows ? ids.filter((id) => core.row(id)?.risk >= HIGH_RISK) : [];
    this.risky = high.length > 0;
    this.ids = [...high, ...ids.filter((id) => !high.includes(id))]; // what needs the word is seen first
    this.rows = this.ids.map((id) => core.row(id));
    this.reason = make("textarea", {
      rows: "3",
      maxlength: "4000",
      class: "inbox-reason",
      placeholder: allows ? "Recorded with the decision" : "Recorded, and shown to the agent",
    });
    this.typed = make("input", { type: "text", autocomplete: "off", class: "inbox-typed" });
    this.conditions = make("textarea", {
      rows: "2",
      class: "inbox-conditions",
      placeholder: "One on each line; recorded in the receipt, for the agent to keep to",
    });
    this.minutes = make("input", { type: "number", min: "1", max: "525600", step: "1", class: "inbox-minutes" });
    this.title = make("h3", { id: "inbox-form-title" });
    this.list = make("ul", { class: "inbox-asked" });
    this.problem = make("p", { class: "inbox-problem", role: "alert" });
    this.submit = button("", "Ctrl ↵", () => this.confirm(), { class: "inbox-main-button inbox-confirm" });
    const label = (text, field) => make("label", {}, make("span", {}, text), field);
    this.element = make(
      "form",
      { class: "inbox-form", "aria-labelledby": "inbox-form-title", onsubmit: (event) => event.preventDefault() },
      this.title,
      this.list,
      this.risky ? label(`Type “${WORD}”, or give a reason${ids.length > 1 ? `, for ${high.length} of high risk` : ""}`, this.typed) : null,
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

  focus() {
    (this.risky ? this.typed : this.reason).focus();
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
      if (!event.repeat) this.confirm();
    } else if (event.key === "Enter" && event.target.tagName === "INPUT") {
      event.preventDefault(); // Enter decides nothing, and says so
      this.problem.textContent = this.wrongWord || "Ctrl and Enter together decide.";
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
    const lines = this.rows.slice(0, many ? LISTED : 1).map((row, at) =>
      make(
        "li",
        { class: open.includes(this.ids[at]) ? null : "inbox-over" },
        row ? row.goal : this.ids[at],
        many && this.risky && row?.risk >= HIGH_RISK ? make("strong", { class: "inbox-high" }, ` · risk ${row.risk}`) : "",
        open.includes(this.ids[at]) ? "" : " · does not wait any more",
      ),
    );
    if (many && this.ids.length > LISTED) lines.push(make("li", {}, `and ${this.ids.length - LISTED} more`));
    this.list.replaceChildren(...lines);
    const ending = many ? null : this.core.tombs.get(this.ids[0])?.ending;
    if (ending) this.problem.textContent = `Too late. ${ended({ ...ending, at: null }, 0)}.`;
  }

  /** What is wrong with the word of a high risk; null where nothing is. */
  get wrongWord() {
    const right = !this.risky || this.reason.value.trim() || this.typed.value.trim().toLowerCase() === WORD;
    return right ? null : `The risk is high: type ${WORD}, or say why.`;
  }

  confirm() {
    const { open } = this;
    const reason = this.reason.value.trim();
    const typed = this.typed.value.trim();
    if (open.length === 0) return;
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
