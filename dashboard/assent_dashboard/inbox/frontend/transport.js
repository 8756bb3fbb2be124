// How the inbox's page speaks to the dashboard: the whole list, then every change, and decisions that are sent until they
// are answered. A decision keeps its key, so that sending it again is the same decision.

const KEPT_ALIVE = 32 * 1024;
const AGAIN_MS = [500, 1000, 2000, 4000];
const deskOf = (v) => v.slice(0, v.lastIndexOf("-"));
/** The error of a dashboard that answers that the service does not. */
const silence = async (answer) => Object.assign(new Error((await answer.json()).why), { away: answer.status === 503 });
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class Transport {
  /** `heard` has snapshot(whole), change(one) (which says `anew` where some were missed), answered(results),
   * state(word): `live`, `away` where the dashboard answers and the service does not, `lost`, `over`. */
  constructor(heard) {
    this.heard = heard;
    this.source = null;
    this.closed = false;
    this.sending = new Map(); // key -> promise of its answer
    this.run = 0;
    this.v = null; // the change that was heard last
  }

  /** The whole list, and what follows. With `goOn` what follows is told from the change that was heard last, if the same
   * desk still answers: only changes say who ended what, and by which decision. */
  async connect(goOn = false) {
    const run = ++this.run;
    this.source?.close();
    for (let tries = 0; !this.closed && run === this.run; tries += 1) {
      try {
        const answer = await fetch("/inbox/waiting", { headers: { accept: "application/json" } });
        if (answer.status === 401) return this.end();
        if (!answer.ok) throw await silence(answer);
        const whole = await answer.json();
        if (this.closed || run !== this.run) return;
        if (goOn && this.v !== null && deskOf(this.v) === deskOf(whole.v)) return this.follow(this.v, run);
        this.heard.snapshot(whole);
        this.follow(whole.v, run);
        return;
      } catch (error) {
        this.heard.state(error.away ? "away" : "lost");
        await pause(AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)]);
      }
    }
  }

  follow(v, run) {
    const source = new EventSource(`/inbox/changes?after=${encodeURIComponent(v)}`);
    this.source = source;
    this.v = v;
    source.onopen = () => this.heard.state("live");
    source.addEventListener("change", (event) => {
      if (run !== this.run) return;
      const change = JSON.parse(event.data);
      this.v = change.v;
      if (this.heard.change(change) === "anew") this.connect();
    });
    source.addEventListener("anew", () => run === this.run && this.connect());
    source.addEventListener("over", () => this.end());
    source.onerror = () => {
      if (this.closed || run !== this.run) return;
      this.heard.state("lost");
      if (source.readyState === EventSource.CLOSED) pause(AGAIN_MS[1]).then(() => run === this.run && this.connect(true));
    };
  }

  end() {
    this.source?.close();
    this.run += 1;
    this.heard.state("over");
  }

  decide(presses) {
    if (presses.length === 0) return;
    const answer = this.post("/inbox/decisions", { decisions: presses });
    for (const press of presses) this.sending.set(press.key, answer);
    answer.then((results) => {
      for (const press of presses) this.sending.delete(press.key);
      this.heard.answered(results);
    });
  }

  /** After the decision itself was answered: it has to be there before it can be taken back. */
  async undo(keys) {
    await Promise.all(keys.map((key) => this.sending.get(key)));
    return this.post("/inbox/undo", { keys });
  }

  /** What came otherwise of these decisions was read. */
  dismiss(keys) {
    if (keys.length > 0) this.post("/inbox/dismissals", { keys });
  }

  /** Sent until somebody answers. */
  async post(path, body) {
    const text = JSON.stringify(body);
    const keys = body.keys || body.decisions.map((press) => press.key);
    const refusal = (why, unsure = false) => Object.fromEntries(keys.map((key) => [key, { ok: false, state: "refused", why, unsure }]));
    for (let tries = 0; ; tries += 1) {
      try {
        const answer = await fetch(path, {
          method: "POST",
          headers: { "content-type": "application/json", accept: "application/json" },
          body: text,
          keepalive: text.length < KEPT_ALIVE, // a tab that is closed now has still sent it
        });
        if (answer.status === 401) {
          this.end();
          // What was sent before, and not answered, may have been taken.
          return refusal("your session has ended; sign in again", tries > 0);
        }
        if (answer.ok) {
          if (this.source?.readyState === EventSource.OPEN) this.heard.state("live");
          return (await answer.json()).results;
        }
        if (answer.status < 500) return refusal((await answer.json()).why);
        throw await silence(answer);
      } catch (error) {
        this.heard.state(error.away ? "away" : "lost");
        await pause(AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)]);
      }
    }
  }

  /** What is said once, and again only by whoever says it: gives the answer, or {ok: false, why}. Without a body it is
   * asked for. */
  async say(path, body) {
    const asks = body === undefined;
    const sent = asks ? {} : { method: "POST", body: JSON.stringify(body) };
    const headers = { accept: "application/json", ...(asks ? {} : { "content-type": "application/json" }) };
    try {
      const answer = await fetch(path, { ...sent, headers });
      if (answer.status === 401) {
        this.end();
        return { ok: false, why: "Your session has ended. Your words are kept; sign in again in another tab, and come back." };
      }
      const told = await answer.json();
      return answer.ok ? told : { ok: false, why: told.why };
    } catch {
      return { ok: false, why: "The dashboard does not answer just now. Your words are kept; saying them again is safe." };
    }
  }

  behind(id) {
    return this.asked(`/inbox/requests/${encodeURIComponent(id)}`);
  }

  /** The exact arguments of requests that wait: pairs of name and value, by their ids. */
  async given(ids) {
    return (await this.asked(`/inbox/arguments?ids=${ids.map(encodeURIComponent).join(",")}`)).arguments;
  }

  async asked(path) {
    const answer = await fetch(path, { headers: { accept: "application/json" } });
    if (answer.status === 401) {
      this.end();
      throw new Error("your session has ended");
    }
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.why);
    return told;
  }

  /** For the rest of the page's life. */
  close() {
    this.closed = true;
    this.run += 1;
    this.source?.close();
  }
}
