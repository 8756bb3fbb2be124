// JSON read strictly, for who verifies: one text, one reading.

import { isWellFormed, JsonError, MAX_DEPTH } from "./canonical.js";

const SPACES = " \t\n\r";
/** Of objects that were parsed here: the members whose number was spelled with a fraction or an exponent. */
const SPELLED = new WeakMap<object, Set<string>>();

function noted(members: object, name: string): void {
  const names = SPELLED.get(members) ?? new Set();
  SPELLED.set(members, names.add(name));
}

/** Whether a member is a whole number, spelled as a JSON integer: `0.0` and `2E+0` are none. */
export function isWhole(members: Readonly<Record<string, unknown>>, name: string): boolean {
  return Number.isSafeInteger(members[name]) && SPELLED.get(members)?.has(name) !== true;
}

/** Characters of a text, as Python counts them: one for two halves of a surrogate pair. */
export function characters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count--;
  return count;
}

interface Limits {
  /** Containers inside one another. */
  depth?: number;
  /** Commas and opening brackets outside texts. */
  most?: number;
}

/** JSON as everybody reads it alike. Refused, beside what is no JSON (RFC 8259): a name that stands twice in one object,
 * integers beyond 2**53 - 1, numbers that no double holds, lone surrogates, too many nested containers or values, bytes
 * that are not UTF-8, a byte order mark, and text behind the value. Throws JsonError. */
export function parseStrict(given: string | Uint8Array, { depth = MAX_DEPTH, most = Infinity }: Limits = {}): unknown {
  const text = typeof given === "string" ? given : decoded(given);
  if (!isWellFormed(text)) throw new JsonError("a lone surrogate, which has no UTF-8 form");
  const word = /true|false|null/y;
  const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
  let at = 0;
  let parts = 0;

  // Character by character: an expression that repeats an alternative keeps a place of the stack for each repetition.
  const skip = () => {
    while (SPACES.includes(text[at] ?? "x")) at++;
  };
  const digits = (): number => {
    const from = at;
    for (let code = text.charCodeAt(at); code >= 48 && code <= 57; code = text.charCodeAt(at)) at++;
    return at - from;
  };
  const wrong = (): JsonError => new JsonError(`no JSON at character ${at}`);
  const part = () => {
    if (++parts > most) throw new JsonError(`it holds more than ${most} values; no more are read`);
  };
  const textAt = (): string => {
    if (text[at] !== '"') throw wrong();
    let end = at + 1;
    for (let code = text.charCodeAt(end); code !== 34; code = text.charCodeAt(end)) {
      if (code === 92) {
        escape.lastIndex = end;
        if (!escape.test(text)) throw wrong();
        end = escape.lastIndex;
      } else if (code >= 32) end++;
      else throw wrong(); // a control character, or the end
    }
    const found = JSON.parse(text.slice(at, end + 1)) as string;
    at = end + 1;
    if (!isWellFormed(found)) throw new JsonError("a lone surrogate, which has no UTF-8 form");
    return found;
  };
  const next = (closing: string): boolean => {
    skip();
    if (text[at] === closing) {
      at++;
      return false;
    }
    if (text[at] !== ",") throw wrong();
    at++;
    part();
    skip();
    return true;
  };
  /** The number that begins here, and whether it is an integer as it is spelled. */
  const numberAt = (): [number, boolean] => {
    const from = at;
    if (text[at] === "-") at++;
    const leading = text[at] === "0";
    const whole = digits();
    if (whole === 0 || (leading && whole > 1)) throw wrong();
    const end = at;
    if (text[at] === ".") {
      at++;
      if (digits() === 0) throw wrong();
    }
    if (text[at] === "e" || text[at] === "E") {
      at++;
      if (text[at] === "+" || text[at] === "-") at++;
      if (digits() === 0) throw wrong();
    }
    return [Number(text.slice(from, at)), at === end];
  };
  /** A value; one that is a number spelled as no integer is noted with what holds it. */
  const value = (room: number, note?: () => void): unknown => {
    const first = text[at];
    if (first === '"') return textAt();
    if (first === "{" || first === "[") {
      if (room === 0) throw new JsonError(`nested deeper than ${depth} containers`);
      part();
      at++;
      skip();
      return first === "[" ? list(room - 1) : object(room - 1);
    }
    word.lastIndex = at;
    const found = word.exec(text);
    if (found !== null) {
      at = word.lastIndex;
      return JSON.parse(found[0]) as unknown;
    }
    const [number, whole] = numberAt();
    if (!Number.isFinite(number)) throw new JsonError("a number that no double holds");
    if (whole && !Number.isSafeInteger(number)) throw new JsonError("an integer beyond ±(2**53 - 1)");
    if (!whole) note?.();
    return number;
  };
  const list = (room: number): unknown[] => {
    const items: unknown[] = [];
    if (text[at] === "]") at++;
    else
      do items.push(value(room));
      while (next("]"));
    return items;
  };
  const object = (room: number): Record<string, unknown> => {
    const members: Record<string, unknown> = {};
    if (text[at] === "}") at++;
    else
      do {
        const name = textAt();
        skip();
        if (text[at] !== ":") throw wrong();
        at++;
        skip();
        if (Object.hasOwn(members, name)) throw new JsonError(`the name ${JSON.stringify(name.slice(0, 64))} stands twice`);
        const member = value(room, () => noted(members, name));
        // A plain assignment to this name would change what the object is.
        if (name === "__proto__") Object.defineProperty(members, name, { value: member, enumerable: true, writable: true, configurable: true });
        else members[name] = member;
      } while (next("}"));
    return members;
  };

  skip();
  const found = value(depth);
  skip();
  if (at < text.length) throw wrong();
  return found;
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new JsonError("not UTF-8");
  }
}
