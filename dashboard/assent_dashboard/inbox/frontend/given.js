// The exact arguments of the requests in sight, which never change: asked for as soon as a row is drawn, so that they stand
// beside the list when the cursor comes there.

const KEPT = 400; // so many requests' arguments
const AT_ONCE = 32; // are asked for with one question
const AGAIN_MS = 2000; // and again after so long where no answer came

export class Given {
  /** `ask(ids)` gives the arguments by id, `came()` is told that some are there. `clock` gives milliseconds. */
  constructor(ask, came, clock = () => performance.now()) {
    Object.assign(this, { ask, came, clock });
    this.known = new Map(); // id -> {goal, lines: pairs of name and value, hidden: how many are not shown whole, alike}
    this.asked = new Map(); // id -> when
    this.going = false;
  }

  /** Null where they are not known. */
  of(id) {
    return this.known.get(id) || null;
  }

  /** These are in sight, what matters most first. One question is on its way at a time. */
  async want(ids) {
    if (this.going) return;
    const now = this.clock();
    const lacking = [...new Set(ids)].filter((id) => !this.known.has(id) && !(now - this.asked.get(id) < AGAIN_MS));
    if (lacking.length === 0) return;
    const batch = lacking.slice(0, AT_ONCE);
    for (const id of batch) this.asked.set(id, now);
    this.going = true;
    try {
      for (const [id, found] of Object.entries(await this.ask(batch))) {
        this.known.set(id, found);
        this.asked.delete(id);
      }
      for (const oldest of this.known.keys()) {
        if (this.known.size <= KEPT) break;
        this.known.delete(oldest);
      }
    } catch {
      // Asked again by a later look; until then nothing is allowed that nobody has seen.
    }
    this.going = false;
    for (const [id, at] of this.asked) if (this.clock() - at >= AGAIN_MS) this.asked.delete(id);
    this.came();
  }
}
