// Public signing keys (RFC 8037, under their RFC 7638 thumbprints), signed tree heads (C2SP tlog-checkpoint) and envelopes
// (DSSE 1.0.2, one signature). Each text is taken in the one spelling that is written, so that no two say the same.
import { base64, hex, isObject, joined, sha256, unbase64, utf8 } from "./canonical.js";
import { microseconds } from "./time.js";

/** A key as JSON Web Key. */
export interface Jwk {
  kty: string;
  crv: string;
  x: string;
  kid: string;
  use?: string;
  alg?: string;
  nbf?: number;
  exp?: number;
  revoked?: { revoked_at: number; reason: string };
}

/** A key set from a source that the reader trusts. */
export interface Jwks {
  keys: readonly Jwk[];
}

export interface PublicKey {
  readonly raw: Uint8Array;
  /** Types of Node alone do not name it. */
  readonly key: Parameters<typeof crypto.subtle.verify>[1];
}

export class ProofError extends Error {
  constructor(
    message: string,
    readonly expected?: unknown,
    readonly found?: unknown,
  ) {
    super(message);
  }
}

const KEY: Readonly<Record<keyof Jwk, (value: unknown) => boolean>> = {
  ...{ kty: isText, crv: isText, x: isText, kid: isText },
  ...{ use: isTextIfThere, alg: isTextIfThere, nbf: isWholeIfThere, exp: isWholeIfThere },
  revoked: (value) => value === undefined || (isObject(value) && Number.isSafeInteger(value["revoked_at"]) && isText(value["reason"])),
};

/** The keys of a key set, each member of its kind; an absent one may be undefined. Throws ProofError. */
export function keysOf(given: unknown): readonly Jwk[] {
  if (!isObject(given) || !Array.isArray(given["keys"])) throw new ProofError("it is no object with a list of keys");
  const keys: unknown[] = Array.from(given["keys"]);
  for (const [at, key] of keys.entries()) {
    if (!isObject(key)) throw new ProofError(`$.keys[${at}] is no object`);
    for (const [name, test] of Object.entries(KEY)) if (!test(key[name])) throw new ProofError(`$.keys[${at}].${name} is missing or of another kind`);
  }
  return keys as Jwk[];
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isTextIfThere(value: unknown): boolean {
  return value === undefined || isText(value);
}

function isWholeIfThere(value: unknown): boolean {
  return value === undefined || Number.isSafeInteger(value);
}

/** Throws ProofError. */
export async function loadJwk(jwk: Jwk): Promise<PublicKey> {
  if (jwk.kty !== "OKP" || jwk.crv !== "Ed25519") throw new ProofError(`a key of kty ${jwk.kty} and crv ${jwk.crv}; only OKP with Ed25519 is known here`);
  if (jwk.alg !== undefined && jwk.alg !== "EdDSA" && jwk.alg !== "Ed25519") throw new ProofError(`a key for alg ${jwk.alg}; only EdDSA is known here`);
  if (jwk.use !== undefined && jwk.use !== "sig") throw new ProofError(`a key for use ${jwk.use}, not for signing`);
  const raw = jwk.x.length === 43 ? unbase64(jwk.x, true) : undefined;
  if (raw?.length !== 32) throw new ProofError("an x that is not 32 bytes in base64url");
  const kid = base64(await sha256(utf8(`{"crv":"Ed25519","kty":"OKP","x":"${jwk.x}"}`)), true);
  if (jwk.kid !== kid) throw new ProofError(`a kid ${jwk.kid} that is not the thumbprint of the key, which is ${kid}`);
  return { raw, key: await crypto.subtle.importKey("raw", raw as BufferSource, { name: "Ed25519" }, false, ["verify"]) };
}

/** Why a signature made at that time (microseconds since 1970) does not count; undefined when it does. */
export function standing(jwk: Jwk, at: bigint): string | undefined {
  const before = (seconds: number) => at < BigInt(seconds) * 1_000_000n;
  if (jwk.revoked !== undefined) return `The key was revoked at ${moment(jwk.revoked.revoked_at)} (${jwk.revoked.reason}): nothing it signed counts.`;
  if (jwk.nbf !== undefined && before(jwk.nbf)) return `It was signed before the key was valid (${moment(jwk.nbf)}).`;
  if (jwk.exp !== undefined && !before(jwk.exp)) return `It was signed when the key was no longer valid (from ${moment(jwk.exp)} on).`;
  return undefined;
}

function moment(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString();
}

/** Whether the signature is the key's over these bytes. */
export function verifies(key: PublicKey, signature: Uint8Array, message: Uint8Array): Promise<boolean> {
  return crypto.subtle.verify({ name: "Ed25519" }, key.key, signature as BufferSource, message as BufferSource);
}

/** The head of a log; `signedAt` in microseconds since 1970, `position` as a certificate names it. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  readonly signedAt: bigint;
  readonly position: { origin: string; size: number; root: string; signed_at: string };
}

interface Note {
  readonly checkpoint: Checkpoint;
  readonly text: string;
  readonly keyId: string;
  readonly signature: Uint8Array;
}

const NAME = "[!-*,-~]{1,256}";
const BASE64 = "[A-Za-z0-9+/]+={0,2}";
const FORM = new RegExp(
  `^((${NAME})\\n(0|[1-9]\\d{0,18})\\n(${BASE64})\\nsigned_at (\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z)\\n)\\n\u2014 (${NAME}) (${BASE64})\\n$`,
);

/** More characters than any note of the form has: two names of 256, and what has its own length. */
const LONGEST_NOTE = 1000;

/** Throws ProofError for any other form than ours. */
export function readNote(note: string): Note {
  const form = note.length <= LONGEST_NOTE ? FORM.exec(note) : null;
  if (form === null) throw new ProofError("not a checkpoint of the form: origin, size, root, signed_at, empty line, one signature line");
  const [, text = "", origin = "", written = "", root64 = "", time = "", name, signed64 = ""] = form;
  if (name !== origin) throw new ProofError(`signed under the name ${name}, which is not the origin ${origin}`);
  const [size, root, signed, signedAt] = [Number(written), unbase64(root64), unbase64(signed64), microseconds(time)];
  if (!Number.isSafeInteger(size) || root?.length !== 32 || signed?.length !== 68 || signedAt === undefined)
    throw new ProofError("not a checkpoint: its size, its root, its time or its signature is written in another way than ours");
  const position = { origin, size, root: hex(root), signed_at: time };
  return { checkpoint: { origin, size, root, signedAt, position }, text, keyId: hex(signed.slice(0, 4)), signature: signed.slice(4) };
}

/** The 4 bytes, in hex, by which a note names its key. */
export async function keyId(origin: string, key: PublicKey): Promise<string> {
  return hex((await sha256(utf8(`${origin}\n`), Uint8Array.of(1), key.raw)).slice(0, 4));
}

/** The checkpoint of a note that this key signed. Throws ProofError. */
export async function verifyNote(note: string, key: PublicKey): Promise<Checkpoint> {
  const read = readNote(note);
  if (read.keyId !== (await keyId(read.checkpoint.origin, key))) throw new ProofError(`the note names key ${read.keyId}, which is not the one given`);
  if (!(await verifies(key, read.signature, utf8(read.text)))) throw new ProofError("the signature is not that of the key over this checkpoint");
  return read.checkpoint;
}

export interface Envelope {
  payload: string;
  payloadType: string;
  signatures: readonly { keyid: string; sig: string }[];
}

const PAYLOAD_TYPE = "application/vnd.in-toto+json";

/** The payload, once its one signature was found good. Throws ProofError. */
export async function openEnvelope(envelope: Envelope, keys: ReadonlyMap<string, PublicKey>): Promise<Uint8Array> {
  if (envelope.payloadType !== PAYLOAD_TYPE) throw new ProofError(`The payload is of type ${envelope.payloadType}; ${PAYLOAD_TYPE} is expected.`);
  const [said, ...others] = envelope.signatures;
  if (said === undefined || others.length > 0) throw new ProofError(`The envelope has ${envelope.signatures.length} signatures; it must have exactly one.`);
  const key = keys.get(said.keyid);
  if (key === undefined) throw new ProofError(`The envelope is signed by key ${said.keyid}, which is none of those given.`);
  const [payload, signature] = [unbase64(envelope.payload), said.sig.length === 88 ? unbase64(said.sig) : undefined];
  if (payload === undefined || signature === undefined) throw new ProofError("The payload or the signature is not base64 in the one spelling that encoding gives, or the signature has not 64 bytes.");
  const pae = joined([utf8(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `), payload]);
  if (!(await verifies(key, signature, pae))) throw new ProofError(`The signature is not that of key ${said.keyid} over this payload.`);
  return payload;
}
