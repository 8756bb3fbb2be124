// One call: sent, bound to its answer, tried again where that is without harm, and read.
//
// Only what did not get through is tried again: no connection, no answer in time, another request's answer, a 503, or a
// proxy's 502 or 504. Only calls that may happen twice without harm are: GET, PUT and DELETE, as often as `retries` says
// (3 unless told otherwise), and those that carry an idempotency key, for `retryFor`. The pause doubles from a quarter of
// a second up to eight and is drawn from its upper half; a longer Retry-After is honoured, up to a minute. An analysis is
// not sent again where no answer came in time: the service is still at work on the first.
//
// Each attempt carries an id of its own, which the service answers with. What carries another id is the answer to another
// question: it is thrown away unread. A success that carries none is refused, unless the client was told to accept that.
//
// An outcome is lost unless the service itself has answered it, with its record or with a problem of its own type: what
// something in between answers, with whatever status, is neither.
import { ApiError, AssentError, ConnectionFailed, isOfService, OutcomeLost, ServerError, Unavailable, UnboundAnswer } from "./errors.js";
import { joined } from "./proof/canonical.js";
import { withoutKey } from "./redaction.js";
import { checkTimeout, type Settings } from "./settings.js";
import type { DownloadedFile } from "./types.js";

export interface Call {
  readonly operation: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
  /** Makes it repeatable, for `retryFor`. */
  readonly key?: string | undefined;
  /** Repeatable without a key of its own. */
  readonly idempotent?: boolean;
  readonly analysis?: boolean;
  readonly file?: boolean;
  /** The action whose outcome this is. */
  readonly outcomeOf?: string | undefined;
  readonly timeout?: number | undefined;
  /** Milliseconds for all attempts together. */
  readonly within?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const REQUEST_ID = "x-request-id";
const RETRIES = 3;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 8000;
const PATIENCE = 60_000;
const SHORTEST_RETRY = 1000;
const ANALYSIS = 120_000;
/** Bytes of an answer that is no file. */
const LARGEST = 64 * 2 ** 20;
/** What operations answer with, where they do what they were asked to do. */
const SUCCESSES = [200, 201, 202];
const REPEATABLE = ["GET", "HEAD", "PUT", "DELETE"];
/** What a call runs by. */
const LETS_RUN = ["guard", "createAction", "getAction", "claimAction"];
/** Codes of failures before anything was sent, and the words for ports that fetch refuses by itself. */
const UNSENT = ["bad port", "ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT", "ConnectionRefused"];

/** Milliseconds after attempt number `attempt` (from 0); undefined when the service asks for too long a wait. */
export function pause(attempt: number, retryAfter: number | undefined, chance: number): number | undefined {
  if (retryAfter !== undefined && retryAfter > PATIENCE) return undefined;
  const backoff = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(attempt, 30)) * (0.5 + chance / 2);
  return Math.max(backoff, retryAfter ?? 0);
}

/** Waits; rejects with the signal's reason. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** 128 random bits in hex. */
export function freshId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function headersOf(settings: Settings): Record<string, string> {
  const headers: Record<string, string> = { accept: "application/json", prefer: "handling=strict", "user-agent": "assent-node/0.1.0" };
  if (settings.apiKey !== undefined) headers["x-api-key"] = settings.apiKey;
  return headers;
}

/** The operation's answer, or its error, in which the client's key does not stand. */
export async function exchange(settings: Settings, call: Call): Promise<unknown> {
  try {
    return await attempts(settings, call);
  } catch (error) {
    throw call.signal?.aborted && error === call.signal.reason ? error : withoutKey(error, settings.apiKey);
  }
}

async function attempts(settings: Settings, call: Call): Promise<unknown> {
  if (call.timeout !== undefined) checkTimeout(call.timeout);
  const url = settings.baseUrl + call.path;
  const headers = headersOf(settings);
  const body = call.body === undefined ? undefined : encoded(call.body);
  if (body !== undefined) headers["content-type"] = "application/json";
  if (call.key !== undefined) headers["idempotency-key"] = headerText(call.key);
  const repeatable = call.key !== undefined || call.idempotent === true;
  const began = performance.now();
  let timeout = Math.min(call.timeout ?? settings.timeout, call.within ?? Infinity);
  for (let attempt = 0; ; attempt++) {
    try {
      return await attemptOnce(settings, call, url, headers, body, call.analysis ? Math.max(timeout, ANALYSIS) : timeout);
    } catch (error) {
      const wait = error instanceof ApiError ? error.retryAfter : undefined;
      const milliseconds = mayBeRepeated(error, call) ? pause(attempt, wait, Math.random()) : undefined;
      const spent = performance.now() - began + (milliseconds ?? 0);
      const again = repeatable
        ? (settings.retries === undefined || attempt < settings.retries) && spent < settings.retryFor
        : REPEATABLE.includes(call.method) && attempt < (settings.retries ?? RETRIES);
      if (milliseconds === undefined || !again || spent >= (call.within ?? Infinity)) throw lost(error, call);
      await sleep(milliseconds, call.signal);
      if (repeatable) timeout = Math.min(timeout, Math.max(SHORTEST_RETRY, settings.retryFor - spent));
      if (call.within !== undefined) timeout = Math.min(timeout, Math.max(1, call.within - spent));
    }
  }
}

function mayBeRepeated(error: unknown, call: Call): boolean {
  if (error instanceof ConnectionFailed) return error.passing && !(call.analysis === true && error.late);
  if (!(error instanceof ApiError)) return false;
  return error instanceof Unavailable || error.status === 502 || (error.status === 504 && call.analysis !== true);
}

/** An outcome of which nobody can tell that it arrived, said so. */
function lost(error: unknown, call: Call): unknown {
  if (call.outcomeOf === undefined) return error;
  if (error instanceof ConnectionFailed) return new OutcomeLost(call.outcomeOf, error, { cause: error });
  if (!(error instanceof ApiError) || (isOfService(error) && !mayBeRepeated(error, call))) return error;
  return new OutcomeLost(call.outcomeOf, { url: call.path, reason: error.detail, uncertain: !isOfService(error) }, { cause: error });
}

async function attemptOnce(
  settings: Settings,
  call: Call,
  url: string,
  headers: Record<string, string>,
  body: string | undefined,
  timeout: number,
): Promise<unknown> {
  const asked = freshId();
  const late = AbortSignal.timeout(Math.ceil(timeout));
  const signal = call.signal === undefined ? late : AbortSignal.any([late, call.signal]);
  const uncertain = call.method !== "GET";
  let response: Response;
  let data: Uint8Array;
  try {
    response = await settings.fetch(url, {
      method: call.method,
      headers: { ...headers, [REQUEST_ID]: asked },
      body: body ?? null,
      redirect: "manual",
      signal,
    });
    await checkBound(response, asked, settings, url, uncertain);
    data = await bytesOf(response, url, call.file === true ? Infinity : LARGEST);
  } catch (error) {
    if (error instanceof AssentError) throw error;
    if (call.signal?.aborted) throw call.signal.reason;
    throw failure(error, url, uncertain, late.aborted, timeout);
  }
  const problem = (response.headers.get("content-type") ?? "").startsWith("application/problem+json");
  if (!response.ok || problem) throw (await import("./refusal.js")).refusal(settings, response, data, url);
  const found = read(call, response, data, url);
  const { outcomeOf } = call;
  if (outcomeOf !== undefined || LETS_RUN.includes(call.operation)) (await import("./reading.js")).checkReading(call, response, data, found as object, bare(url));
  return found;
}

/** Throws ServerError for more bytes than that. */
async function bytesOf(response: Response, url: string, most: number): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  for (let size = 0; reader !== undefined; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    if (size <= most) continue;
    await reader.cancel().catch(() => undefined);
    throw unreadable(response.status, `${bare(url)} answered with more than ${most} bytes`);
  }
  return joined(parts);
}

/** The answer is not what the operation answers with. */
export function unreadable(status: number, detail: string): ServerError {
  return new ServerError({ status, code: "unreadable_answer", detail });
}

/** What a transport error means. Only a connection that never came about proves that nothing arrived. */
export function failure(error: unknown, url: string, uncertain: boolean, late: boolean, timeout: number): ConnectionFailed {
  const options = { cause: error };
  const place = bare(url);
  if (late)
    return new ConnectionFailed({ url: place, reason: `no answer within ${timeout / 1000} s`, uncertain, late }, undefined, options);
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  const code = cause?.code ?? (error as { code?: string }).code;
  const reason = cause?.message || (error instanceof Error ? error.message : String(error));
  const arrived = uncertain && !UNSENT.includes(code ?? reason);
  return new ConnectionFailed({ url: place, reason: code && !reason.includes(code) ? `${code} ${reason}` : reason, uncertain: arrived }, undefined, options);
}

/** Throws UnboundAnswer for an answer that carries another request's id, and for a success that carries none where it has
 * to. A refusal that carries none stays what it is: nothing is let through by it. */
export async function checkBound(response: Response, asked: string, settings: Settings, url: string, uncertain: boolean): Promise<void> {
  const answered = response.headers.get(REQUEST_ID) ?? undefined;
  if (answered === undefined) {
    if (settings.acceptUnbound || !response.ok) return;
  } else if (answered.split(",").some((each) => each.trim() === asked)) return;
  // Who threw it away does not care how that went.
  await response.body?.cancel().catch(() => undefined);
  throw new UnboundAnswer(bare(url), answered, uncertain);
}

function read(call: Call, response: Response, data: Uint8Array, url: string): unknown {
  const content = response.headers.get("content-type") ?? "";
  if (!SUCCESSES.includes(response.status)) throw unreadable(response.status, `${bare(url)} answered ${call.operation} with ${response.status}, which is no answer of it`);
  if (call.file === true && !content.startsWith("text/html"))
    return { data, filename: filename(response), mimeType: content } satisfies DownloadedFile;
  try {
    if (call.file === true) throw new SyntaxError("a page");
    const found: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data));
    if (typeof found !== "object" || found === null) throw new SyntaxError(`${found === null ? "null" : typeof found} is no record`);
    return found;
  } catch (error) {
    throw unreadable(response.status, `${bare(url)} answered ${call.operation} with something that cannot be read: ${(error as Error).message}`);
  }
}

function filename(response: Response): string {
  const given = response.headers.get("content-disposition") ?? "";
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(given)?.[1];
  if (extended !== undefined) {
    try {
      return decodeURIComponent(extended);
    } catch {
      // the plain one then
    }
  }
  return /filename="?([^";]+)"?/i.exec(given)?.[1] ?? "attachment";
}

/** The address without a query, fit for messages. */
export function bare(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? url;
}

/** A path with its `{names}` filled in, each as one segment. */
export function filled(template: string, values: readonly unknown[]): string {
  let at = 0;
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[at++];
    if (typeof value !== "string") throw new TypeError(`${name} is ${String(value)}; give the id as text`);
    if (["", ".", ".."].includes(value))
      throw new TypeError(`${name} is ${JSON.stringify(value)}, which is no id; take it from the answer that created it`);
    return encodeURIComponent(value);
  });
}

/** A query with its question mark, or nothing. Names may be in camel case. */
export function asked(query: Readonly<Record<string, unknown>> = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) given.set(snake(name), value instanceof Date ? value.toISOString() : String(value));
  const text = given.toString();
  return text && `?${text}`;
}

export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The body as JSON. Throws RangeError for NaN and infinity, which would arrive as null. */
export function encoded(body: unknown): string {
  return JSON.stringify(body, (name, value: unknown) => {
    if (typeof value === "number" && !Number.isFinite(value))
      throw new RangeError(`${name} is ${value}, which JSON cannot say; give a number or leave it out`);
    return value;
  });
}

function headerText(key: string): string {
  if (!/^[ -~]{1,255}$/.test(key)) throw new TypeError("idempotencyKey is not 1 to 255 printable ASCII characters");
  return key;
}
