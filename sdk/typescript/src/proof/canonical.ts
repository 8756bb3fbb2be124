// Canonical JSON (RFC 8785): one value, one byte sequence, so that it can be hashed and signed. JSON.stringify already
// writes strings and numbers as the RFC wants them; what is left is the order of members, by UTF-16 code units, and
// refusing what I-JSON (RFC 7493) cannot carry.

export const MAX_DEPTH = 128;
const encoder = new TextEncoder();

/** A value has no canonical form, or a text is no JSON that everybody reads alike. */
export class JsonError extends TypeError {
  override name = "JsonError";
}

/** The canonical text. Whole floats are written without a point. Throws JsonError. */
export function canonicalText(value: unknown, room = MAX_DEPTH): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new JsonError(`${value} is not a JSON number`);
    return JSON.stringify(value);
  }
  if (typeof value !== "object") throw new JsonError(`${typeof value} is not a JSON type`);
  if (room === 0) throw new JsonError(`nested deeper than ${MAX_DEPTH} containers`);
  if (Array.isArray(value)) return `[${Array.from(value, (each) => canonicalText(each, room - 1)).join(",")}]`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw new JsonError("an object of a class of its own is not a JSON type");
  const members = value as Record<string, unknown>;
  // Without an order of its own, sort compares UTF-16 code units.
  return `{${Object.keys(members).sort().map((name) => `${quoted(name)}:${canonicalText(members[name], room - 1)}`).join(",")}}`;
}

/** The canonical bytes. Throws JsonError. */
export function canonical(value: unknown): Uint8Array {
  return encoder.encode(canonicalText(value));
}

/** `sha256:` and 64 lower-case hex digits over the canonical bytes. Throws JsonError. */
export async function digest(value: unknown): Promise<string> {
  return `sha256:${hex(await sha256(canonical(value)))}`;
}

export async function sha256(...parts: readonly Uint8Array[]): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", joined(parts) as BufferSource));
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function hex(bytes: Uint8Array): string {
  const digits = new Uint8Array(2 * bytes.length);
  const digit = (half: number) => half + (half < 10 ? 48 : 87);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    digits[2 * at] = digit(byte >> 4);
    digits[2 * at + 1] = digit(byte & 15);
  }
  return new TextDecoder().decode(digits);
}

/** The bytes of lower-case hex digits; undefined for another text. */
export function unhex(text: string): Uint8Array | undefined {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) return undefined;
  return Uint8Array.from({ length: text.length / 2 }, (_, at) => parseInt(text.slice(2 * at, 2 * at + 2), 16));
}

/** base64 with padding, or base64url without; undefined unless encoding the bytes again gives the same text. */
export function unbase64(text: string, url = false): Uint8Array | undefined {
  const plain = url ? text.replace(/-/g, "+").replace(/_/g, "/") : text;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain) || (url && /[=+/]/.test(text))) return undefined;
  try {
    const bytes = Uint8Array.from(atob(plain), (letter) => letter.charCodeAt(0));
    return base64(bytes, url) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

export function base64(bytes: Uint8Array, url = false): string {
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  const text = btoa(letters);
  return url ? text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "") : text;
}

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Whether a text has a UTF-8 form: no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return !/[\ud800-\udfff]/u.test(text);
}

function quoted(text: string): string {
  if (!isWellFormed(text)) throw new JsonError("a lone surrogate, which has no UTF-8 form");
  return JSON.stringify(text);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
