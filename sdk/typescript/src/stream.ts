// The event stream: read as the WHATWG HTML standard says (section 9.2.6), followed across drops without gap or repeat,
// and shared by all waits of a client.
//
// What was delivered decides where to go on: a new stream asks for what came after the last event handed out (the header
// Last-Event-ID), and an event that was handed out already is skipped. Before the first event the service's own word
// counts: `connected` and `reset` name the event after which to go on. An event whose frame cannot be read is not passed over:
// the stream is opened anew after the last one that was handed out, and ends with an error where it comes no better.
import { ApiError, ConnectionFailed, ServerError, Unavailable } from "./errors.js";
import { withoutKey } from "./redaction.js";
import { refusal } from "./refusal.js";
import type { Settings } from "./settings.js";
import { asked, bare, checkBound, failure, freshId, headersOf, pause, sleep, unreadable } from "./transport.js";
import type { Event } from "./types.js";

/** One dispatched message of a stream. */
export interface Message {
  readonly event: string;
  readonly data: string;
  readonly id: string;
  /** Whether the id is its own; it is the one of a message before otherwise. */
  readonly numbered: boolean;
}

/** Without a byte for so long a stream is dead; the service beats every 15 seconds. */
const SILENCE = 20_000;
const LONGEST_RECONNECTION = 30_000;
/** Characters of one event; more is no event stream of ours. */
const LARGEST = 16_000_000;
const RETRIES = 3;

/** Feed it texts as they come, split anywhere. */
export class Parser {
  /** Milliseconds that the service asks for before a reconnection. */
  retry: number | undefined;
  #rest = "";
  #event = "";
  #data: string[] = [];
  #size = 0;
  #id = "";
  #numbered = false;

  feed(text: string): Message[] {
    const found: Message[] = [];
    let rest = this.#rest + text;
    for (;;) {
      const end = rest.search(/[\r\n]/);
      // A CR at the end may be half of a line's end.
      if (end < 0 || (rest[end] === "\r" && end === rest.length - 1)) break;
      const line = rest.slice(0, end);
      rest = rest.slice(end + (rest.startsWith("\r\n", end) ? 2 : 1));
      const message = this.#line(line);
      if (message !== undefined) found.push(message);
    }
    this.#rest = rest;
    if (this.#size + rest.length > LARGEST) throw new RangeError(`an event of more than ${LARGEST} characters`);
    return found;
  }

  #line(line: string): Message | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") {
      this.#data.push(value);
      this.#size += line.length;
    } else if (name === "event") this.#event = value;
    else if (name === "id" && !value.includes("\0")) {
      this.#id = value;
      this.#numbered = true;
    } else if (name === "retry" && /^\d{1,9}$/.test(value)) this.retry = Number(value);
    return undefined;
  }

  #dispatch(): Message | undefined {
    const message = { event: this.#event || "message", data: this.#data.join("\n"), id: this.#id, numbered: this.#numbered };
    const some = this.#data.length > 0;
    this.#event = "";
    this.#data = [];
    this.#size = 0;
    this.#numbered = false;
    return some ? message : undefined;
  }
}

interface Query {
  types?: string | undefined;
  agent_id?: string | undefined;
}

/** One stream, until it ends; the first item is undefined: it is open. Throws where there is none, and nothing where it
 * was cut. */
async function* listened(
  settings: Settings,
  query: Query,
  lastEventId: number | undefined,
  parser: Parser,
  signal: AbortSignal,
): AsyncGenerator<Message | undefined, void, undefined> {
  const url = `${settings.baseUrl}/api/stream${asked(query as Record<string, unknown>)}`;
  const id = freshId();
  const headers: Record<string, string> = { ...headersOf(settings), accept: "text/event-stream", "cache-control": "no-cache", "x-request-id": id };
  if (lastEventId !== undefined) headers["last-event-id"] = String(lastEventId);
  const silent = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = (within: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(), within);
  };
  const both = AbortSignal.any([signal, silent.signal]);
  try {
    let reader: ReadableStreamDefaultReader<Uint8Array>;
    const opening = Math.min(settings.timeout, SILENCE);
    try {
      heard(opening);
      const response = await settings.fetch(url, { headers, redirect: "manual", signal: both });
      await checkBound(response, id, settings, url, false);
      if (response.status !== 200 || !(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
        const data = new Uint8Array(await response.arrayBuffer());
        if (response.status !== 200) throw refusal(settings, response, data, url);
        throw unreadable(200, `${bare(url)} answered with something that is no event stream`);
      }
      if (response.body === null) return;
      reader = response.body.getReader();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof ApiError || error instanceof ConnectionFailed) throw error;
      throw failure(error, url, false, silent.signal.aborted, opening);
    }
    yield undefined;
    const decoder = new TextDecoder();
    try {
      for (;;) {
        heard(SILENCE);
        const { done, value } = await reader.read();
        if (done) return;
        for (const message of parser.feed(decoder.decode(value, { stream: true }))) yield message;
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof RangeError) throw unreadable(200, error.message);
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  } finally {
    clearTimeout(timer);
    silent.abort();
  }
}

export function contents(message: Message): Record<string, unknown> | undefined {
  try {
    const found: unknown = JSON.parse(message.data);
    return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

export interface EventsOptions {
  /** The events wanted: a list of names, or text with commas. */
  types?: string | readonly string[];
  agentId?: string;
  /** Start after this event; 0 is the very beginning, without it what happens from now on. */
  lastEventId?: number;
  signal?: AbortSignal;
}

/** What is recorded, as it is recorded. Ends only with an error: of the first connection after the client's retries, when
 * the key is refused, or (ServerError) when an event cannot be read twice. */
export async function* events(settings: Settings, options: EventsOptions): AsyncGenerator<Event, void, undefined> {
  const query: Query = {
    types: options.types === undefined ? undefined : [options.types].flat().join(","),
    agent_id: options.agentId,
  };
  const own = new AbortController();
  const signal = options.signal === undefined ? own.signal : AbortSignal.any([own.signal, options.signal]);
  let last = options.lastEventId;
  let connected = false;
  let failures = 0;
  /** After which event a frame could not be read. */
  let stuck: number | undefined;
  try {
    for (;;) {
      const parser = new Parser();
      let wanted: number | undefined;
      let newest = -1;
      let spoiled: Message | undefined;
      try {
        for await (const message of listened(settings, query, last, parser, signal)) {
          if (message === undefined) {
            connected = true;
            continue;
          }
          failures = 0;
          const data = contents(message);
          if (message.event === "connected" || message.event === "reset") {
            const point = data?.["last_event_id"];
            if (last === undefined && Number.isSafeInteger(point)) last = point as number;
            continue;
          }
          const id = message.numbered && /^\d{1,16}$/.test(message.id) ? Number(message.id) : undefined;
          const known = id !== undefined && id >= newest && last !== undefined && id <= last;
          newest = id ?? newest;
          if (known) continue;
          if (data === undefined || id === undefined || id <= (last ?? -1)) {
            spoiled = message;
            break;
          }
          last = id;
          yield { id, event: message.event, data };
        }
      } catch (error) {
        const passing = error instanceof ConnectionFailed ? error.passing : error instanceof Unavailable;
        const more = connected || failures < (settings.retries ?? RETRIES);
        if (!(passing && more) && !(connected && error instanceof ServerError)) throw withoutKey(error, settings.apiKey);
        wanted = error instanceof ApiError ? error.retryAfter : undefined;
      }
      if (spoiled !== undefined) {
        const after = last ?? -1;
        if (stuck === after) throw unreadable(200, unread(settings, last, spoiled));
        stuck = after;
      }
      wanted = Math.min(Math.max(parser.retry ?? 0, wanted ?? 0), LONGEST_RECONNECTION);
      await sleep(pause(failures++, wanted, Math.random()) ?? LONGEST_RECONNECTION, signal);
    }
  } finally {
    own.abort();
  }
}

function unread(settings: Settings, last: number | undefined, { id, data }: Message): string {
  const behind = last === undefined ? "" : ` behind ${last}`;
  return `${bare(settings.baseUrl)}/api/stream sent an event${behind} that cannot be read, twice: its id is ${JSON.stringify(id)}, it begins ${JSON.stringify(data.slice(0, 80))}`;
}

/** The one stream of all waits of a client: it is open while somebody waits, and wakes who waits for what a message is
 * about. */
export class Waits {
  readonly #settings: Settings;
  readonly #waiting = new Set<{ about: string; wake: () => void }>();
  #stop: AbortController | undefined;
  #streaming = false;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Whether changes are told of by themselves. */
  get streaming(): boolean {
    return this.#streaming;
  }

  /** Has `wake` called whenever the state of what `about` names may have changed; ends with the function it returns. */
  join(about: string, wake: () => void): () => void {
    const waiter = { about, wake };
    this.#waiting.add(waiter);
    if (this.#stop === undefined) {
      this.#stop = new AbortController();
      void this.#follow(this.#stop.signal);
    }
    return () => {
      this.#waiting.delete(waiter);
      if (this.#waiting.size > 0) return;
      this.#stop?.abort();
      this.#stop = undefined;
      this.#streaming = false;
    };
  }

  /** Reads streams until nobody waits any more; a failure only means that there is none for a while. */
  async #follow(signal: AbortSignal): Promise<void> {
    const types = "action.updated,approval.decided,approval.expired,approval.withdrawn,pairing.updated";
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        for await (const message of listened(this.#settings, { types }, undefined, new Parser(), signal)) {
          if (message === undefined) continue;
          failures = 0;
          const whole = message.event === "connected" || message.event === "reset";
          this.#streaming = true;
          const text = whole ? "" : message.data;
          for (const waiter of this.#waiting) if (whole || text.includes(waiter.about)) waiter.wake();
        }
      } catch {
        // whoever waits reads the state by itself meanwhile, and hears there what is wrong
      }
      if (signal.aborted) return;
      this.#streaming = false;
      for (const waiter of this.#waiting) waiter.wake();
      await sleep(pause(failures, undefined, Math.random()) ?? LONGEST_RECONNECTION, signal).catch(() => undefined);
    }
  }
}
