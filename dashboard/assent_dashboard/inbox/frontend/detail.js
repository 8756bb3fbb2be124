// One request beside the list: what the agent wants, why it was stopped, the buttons, and what stands behind it. Every
// text is a text node: what an agent wrote is never markup.

import { ago, ended, left, moment, several } from "./words.js";

/** An element with attributes, and children that are elements or texts. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A text about time that is told anew while it is shown: `words(now)` gives it. */
export function timed(words, now) {
  const element = make("span", { class: "inbox-timed" }, words(now));
  element.words = words;
  return element;
}

/** Tell every text about time below this anew. */
export function retell(root, now) {
  for (const element of root.querySelectorAll(".inbox-timed")) {
    const text = element.words(now);
    if (element.textContent !== text) element.textContent = text;
  }
}

const since = (then, now) => timed((at) => ago(then, at), now);

export const button = (label, key, act, more = {}) =>
  make(
    "button",
    { type: "button", onclick: act, ...more },
    label,
    key ? make("kbd", { "aria-hidden": "true" }, key) : null,
  );

/** With one decimal at most. */
const score = (value) => `${Math.round(value * 10) / 10}`;

export function risk(row) {
  const level = row.risk >= 70 ? "high" : row.risk >= 40 ? "raised" : "low";
  return make("span", { class: `inbox-risk inbox-${level}` }, `${Math.round(row.risk)}`);
}

/** What a request of several touches, its risk, and that it cannot be undone. Each stands in a box, which no text of a
 * stranger can draw. */
export const atStake = ({ systems, risk: points, reversible }) => [
  boxed(systems.length > 0 ? `touches ${systems.join(", ")}` : "names no system"),
  boxed(`risk ${score(points)}`, points >= 70 ? "inbox-high" : ""),
  ...(reversible ? [] : [boxed("cannot be undone", "inbox-final")]),
];

/** Something that a line says, apart from what stands beside it. */
export const boxed = (said, more = "") => make("span", { class: `inbox-box ${more}`.trim() }, said);

/** What is drawn anew when less is left than this, in milliseconds. */
export const SOON_MS = 600000;

/** `open` where it still waits. */
export function badges(row, count, now, open = true) {
  const own = row.own_risk;
  const said = own === null || own === row.risk ? "" : ` · the agent said ${score(own)}`;
  const level = row.risk >= 70 ? "high" : row.risk >= 40 ? "raised" : "low";
  return make(
    "p",
    { class: "inbox-badges" },
    make("span", { class: `inbox-badge inbox-${level}` }, `Risk ${score(row.risk)} of 100${said}`),
    row.reversible ? null : make("span", { class: "inbox-badge" }, "Cannot be undone"),
    row.simulated ? make("span", { class: "inbox-badge" }, "Simulated") : null,
    count > 1 ? make("span", { class: "inbox-badge" }, `${count} identical requests`) : null,
    open && row.expires - now < SOON_MS
      ? make("span", { class: "inbox-badge inbox-high" }, timed((at) => `Expires ${left(row.expires, at)}`, now))
      : null,
  );
}

export const stopped = (row) =>
  row.why.map((why) => make("p", { class: "inbox-why" }, make("strong", {}, "Stopped: "), why));

export const escalated = ({ to, own, on_shift: onShift, after, at }, now) =>
  make(
    "p",
    { class: "inbox-escalation" },
    make("strong", {}, `Escalated to ${to}${own ? ", your group" : ""} `, since(at, now), ": "),
    `nobody had decided for ${after} min.${onShift ? "" : " Nobody of that group was on shift."}`,
  );

export const waits = (row, now) => timed((at) => `Asked ${ago(row.asked, at)} · expires ${left(row.expires, at)}`, now);

const ledger = (id, label) => make("a", { href: `/ledger?action_id=${encodeURIComponent(id)}`, target: "_self" }, label);

function table(pairs) {
  const rows = pairs.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));
  return make("dl", { class: "inbox-pairs" }, rows);
}

const part = (title, ...content) => make("section", { class: "inbox-part" }, make("h3", {}, title), ...content);

/** Where each value came from that a flow policy looked at: the value, then the sentence; what is doubtful is marked. */
export function origins(found) {
  if (found.origins.length + found.session.length === 0) return null;
  const rows = found.origins.map(({ argument, text, doubtful, sentence }) =>
    make(
      "div",
      {},
      make("dt", {}, argument),
      make("dd", {}, text === null ? null : [make(doubtful ? "strong" : "span", {}, `“${text}”`), make("br")], sentence),
    ),
  );
  return part(
    "Where its values came from",
    rows.length > 0 ? make("dl", { class: "inbox-pairs" }, rows) : null,
    found.session.map((sentence) => make("p", { class: "inbox-soft" }, sentence)),
    found.reach ? make("p", {}, found.reach) : null,
    found.flow_session
      ? make("p", {}, make("a", { href: `/flows?session_id=${encodeURIComponent(found.flow_session)}`, target: "_self" }, "Its session, step by step"))
      : null,
  );
}

/** Null where nothing like it was approved. */
export function difference(nearest, now) {
  if (nearest === null) return null;
  const { id, at, by, changes, more, same, arguments: given, among } = nearest;
  const whose = make(
    "p",
    { class: "inbox-soft" },
    `Beside the nearest of ${among} that ${among === 1 ? "was" : "were"} approved: `,
    ledger(id, timed((present) => `asked ${ago(at, present)}`, now)),
    by ? `, allowed by ${by}. ` : ". ",
    given === 0 ? "Neither has arguments." : same === 0 ? "No argument is the same." : `${changes.length === 0 && same > 1 ? "All " : ""}${several(same, "argument is", "arguments are")} the same.`,
  );
  const rows = changes.map(({ name, before, now: present }) =>
    make(
      "div",
      {},
      make("dt", {}, name),
      make(
        "dd",
        {},
        before === null ? make("span", { class: "inbox-soft" }, "was not there") : make("del", {}, before),
        " ",
        present === null ? make("span", { class: "inbox-soft" }, "is not there now") : make("ins", {}, present),
      ),
    ),
  );
  return part(
    "What is different",
    whose,
    rows.length > 0 ? make("dl", { class: "inbox-pairs inbox-diff" }, rows) : null,
    more > 0 ? make("p", {}, `${several(more, "argument more differs", "arguments more differ")}, and ${more === 1 ? "is" : "are"} not listed.`) : null,
  );
}

function policies(found) {
  const names = found.policies.map(([id, name]) =>
    make("p", {}, name ? `${name} ` : "", make("code", {}, id)),
  );
  return part(
    "Policies that matched",
    names.length > 0 ? names : make("p", { class: "inbox-soft" }, "None: the agent itself asked."),
    found.warnings.map((warning) => make("p", {}, warning)),
    found.findings
      ? make("p", {}, make("a", { href: `/injection?subject_id=${encodeURIComponent(found.findings)}`, target: "_self" }, "What the scan found"))
      : null,
    found.version ? make("p", { class: "inbox-soft" }, found.version) : null,
  );
}

function earlier(found, now) {
  const lines = found.earlier.map((line) =>
    make(
      "li",
      {},
      make("span", { class: `inbox-mark inbox-mark-${line.mark}` }, line.verdict),
      line.reason ? ` “${line.reason}”` : "",
      line.outcome ? ` · then ${line.outcome}` : "",
      " · ",
      since(line.at, now),
      " ",
      line.simulated ? make("span", { class: "inbox-badge" }, "Simulated") : null,
      ledger(line.id, "Details"),
    ),
  );
  return part(
    "How such requests ended before",
    found.record.map((sentence) => make("p", {}, sentence)),
    make("p", { class: "inbox-soft" }, found.title),
    lines.length > 0 ? make("ul", { class: "inbox-earlier" }, lines) : null,
  );
}

/** What exactly it would be allowed to do; pairs of name and value. */
/** What is not shown whole is told first: whoever allows goes by what is shown. Null where there are no arguments. */
export function exact({ lines, hidden }) {
  if (lines.length + hidden === 0) return null;
  const short = `${several(hidden, "argument is", "arguments are")} not shown here, or not to the end. “Everything that guard looked at”, below, has all of it.`;
  return part("Exact arguments", hidden > 0 ? make("p", { class: "inbox-problem inbox-hidden" }, short) : null, table(lines));
}

const LONG_GOAL = 240;

/** What the agent wants, as the heading; the whole of a long one opens below it. `toggled` is told whether it is open. */
export function goal(text, open, toggled) {
  if (text.length <= LONG_GOAL) return [make("h2", { class: "inbox-title" }, text)];
  const count = `The whole goal, ${text.length.toLocaleString("en")} characters`;
  return [
    make("h2", { class: "inbox-title" }, `${text.slice(0, LONG_GOAL - 1).trimEnd()}…`),
    make(
      "details",
      { class: "inbox-whole-goal", open, ontoggle: ({ target }) => toggled(target.open) },
      make("summary", {}, count, make("kbd", { "aria-hidden": "true" }, "v")),
      make("p", {}, text),
    ),
  ];
}

/** What stands behind a request besides, as sections. */
export function behind(found, now) {
  return [
    earlier(found, now),
    part(
      `Why risk ${score(found.row.risk)} of 100`,
      found.parts.length > 0 ? table(found.parts) : null,
      found.notes.map((note) => make("p", { class: "inbox-soft" }, note)),
    ),
    policies(found),
    part(
      "What the agent says of it",
      table(found.said),
      found.whole
        ? make("details", {}, make("summary", {}, "Everything that guard looked at"), make("pre", { tabindex: "0" }, found.whole))
        : null,
    ),
  ].filter((section) => section !== null);
}

const QUESTIONS = { open: "no answer yet", ended: "ended without an answer" };

function question(each, now, link) {
  const answer = each.replaced_by
    ? make("p", {}, make("strong", {}, `${each.answered_by || "The agent"} asks for something else instead: `), link(each.replaced_by, "the changed request"))
    : each.answer
      ? make("p", {}, make("strong", {}, `${each.answered_by || "The agent"}: `), each.answer)
      : make("p", { class: "inbox-soft" }, QUESTIONS[each.state] || each.state);
  return make(
    "li",
    { class: `inbox-said-${each.state}` },
    make("p", {}, make("strong", {}, `${each.by} asked `, since(each.at, now), ": "), each.text),
    each.conditions.map((offered) => make("p", {}, `Would allow it: ${offered}`)),
    answer,
  );
}

/** What was asked and answered, and what operators said to each other. `comment` opens what a comment is written in,
 * `link(id, label)` leads to another request. */
export function talk({ questions, comments }, now, comment, link) {
  return [
    questions.length > 0
      ? part("Asked back", make("ul", { class: "inbox-talk" }, questions.map((each) => question(each, now, link))))
      : null,
    part(
      "Among operators",
      comments.length > 0
        ? make(
            "ul",
            { class: "inbox-talk" },
            comments.map((each) => make("li", {}, make("strong", {}, `${each.by}, `, since(each.at, now), ": "), each.text)),
          )
        : null,
      make("p", {}, comment),
    ),
  ].filter((section) => section !== null);
}

export function standing(ending, now) {
  return make(
    "div",
    { class: "inbox-standing" },
    make("p", {}, make("strong", {}, timed((at) => `${ended(ending, at)}.`, now)), ending.at ? ` ${moment(ending.at)}.` : "", " It does not wait here any more."),
    ending.reason ? make("p", {}, `The reason given: “${ending.reason}”`) : null,
  );
}

export { ledger };
