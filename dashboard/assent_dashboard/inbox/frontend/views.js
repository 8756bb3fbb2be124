// Views that somebody has named. A view is what the page's address asks for: window, agent, type, order, whose and search.
//
// 1. A name stands for one view: saving it again replaces what it stood for.
// 2. A view holds parameters of the address and no request; the page reads them as it reads any link, so what means
//    nothing any more is left out there.
// 3. They are kept in this browser. What cannot be read is no view, and a browser that keeps nothing has none.

const KEPT = "assent-inbox-views";
const ORDERS = { newest: "newest first", expires: "what expires first", risk: "highest risk first" };
const OWNERS = { mine: "mine", free: "nobody's" };
export const MOST = 30;
export const LONGEST_NAME = 60;
const LONGEST_VALUE = 400;

const isText = (value, longest) => typeof value === "string" && value.length > 0 && value.length <= longest;

function readable(view) {
  if (!view || typeof view !== "object" || !isText(view.name, LONGEST_NAME)) return false;
  const { query } = view;
  return Boolean(query) && typeof query === "object" && Object.values(query).every((value) => isText(value, LONGEST_VALUE));
}

const written = (query) => JSON.stringify(Object.entries(query).sort());

/** `newest first · mine · agent payer · “bank” · decided in the last 7 days`. */
export function said({ order = "newest", whose, agent_id: agent, action_type: type, search, window }) {
  const days = /^(\d+)d$/.exec(window || "")?.[1];
  return [
    ORDERS[order] || order,
    OWNERS[whose] || whose,
    agent && `agent ${agent}`,
    type && `type ${type}`,
    search && `“${search}”`,
    days && `decided in the last ${days === "1" ? "day" : `${days} days`}`,
  ].filter(Boolean).join(" · ");
}

export class Views {
  /** `around` is the window; a test brings its own. */
  constructor(around) {
    this.around = around;
    this.text = null; // what is kept, as it was read last
    this.read = [];
  }

  /** Each as {name, query}, in the alphabet's order. */
  get all() {
    try {
      const text = this.around.localStorage.getItem(KEPT) || "[]";
      if (text !== this.text) {
        this.text = text;
        this.read = [];
        const kept = JSON.parse(text);
        if (Array.isArray(kept)) this.read = kept.filter(readable).slice(0, MOST);
      }
    } catch {
      return this.read;
    }
    return this.read;
  }

  /** The name of the view that is this one; null where none is. */
  nameOf(query) {
    return this.all.find((view) => written(view.query) === written(query))?.name ?? null;
  }

  /** Gives why it cannot be saved, or null. */
  save(name, query) {
    const wanted = name.trim().replace(/\s+/g, " ");
    if (!wanted) return "Give it a name.";
    if (wanted.length > LONGEST_NAME) return `A name has ${LONGEST_NAME} characters at most.`;
    const others = this.all.filter((view) => view.name !== wanted);
    if (others.length >= MOST) return `There can be ${MOST} views at most; forget one first.`;
    if (!readable({ name: wanted, query })) return "This view is too long to be kept.";
    return this.keep([...others, { name: wanted, query }].sort((one, other) => one.name.localeCompare(other.name)));
  }

  forget(name) {
    return this.keep(this.all.filter((view) => view.name !== name));
  }

  keep(views) {
    try {
      this.around.localStorage.setItem(KEPT, JSON.stringify(views));
      return null;
    } catch {
      return "This browser keeps nothing for this page.";
    }
  }
}
