// Where the service is and who is calling: what is given, else the environment, else what is usual.
import { Signer } from "./signer.js";

/** What a client is made of; each is optional. Times are in milliseconds. */
export interface ClientOptions {
  /** ASSENT_BASE_URL, else http://127.0.0.1:8484. */
  baseUrl?: string;
  /** ASSENT_API_KEY. */
  apiKey?: string;
  /** ASSENT_AGENT_ID. */
  agentId?: string;
  /** What people call the agent. */
  agentName?: string;
  /** The agent's private key (PKCS #8, PEM, not encrypted; RSA from 2048 bits on, or Ed25519): actions are then created
   * with its signature, over the RFC 8785 form of what is sent. */
  privateKey?: string;
  /** How long each attempt may take; 30000. The answer to an analysis is waited for two minutes at least. */
  timeout?: number;
  /** Attempts after the first. Readings have 3; what carries an idempotency key as many as `retryFor` has room for. */
  retries?: number;
  /** How long guard, creations, claims, decisions and outcomes are tried again while the service does not answer: 20000,
   * up to 240000. ASSENT_RETRY_SECONDS says it in seconds. */
  retryFor?: number;
  /** An answer need not carry the id of its request. ASSENT_ACCEPT_UNBOUND_ANSWERS=1. */
  acceptUnboundAnswers?: boolean;
  /** Instead of the platform's. */
  fetch?: typeof globalThis.fetch;
  /** Gets the lines meant for a person; console.log. */
  say?: (line: string) => void;
}

export interface Settings {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly agentId: string | undefined;
  readonly agentName: string | undefined;
  readonly signer: Signer | undefined;
  readonly timeout: number;
  readonly retries: number | undefined;
  readonly retryFor: number;
  readonly acceptUnbound: boolean;
  readonly fetch: typeof globalThis.fetch;
  readonly say: (line: string) => void;
}

const LONGEST_RETRY = 240_000;
/** Milliseconds that a timer of the platform can wait; it takes more for none. */
const LONGEST_TIMER = 2 ** 31 - 1;
const ON = ["1", "true", "yes", "on"];
const OFF = ["", "0", "false", "no", "off"];

/** A variable of the environment, undefined where it is empty or where there is none. */
export function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}

/** Throws RangeError and TypeError for what cannot be. */
export function settingsOf(given: ClientOptions): Settings {
  const seconds = variable("ASSENT_RETRY_SECONDS");
  const retryFor = given.retryFor ?? (seconds === undefined ? 20_000 : Number(seconds) * 1000);
  const timeout = given.timeout ?? 30_000;
  const { retries } = given;
  checkTimeout(timeout);
  for (const name of ["baseUrl", "apiKey", "agentId", "agentName", "privateKey"] as const)
    if (!["string", "undefined"].includes(typeof (given[name] ?? undefined))) throw new TypeError(`${name} is no text`);
  if (retries !== undefined && !(Number.isInteger(retries) && retries >= 0))
    throw new RangeError(`retries is ${retries}; give 0 or more`);
  if (!(retryFor >= 0 && retryFor <= LONGEST_RETRY))
    throw new RangeError(`retryFor is ${retryFor} ms; give 0 to ${LONGEST_RETRY}`);
  return {
    baseUrl: address(given.baseUrl ?? variable("ASSENT_BASE_URL") ?? "http://127.0.0.1:8484"),
    apiKey: key(given.apiKey ?? variable("ASSENT_API_KEY")),
    agentId: given.agentId ?? variable("ASSENT_AGENT_ID"),
    agentName: given.agentName,
    signer: given.privateKey === undefined ? undefined : new Signer(given.privateKey),
    timeout,
    retries,
    retryFor,
    acceptUnbound: given.acceptUnboundAnswers ?? isOn("ASSENT_ACCEPT_UNBOUND_ANSWERS"),
    fetch: given.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    say: given.say ?? ((line) => console.log(line)),
  };
}

/** Throws RangeError for what no attempt can be waited for. */
export function checkTimeout(timeout: number): void {
  if (!(timeout > 0 && timeout <= LONGEST_TIMER))
    throw new RangeError(`timeout is ${timeout}; give milliseconds above 0, up to ${LONGEST_TIMER}`);
}

function address(text: string): string {
  const given = text.trim().replace(/\/+$/, "");
  let parts: URL | undefined;
  try {
    parts = new URL(given);
  } catch {
    // told below
  }
  const usable =
    parts !== undefined && /^https?:$/.test(parts.protocol) && !parts.search && !parts.hash && !parts.username && !parts.password;
  if (!usable || /\s/.test(given))
    throw new TypeError(`baseUrl is no address of a service; give http or https, a host and a port, without user name or query`);
  return given;
}

function key(text: string | undefined): string | undefined {
  // A key read from a file ends with a newline more often than not. The message must not show the key.
  const found = (text ?? "").trim();
  if (!/^[!-~]*$/.test(found))
    throw new TypeError("apiKey holds a space, a line break or a letter outside ASCII; copy the key again, alone");
  return found || undefined;
}

function isOn(name: string): boolean {
  const text = (variable(name) ?? "").trim().toLowerCase();
  if (![...ON, ...OFF].includes(text)) throw new TypeError(`${name} is ${JSON.stringify(text.slice(0, 40))}; give 1 or 0`);
  return ON.includes(text);
}
