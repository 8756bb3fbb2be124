// What the inbox knows and decides, without a page: requests, their order, the cursor, what is picked, held and put off,
// and what every press did. Pure: it has no clock of its own, no network and no document.
//
// 1. The cursor is the id of a request. It moves when somebody presses a key or a row, and never by itself.
// 2. A request that ends under the cursor stays there as a tombstone that says how it ended, until the cursor moves on.
// 3. A key decides only on the request that the cursor is on, and only if that one had been painted before the key went
//    down, and allows it, or its like from now on, only if its goal and its arguments had been in sight, too, to their end; where
//    some arguments are not shown whole, a form asks. A key that is held down, or goes down twice at once, decides once.
// 4. An older list, or a change that was heard before, changes nothing.
// 5. Every press has an outcome: what it did, or why it did nothing.
// 6. A decision is known by its key, from the press until the service has told how it stands.
// 7. What was put off is not shown until it is back, but for what the cursor is on: that stays until somebody moves. It
//    is decided by nobody who does not see it: not with those that are alike, and not by moving on.
// 8. Who takes care of a request changes nothing of it. Where only one's own or nobody's are looked at, one that becomes
//    another's under the cursor stays until somebody moves.
// 9. What came otherwise of a decision stays until somebody dismisses it, on whichever page, and is told of a page that
//    knows nothing of the press, too.

export const HIGH_RISK = 90;
export const WORD = "allow";
export const HIGH = "The risk is high.";
export const NOT_ALL = "Not all of its arguments are shown.";

/** Whether this is the word that is asked for. */
export const isWord = (text) => text.trim().toLowerCase() === WORD;

const UNREAD = "its arguments are not shown yet";
const TWICE_MS = 150; // the same key again so soon, or so soon after that, is the same press
const MOST_NOTICES = 200;

const BY = {
  newest: (one, other) => other.asked - one.asked,
  expires: (one, other) => one.expires - other.expires,
  risk: (one, other) => other.risk - one.risk || one.asked - other.asked,
};
const same = (one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);

const parts = (v) => {
  const at = v.lastIndexOf("-");
  return [v.slice(0, at), Number(v.slice(at + 1))];
};

export class Inbox {
  constructor() {
    this.v = null;
    this.items = new Map(); // id -> row
    this.tombs = new Map(); // id -> {row, ending}
    this.held = new Map(); // id -> {key, verdict, sending, problem, until, own}
    this.outbox = new Map(); // key -> press whose answer has not come
    this.picked = new Set();
    this.later = new Map(); // id -> when it is back, by the service's clock; only what is put off is in it
    this.all = false; // what is put off is shown, too
    this.assigned = new Map(); // id -> {to, own, by, at}; only what somebody takes care of is in it
    this.whose = "all"; // or `mine`, or `free`: nobody's
    this.escalated = new Map(); // id -> {to, own, on_shift, after, at}
    this.shifts = { known: false, groups: [], next: null }; // who is on shift
    this.offset = 0; // the service's time less the page's
    this.cursor = null;
    this.painted = null; // {id, at}
    this.read = null; // {id, at, hidden}, likewise with its goal and arguments to their end; so many of them are not shown whole
    this.unread = UNREAD; // why not
    this.last = null; // {name, at} of the last key that decided or began to
    this.moves = 0;
    this.order = "newest";
    this.agent = null;
    this.type = null;
    this.search = "";
    this.wanted = null; // where the cursor begins
    this.notices = []; // what was decided last, and what came otherwise, newest first
    this.undoable = []; // keys of what is held, whichever page pressed it, newest last
    this.batches = new Map(); // key -> the key of the first that was decided with it
    this.returning = new Set(); // keys that are being taken back
    this.dismissed = new Set(); // keys whose notice was dismissed here; the desk may not have heard it
    this.total = 0;
    this.live = true;
    this.closed = false; // whether the session has ended: nothing is decided any more
    this.problem = null;
    this.rows = null; // those that are shown, in order; made anew when they are asked for
    this.hidden = 0; // how many do not fit what is asked for
    this.fitting = 0; // how many do, without those that are put off
    this.asleep = 0; // how many are put off
    this.counts = new Map(); // likeness -> how many
  }

  // The list

  /** Everything that waits. False where it is older than what is known. `at` is now. */
  snapshot({ v, items, held, otherwise = [], total, live, problem, later = [], assigned = [], escalated = [], shifts, now }, at) {
    let another = false; // another desk than the one that held what is known here
    if (this.v !== null) {
      const [name, number] = parts(v);
      const [known, last] = parts(this.v);
      if (name === known && number < last) return false;
      another = name !== known;
    }
    this.v = v;
    this.closed = false;
    const before = new Map(this.items);
    const heldBefore = another ? [...this.held] : [];
    this.items = new Map(items.map((row) => [row.id, row]));
    this.held = new Map();
    this.undoable = [];
    for (const each of held) this.hold(each, at);
    for (const key of this.outbox.keys()) if (!this.returning.has(key)) this.undoable.push(key);
    const known = new Set([...held.map(({ key }) => key), ...this.outbox.keys()]);
    for (const key of [...this.batches.keys(), ...this.returning]) if (!known.has(key)) this.forget(key);
    this.offset = now === undefined ? 0 : now - at;
    this.later = new Map();
    for (const { id, until } of later) this.putOff(id, until, at);
    this.assigned = new Map();
    for (const each of assigned) this.assign(each);
    this.escalated = new Map(escalated.map((each) => [each.id, each]));
    if (shifts !== undefined) this.shifts = shifts;
    this.total = total;
    this.live = live;
    this.problem = problem || null;
    const endings = new Map();
    for (const { key, row, answer } of otherwise) {
      this.cameOtherwise(key, answer, row);
      if (ENDED.includes(answer.state)) endings.set(answer.id, { ...answer, reason: answer.why, own: false, key });
    }
    for (const [id, { key }] of heldBefore) if (!this.held.has(id)) this.unsure(id, key, before.get(id));
    for (const [id, row] of before) if (!this.items.has(id)) this.ended(endings.get(id) || { id, state: null }, row);
    this.begin();
    return true;
  }

  /** One change. `anew` where changes before it were missed: ask for the whole list; `old` where it was known. */
  change({ v, add = [], gone = [], held = [], back = [], later = [], assigned = [], escalated = [], dismissed = [], shifts, problem, live }, at) {
    if (this.v === null) return "anew";
    const [name, number] = parts(v);
    const [known, last] = parts(this.v);
    if (name !== known || number > last + 1) return "anew";
    if (number <= last) return "old";
    this.v = v;
    for (const row of add) {
      if (!this.items.has(row.id)) this.total += 1;
      this.items.set(row.id, row);
      this.tombs.delete(row.id);
    }
    for (const each of held) this.hold(each, at);
    for (const each of back) this.returned(each);
    if (dismissed.length > 0) this.dismiss(this.notices.filter(({ key }) => dismissed.includes(key)));
    for (const { id, until } of later) this.putOff(id, until, at);
    for (const each of assigned) this.assign(each);
    for (const each of escalated) this.escalated.set(each.id, each);
    if (shifts !== undefined) this.shifts = shifts;
    for (const each of gone) this.ended(each, this.items.get(each.id));
    if (problem !== undefined) this.problem = problem || null;
    if (live !== undefined) this.live = live;
    this.begin();
    return "new";
  }

  hold({ id, key, batch, verdict, left, sending, problem }, at) {
    this.held.set(id, { key, verdict, sending, problem: problem || null, until: at + left });
    this.outbox.delete(key);
    if (batch) this.batches.set(key, batch);
    if (!this.undoable.includes(key) && !this.returning.has(key)) this.undoable.push(key);
  }

  returned({ id, key, why }) {
    if (this.held.get(id)?.key === key) this.held.delete(id);
    this.outbox.delete(key);
    this.forget(key);
    if (why) this.notice(id, `Not decided: ${why}`, "refused", null, null, key);
  }

  /** Whether it was told here what came of this decision. */
  isTold(key) {
    return this.dismissed.has(key) || this.notices.some((notice) => notice.key === key);
  }

  /** What the desk tells of a decision that came otherwise; told here already, it changes nothing. */
  cameOtherwise(key, answer, row) {
    if (this.isTold(key)) return;
    const { id, state, why } = answer;
    this.outbox.delete(key);
    this.forget(key);
    if (ENDED.includes(state)) this.notice(id, "", "conflict", { ...answer, reason: why, own: false, key }, row, key);
    else if (state === null) this.notice(id, "", "unsure", { id, state }, row, key);
    else this.notice(id, `Not decided: ${why || "it does not wait any more"}`, "refused", null, row, key);
  }

  /** Nobody is left who could say what became of a decision. */
  unsure(id, key, row) {
    if (this.isTold(key)) return;
    this.notice(id, "On its way when the session ended", "unsure", null, row, key);
  }

  /** The session has ended, and with it what holds decisions. */
  over() {
    for (const [id, { key }] of this.held) {
      this.forget(key);
      this.unsure(id, key, this.row(id));
    }
    this.held = new Map();
    this.closed = true;
    this.rows = null;
  }

  /** Somebody has read these. Gives the keys of decisions among them. */
  dismiss(notices) {
    this.notices = this.notices.filter((each) => !notices.includes(each));
    const keys = notices.map(({ key }) => key).filter(Boolean);
    for (const key of keys) this.dismissed.add(key);
    return keys;
  }

  ended(ending, row) {
    const { id } = ending;
    const held = this.held.get(id);
    const key = ending.key || held?.key || this.waitsFor(id)?.key;
    const known = this.items.delete(id);
    if (known && this.total > 0) this.total -= 1;
    this.held.delete(id);
    if (key) {
      this.outbox.delete(key);
      this.forget(key);
      // A list without it says neither who ended it nor by which decision.
      if (ending.own) this.notice(id, "", "done", ending, row);
      else if (!this.isTold(key)) this.notice(id, "", ending.state ? "conflict" : "unsure", ending, row, key);
    } else if (this.picked.has(id)) {
      this.notice(id, "", "lost", ending, row);
    }
    this.picked.delete(id);
    this.later.delete(id);
    this.assigned.delete(id);
    this.escalated.delete(id);
    if (id === this.cursor && row) this.tombs.set(id, { row, ending });
  }

  /** Put off until then, by the service's clock; null, or what lies behind, brings it back. */
  putOff(id, until, at) {
    if (until === null || until <= at + this.offset) {
      this.later.delete(id);
    } else {
      this.later.set(id, until);
      this.picked.delete(id);
    }
    this.rows = null;
  }

  /** Somebody takes care of it, by name; `to` of null is nobody in particular. */
  assign({ id, to, own, by, at }) {
    if (to === null) this.assigned.delete(id);
    else this.assigned.set(id, { to, own, by, at });
    this.rows = null;
  }

  /** Whether it is among those that are looked at: one's own, nobody's, or all. */
  belongs(id) {
    if (this.whose === "all" || this.tombs.has(id)) return true;
    const known = this.assigned.get(id);
    return this.whose === "mine" ? Boolean(known?.own) : known === undefined;
  }

  sleeps(id) {
    return this.later.has(id);
  }

  /** Whether something that was put off is due. */
  due(at) {
    for (const until of this.later.values()) if (until <= at + this.offset) return true;
    return false;
  }

  /** Bring back what is due, and give it. */
  wake(at) {
    const due = [...this.later].filter(([, until]) => until <= at + this.offset).map(([id]) => id);
    for (const id of due) this.later.delete(id);
    if (due.length > 0) this.begin();
    return due.filter((id) => this.items.has(id));
  }

  /** What was done is told once; the others stay until somebody dismisses them, however much is done meanwhile. `key` is
   * of the decision that it is about. */
  notice(id, text, kind, ending = null, row = null, key = null) {
    const others = this.notices.filter((each) => each.kind !== "done").slice(0, MOST_NOTICES - 1);
    this.notices = [{ id, text, kind, ending, key, row: row || this.row(id) }, ...others];
  }

  forget(key) {
    this.undoable = this.undoable.filter((each) => each !== key);
    this.batches.delete(key);
    this.returning.delete(key);
  }

  /** The cursor stands nowhere only before the first request: then it goes where it is wanted, else to the top. */
  begin() {
    this.rows = null;
    if (this.cursor !== null) return;
    const rows = this.arranged();
    if (this.wanted !== null) this.cursor = this.wanted;
    else if (rows.length > 0) this.cursor = rows[0].id;
  }

  /** What is asked for by the page around it. */
  look({ order = "newest", agent = null, type = null, search = "", whose = "all" }) {
    this.order = order;
    this.agent = agent;
    this.type = type;
    this.search = search;
    this.whose = whose;
    this.rows = null;
    const rows = this.arranged().filter(({ id }) => this.belongs(id));
    if (this.v !== null && !rows.some((row) => row.id === this.cursor)) this.move(rows.length > 0 ? rows[0].id : null);
  }

  fits(row) {
    if (this.agent !== null && row.agent_id !== this.agent) return false;
    if (this.type !== null && row.type !== this.type) return false;
    const text = this.search.trim().toLowerCase();
    if (!text) return true;
    const said = [row.goal, row.agent, row.type, ...row.systems, ...row.why].join("\n").toLowerCase();
    return text.split(/\s+/).every((word) => said.includes(word) || row.id === word);
  }

  /** The rows as they are shown, tombstones among them. */
  arranged() {
    if (this.rows === null) {
      const by = BY[this.order];
      const chosen = [...this.items.values()].filter((row) => this.fits(row));
      const fitting = chosen.filter(({ id }) => id === this.cursor || this.belongs(id));
      const rows = fitting.filter(({ id }) => this.all || id === this.cursor || !this.sleeps(id));
      for (const { row } of this.tombs.values()) rows.push(row);
      this.rows = rows.sort((one, other) => by(one, other) || same(one, other));
      this.hidden = this.items.size - fitting.length;
      this.fitting = fitting.filter(({ id }) => !this.sleeps(id)).length;
      this.asleep = [...this.later.keys()].filter((id) => this.items.has(id)).length;
      this.counts = new Map();
      for (const { alike, id } of this.items.values()) if (alike && !this.sleeps(id)) this.counts.set(alike, (this.counts.get(alike) || 0) + 1);
    }
    return this.rows;
  }

  /** How many requests are identical to this one, itself included, without those that are put off. */
  count(id) {
    return this.counts.get(this.items.get(id)?.alike) || 1;
  }

  place() {
    return this.arranged().findIndex((row) => row.id === this.cursor);
  }

  row(id) {
    return this.items.get(id) || this.tombs.get(id)?.row || null;
  }

  /** How a row stands: `waits`, `held`, `sending`, `ended`. */
  standing(id) {
    if (this.tombs.has(id)) return "ended";
    const held = this.held.get(id);
    if (held) return held.sending ? "sending" : "held";
    if (this.waitsFor(id)) return "held";
    return this.items.has(id) ? "waits" : "ended";
  }

  verdict(id) {
    return this.held.get(id)?.verdict || this.waitsFor(id)?.verdict || null;
  }

  waitsFor(id) {
    for (const press of this.outbox.values()) if (press.id === id) return press;
    return null;
  }

  alike(id) {
    const alike = this.items.get(id)?.alike;
    if (!alike) return [id];
    const others = [...this.items.values()].filter((row) => row.alike === alike && !this.sleeps(row.id));
    return others.map((row) => row.id);
  }

  // The cursor

  move(id) {
    if (id === this.cursor) return;
    if (this.tombs.delete(this.cursor) || [this.cursor, id].some((each) => this.sleeps(each) || !this.belongs(each))) this.rows = null;
    this.cursor = id;
    this.painted = this.read = null; // coming back is no seeing: what lies between may be on the screen
    this.unread = UNREAD;
    this.moves += 1;
  }

  /** The page has painted this request, and it was seen at this time or before; with its goal and arguments to their end, but for
   * so many that are `hidden`, or not, and `why`. */
  paint(id, at, { why = null, hidden = 0 } = {}) {
    if (this.cursor !== id) return;
    this.painted ??= { id, at };
    if (why === null) this.read ??= { id, at, hidden };
    else this.unread = why;
  }

  // Presses

  /** What a key does. `at` is when it went down, by the clock of `paint`. */
  press(name, at, repeat = false) {
    if (this.closed && !MOVES.includes(name)) return refused("your session has ended; sign in again");
    switch (name) {
      case "next":
        return this.step(1);
      case "previous":
        return this.step(-1);
      case "first":
      case "last": {
        const rows = this.arranged();
        if (rows.length === 0) return refused("nothing waits");
        this.move(rows[name === "first" ? 0 : rows.length - 1].id);
        return did("moved", this.cursor);
      }
      case "undo":
        return repeat ? refused("the key is held down") : this.takeBack();
      case "pick":
        return this.guard(at, repeat, (id) => this.pick(id));
      case "ask":
        return this.guard(at, repeat, (id) => ({ ...did("asks", id), form: { kind: name, ids: [id] } }));
      case "grant":
        return this.guardAllowing(at, repeat, (id) => ({ ...did("asks", id), form: { kind: name, ids: [id], hidden: this.read.hidden } }));
      case "take":
        if (this.picked.size > 0) {
          if (repeat) return refused("the key is held down");
          return { ...did("takes", null), take: { ids: [...this.picked], mine: true } };
        }
        return this.guard(at, repeat, (id) => ({ ...did("takes", id), take: { ids: [id], mine: !this.assigned.get(id)?.own } }));
      case "comment":
        return this.guard(at, repeat, (id) => ({ ...did("asks", id), form: { kind: name, ids: [id] } }), true);
      case "later":
      case "assign":
        if (this.picked.size > 0) {
          if (repeat) return refused("the key is held down");
          return { ...did("asks", null), form: { kind: name, ids: [...this.picked] } };
        }
        return this.guard(at, repeat, (id) => ({ ...did("asks", id), form: { kind: name, ids: [id] } }));
      case "allow":
      case "deny":
      case "more":
        return this.once(name, at, () => this.deciding(name, at, repeat));
      default:
        return refused("no such key");
    }
  }

  /** What decides is done once, however often its key goes down at once. */
  once(name, at, act) {
    const { last } = this;
    if (last?.name === name && at - last.at < TWICE_MS) {
      this.last = { name, at };
      return refused("the same key went down twice at once; that counts once", this.cursor);
    }
    const outcome = act();
    if (outcome.did !== "refused") this.last = { name, at };
    return outcome;
  }

  deciding(name, at, repeat) {
    const verdict = name === "deny" ? name : "allow";
    if (this.picked.size > 0) {
      if (repeat) return refused("the key is held down");
      return { ...did("asks", null), form: { kind: "batch", verdict, ids: [...this.picked] } };
    }
    if (name === "deny") return this.guard(at, repeat, (id) => this.decideAt(id, name));
    return this.guardAllowing(at, repeat, (id) =>
      name === "allow" ? this.decideAt(id, name) : { ...did("asks", id), form: { kind: name, verdict, ids: [id] } },
    );
  }

  /** `ended` where it may be about what waits no longer. */
  guard(at, repeat, act, ended = false) {
    const id = this.cursor;
    if (repeat) return refused("the key is held down", id);
    if (id === null) return refused("nothing waits");
    if (this.painted?.id !== id || this.painted.at > at) {
      return refused("this request was not on the screen yet", id);
    }
    if (!ended && this.standing(id) !== "waits") return refused(STANDS[this.standing(id)], id);
    return act(id);
  }

  /** As `guard`, for what allows, now or in advance: its arguments were seen, too. */
  guardAllowing(at, repeat, act) {
    return this.guard(at, repeat, (id) => {
      if (this.read?.id !== id || this.read.at > at) return refused(this.unread, id);
      return act(id);
    });
  }

  step(by) {
    const rows = this.arranged();
    if (rows.length === 0) return refused("nothing waits");
    const place = this.place();
    const to = place === -1 ? 0 : place + by;
    if (to < 0 || to >= rows.length) return { ...did("end", this.cursor), why: "the list ends here" };
    this.move(rows[to].id);
    return did("moved", this.cursor);
  }

  pick(id) {
    if (this.picked.delete(id)) return did("unpicked", id);
    this.picked.add(id);
    return did("picked", id);
  }

  decideAt(id, verdict) {
    if (verdict === "deny") return { ...did("asks", id), form: { kind: "reason", verdict, ids: [id] } };
    if (this.items.get(id).risk >= HIGH_RISK || this.read.hidden > 0) return { ...did("asks", id), form: { kind: "word", verdict, ids: [id] } };
    const [press] = this.decide([id], { verdict });
    return { ...did("allow", id), press };
  }

  /** Decide on exactly these, and move on from the one that the cursor is on. Gives what is to be sent; those that do
   * not wait any more are left out. */
  decide(ids, { verdict, reason = "", conditions = [], minutes = null, typed = "" }, newKey = randomKey) {
    const presses = [];
    for (const id of ids) {
      if (this.standing(id) !== "waits") continue;
      const press = { key: newKey(), id, verdict, reason, conditions, valid_minutes: minutes, typed };
      this.outbox.set(press.key, press);
      this.undoable.push(press.key);
      this.picked.delete(id);
      presses.push(press);
    }
    for (const press of presses) this.batches.set(press.key, presses[0].key);
    if (presses.some((press) => press.id === this.cursor)) this.advance();
    return presses;
  }

  /** To the next one that waits, else to the nearest before. */
  advance() {
    const rows = this.arranged();
    const place = this.place();
    const near = [...rows.slice(place + 1), ...rows.slice(0, Math.max(0, place)).reverse()];
    const next = near.find((row) => this.standing(row.id) === "waits" && !this.sleeps(row.id));
    if (next) this.move(next.id);
  }

  /** The newest decision that is held, whichever page of the session pressed it, and those that were made with it. */
  takeBack() {
    const key = this.undoable.at(-1);
    if (key === undefined) return refused("nothing is held that could be taken back");
    const id = this.outbox.get(key)?.id ?? this.idOf(key);
    const sending = id !== null && this.held.get(id)?.sending;
    if (sending) return refused("it has left already", id);
    const keys = this.undoneWith(key);
    for (const each of keys) {
      this.forget(each);
      this.returning.add(each);
    }
    return { ...did("undo", id), key, keys };
  }

  /** What is taken back with this decision: those of the same press that have not left. */
  undoneWith(key) {
    const left = new Set([...this.held.values()].filter((each) => each.sending).map((each) => each.key));
    const batch = this.batches.get(key);
    return this.undoable.filter((each) => (each === key || (batch !== undefined && this.batches.get(each) === batch)) && !left.has(each));
  }

  idOf(key) {
    for (const [id, held] of this.held) if (held.key === key) return id;
    return null;
  }

  /** What the server says of presses, by their keys. */
  answered(results, at) {
    for (const [key, answer] of Object.entries(results)) {
      const press = this.outbox.get(key);
      if (!press) continue; // a change has told it before the answer came
      this.outbox.delete(key);
      if (answer.ok && answer.state === "held") {
        this.hold({ id: press.id, key, verdict: press.verdict, left: answer.left ?? 0, sending: false }, at);
      } else if (answer.ok && answer.state === "sending") {
        this.hold({ id: press.id, key, verdict: press.verdict, left: 0, sending: true }, at);
      } else if (answer.ok) {
        if (this.items.has(press.id) && answer.state !== "waiting") {
          this.ended({ ...answer, reason: answer.why, own: true, key }, this.items.get(press.id));
        }
        this.forget(key);
      } else {
        this.forget(key);
        if (ENDED.includes(answer.state)) this.ended({ ...answer, reason: answer.why, own: false, key }, this.row(press.id));
        else if (answer.unsure) this.unsure(press.id, key, this.row(press.id));
        else this.notice(press.id, `Not decided: ${answer.why || "it does not wait any more"}`, "refused", null, null, key);
      }
    }
    this.rows = null;
  }
}

const MOVES = ["next", "previous", "first", "last"];
const ENDED = ["approved", "denied", "expired", "withdrawn"];

const STANDS = {
  held: "you have decided on it already",
  sending: "your decision on it is on its way",
  ended: "it does not wait any more",
};

const did = (what, id) => ({ did: what, id });
const refused = (why, id = null) => ({ did: "refused", id, why });
const randomKey = () => crypto.randomUUID();
