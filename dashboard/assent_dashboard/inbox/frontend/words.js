// Words for people: how long ago, how long still, and how a request ended.

const UNITS = [
  [86400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** `12 s`, `3 min`, `2 h`, `4 d`: units that are full. */
export function span(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  for (const [unit, name] of UNITS) if (seconds >= unit) return `${Math.floor(seconds / unit)} ${name}`;
  return "0 s";
}

export const ago = (then, now) => (now - then < 2000 ? "just now" : `${span(now - then)} ago`);
export const left = (end, now) => (end - now < 1000 ? "now" : `in ${span(end - now)}`);
/** When something is back: `today` is left out. */
export function clock(ms, now) {
  const [then, present] = [new Date(ms), new Date(now)];
  const time = `${String(then.getHours()).padStart(2, "0")}:${String(then.getMinutes()).padStart(2, "0")}`;
  return then.toDateString() === present.toDateString() ? time : `${then.toDateString().slice(4, 10)} ${time}`;
}
/** When what is held leaves, in seconds; `cut` where the dashboard, which holds it, does not answer. */
export function leaves(seconds, cut) {
  if (seconds > 0) return `leaves in ${seconds} s`;
  return cut ? "sent, or about to be: the network is cut" : "leaves now";
}

/** What came of putting off until `asked`, by what the service answered for each: `Put off: 2 requests`, and when the first
 * is back if that is sooner. */
export function putOff(results, asked, now) {
  if (asked === null) return "Brought back";
  const untils = Object.values(results).map(({ until }) => until ?? now);
  const first = Math.min(...untils);
  const text = `Put off: ${several(untils.length, "request")}`;
  if (first >= asked) return text;
  return `${text}; ${untils.length === 1 ? "back" : "the first is back"} ${left(first, now)} already, before it expires`;
}
export const several = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
export const moment = (ms) => `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** `On shift: Payments (ana, ben) until 17:00`, `Nobody is on shift until 09:00`; empty without a rota. */
export function duty({ known, groups, next }, now) {
  if (!known) return "";
  if (groups.length === 0) return next === null ? "Nobody is on shift" : `Nobody is on shift until ${clock(next, now)}`;
  const told = groups.map(({ group, operators, until }) => {
    const end = until === null ? "" : ` until ${clock(until, now)}`;
    return `${group} (${operators.join(", ")})${end}`;
  });
  return `On shift: ${told.join("; ")}`;
}

const DID = { approved: "allowed", denied: "denied", expired: "expired", withdrawn: "withdrawn" };

/** `Denied by ana 3 min ago`, `Expired`, `It does not wait any more`. */
export function ended({ state, by, at }, now) {
  if (!DID[state]) return "It does not wait any more";
  const word = DID[state];
  const whom = by && state !== "expired" ? ` by ${by}` : "";
  return `${word[0].toUpperCase()}${word.slice(1)}${whom}${at ? ` ${ago(at, now)}` : ""}`;
}

/** What is said of how a request ended that somebody here had decided on, or why the decision does not count. */
export function became({ id, kind, text, ending, row }, now) {
  const goal = row?.goal || id;
  if (kind === "done") return `${ending.state === "approved" ? "Allowed" : "Denied"}: ${goal}`;
  if (kind === "conflict") return `Too late, your decision does not count. ${ended(ending, now)}: ${goal}`;
  if (kind === "unsure") return `It is not known whether your decision counted: ${goal}`;
  return kind === "refused" ? `${goal}: ${text}` : null;
}

/** What is said last on the page. A press that repeats is counted, so that no key goes by without a change on the screen;
 * what else is said is said as it is, however often. */
export class Saying {
  constructor() {
    this.last = null; // the press that could repeat
    this.times = 0;
  }

  /** How it is said. */
  say(text, repeats) {
    this.times = repeats && text === this.last ? this.times + 1 : 1;
    this.last = repeats ? text : null;
    return this.times > 1 ? `${text} (${this.times} times)` : text;
  }
}
