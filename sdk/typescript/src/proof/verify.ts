// Verifying a bundle offline: what it says was recorded, was signed, and is in the log. There is no clock in it.
//
// The checks are those of `assent verify`, by the same names, with one difference: policies do not decide again here.
// `policy_replay` fails where the policies or the context are not those that the decision names, and is otherwise `warn`;
// so is the receipt of an approval that a standing grant gave.
// Every check is made that can be made; one whose ground did not hold says `not_checked`. Whatever is handed in, an answer
// comes back: a bundle is somebody else's text.
import { canonical, canonicalText, digest, hex, isObject, sha256, unhex, utf8 } from "./canonical.js";
import { certificateOf, eventsOf, GRANT, isFilled, type Members, type Proven, readEvent, type Story, storyOf } from "./certificate.js";
import { type Checkpoint, type Envelope, type Jwk, type Jwks, keyId, keysOf, loadJwk, openEnvelope, ProofError, type PublicKey, readNote, standing, verifyNote } from "./keys.js";
import { verifyConsistency, verifyInclusion } from "./merkle.js";
import { characters, isWhole, parseStrict } from "./strict.js";
import { microseconds } from "./time.js";

const NAMES = [
  ...(["schema", "bundle_id", "key", "checkpoint", "signature", "digest", "inclusion", "certificate"] as const),
  ...(["checkpoint_coverage", "policy_replay", "approval_receipt", "consistency"] as const),
];
export type CheckName = (typeof NAMES)[number];
export type CheckStatus = "pass" | "fail" | "warn" | "not_checked";

/** One thing that was checked: what was compared and, where it failed, why. */
export interface ProofCheck {
  name: CheckName;
  status: CheckStatus;
  detail: string;
  expected?: string;
  found?: string;
}

/** `ok` when no check failed. With an unknown `signer` that says that nothing was altered since it was signed, and not who
 * signed it. `certificate` is what is proven, null when the bundle could not be read that far. */
export interface ProofVerification {
  ok: boolean;
  schema: string | null;
  kind: string | null;
  org_id: string | null;
  action_id: string | null;
  bundle_id: string | null;
  digest: string | null;
  signer: "trusted" | "unknown";
  checks: ProofCheck[];
  certificate: Readonly<Record<string, unknown>> | null;
}

export interface VerifyOptions {
  /** A key set from a source that you trust, such as `getJwks()` of a connection that you trust. */
  keys?: Jwks;
  /** A tree head (a checkpoint's text) that you kept: the bundle must then prove that its log grew out of that one. */
  since?: string;
}

interface Bundle {
  readonly schema: string;
  readonly bundle_id: string;
  readonly kind: "action" | "organization";
  readonly org_id: string;
  readonly action_id: string | null;
  readonly digest: string;
  readonly attestation: Envelope;
  readonly checkpoint: string;
  readonly events: readonly { header: string; body: string | null; inclusion: readonly string[] }[];
  readonly policies: readonly Members[] | null;
  readonly consistency: readonly { checkpoint: string; hashes: readonly string[] }[];
  readonly keys: readonly { kty: string; crv: string; x: string; kid: string }[];
}

interface Case {
  readonly bundle: Bundle;
  readonly trusted: unknown;
  readonly since: unknown;
  readonly keys: Map<string, PublicKey>;
  checkpoint?: Checkpoint;
  certificate?: Members;
  signedDigest?: string;
  proven?: readonly Proven[];
  story?: Story;
  signerTrusted: boolean;
}

type Found = Omit<ProofCheck, "name">;

const SCHEMA = "svc.proof.v1";
const LIMIT = 50_000_000;
const MOST_PARTS = 1_000_000;
const MOST_CONTENT = 4_000_000;
const MOST_SIGNED = 500_000;
const MOST_VALUES = 500_000;
const LONGEST_TEXT = 8 * 1024 * 1024;
const MOST_HASHES = 64;
const NO_KEYS = "The bundle's keys cannot be used, so no signature was checked with them.";
const NO_STORY = "The certificate did not hold, so nothing is told by it.";
const GONE = "The content was erased.";

const pass = (detail: string): Found => ({ status: "pass", detail });
const warn = (detail: string): Found => ({ status: "warn", detail });
const skip = (detail: string): Found => ({ status: "not_checked", detail });
const fail = (detail: string, expected?: unknown, found?: unknown): Found => ({
  status: "fail",
  detail,
  ...(expected === undefined ? {} : { expected: shown(expected) }),
  ...(found === undefined ? {} : { found: shown(found) }),
});

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  return text.length <= 200 ? text : `${text.slice(0, 197)}...`;
}

/** Check a bundle: the bytes or the text of its file, or its JSON value. Never rejects. */
export async function verifyBundle(given: string | Uint8Array | object, options?: VerifyOptions | null): Promise<ProofVerification> {
  let value: unknown;
  let found: Case;
  try {
    value = valueOf(given);
    found = { bundle: bundleOf(value), trusted: options?.keys, since: options?.since, keys: new Map(), signerTrusted: false };
  } catch (error) {
    return unread(value, fail(`It cannot be read as a bundle: ${messageOf(error)}.`));
  }
  const { bundle } = found;
  const order: readonly (readonly [CheckName, (given: Case) => Promise<Found> | Found])[] = [
    ["bundle_id", (each) => checkBundleId(each, value as Members)],
    ["key", checkKeys],
    ["signature", checkSignature],
    ["checkpoint", checkCheckpoint],
    ["digest", checkDigest],
    ...(bundle.kind === "organization"
      ? ([["certificate", checkOrganization]] as const)
      : ([
          ["inclusion", checkInclusion],
          ["certificate", checkCertificate],
          ["checkpoint_coverage", checkCoverage],
          ["policy_replay", checkPolicies],
          ["approval_receipt", checkReceipt],
        ] as const)),
    ["consistency", checkConsistency],
  ];
  const done = new Map<CheckName, Found>([["schema", pass("It is a bundle of schema svc.proof.v1 and nothing else.")]]);
  for (const [name, check] of order) {
    try {
      done.set(name, await check(found));
    } catch (error) {
      // A check that cannot be made has failed: anybody may have signed anything.
      const known = error instanceof ProofError;
      done.set(name, fail(known ? error.message : `What is there cannot be checked: ${messageOf(error).slice(0, 200)}`, known ? error.expected : undefined, known ? error.found : undefined));
    }
  }
  const checks = NAMES.flatMap((name) => {
    const each = done.get(name);
    return each === undefined ? [] : [{ name, ...each }];
  });
  const { schema, kind, org_id, action_id, bundle_id } = bundle;
  return {
    ...{ ok: checks.every((each) => each.status !== "fail"), schema, kind, org_id, action_id, bundle_id, digest: bundle.digest },
    ...{ signer: found.signerTrusted ? "trusted" : "unknown", checks, certificate: found.certificate ?? null },
  };
}

/** What was thrown may be anything, where the value handed in has code of its own. */
function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "it cannot be read";
  }
}

// Reading

function valueOf(given: string | Uint8Array | object): unknown {
  if (typeof given === "string" || given instanceof Uint8Array) {
    if (given.length > LIMIT && (typeof given !== "string" || characters(given) > LIMIT)) throw new ProofError(`it has more than ${LIMIT} bytes; no more are read`);
    return parseStrict(given, { most: MOST_PARTS });
  }
  const text = canonicalText(given);
  if (text.length > LIMIT || utf8(text).length > LIMIT) throw new ProofError(`it has more than ${LIMIT} bytes; no more are read`);
  return JSON.parse(text) as unknown;
}

type Shape = "text" | "text?" | "any" | { readonly [name: string]: Shape } | readonly ["list" | "list?", Shape];
const BUNDLE: Shape = {
  ...{ schema: "text", bundle_id: "text", kind: "text", org_id: "text", action_id: "text?", digest: "text", checkpoint: "text" },
  attestation: { payload: "text", payloadType: "text", signatures: ["list", { keyid: "text", sig: "text" }] },
  events: ["list", { header: "text", body: "text?", inclusion: ["list", "text"] }],
  policies: ["list?", "any"],
  consistency: ["list", { checkpoint: "text", hashes: ["list", "text"] }],
  keys: ["list", { kty: "text", crv: "text", x: "text", kid: "text" }],
};

/** Throws ProofError unless the value has exactly these members, each of its type. */
function fit(value: unknown, shape: Shape, path: string): void {
  if (shape === "any") {
    if (!isObject(value)) throw new ProofError(`${path} is no object`);
  } else if (typeof shape === "string") {
    if (!(typeof value === "string" || (shape === "text?" && value === null))) throw new ProofError(`${path} is no text`);
  } else if (isList(shape)) {
    if (value === null && shape[0] === "list?") return;
    if (!Array.isArray(value)) throw new ProofError(`${path} is no list`);
    value.forEach((each, at) => fit(each, shape[1], `${path}[${at}]`));
  } else {
    if (!isObject(value)) throw new ProofError(`${path} is no object`);
    for (const name of Object.keys(value)) if (!Object.hasOwn(shape, name)) throw new ProofError(`${path}.${name.slice(0, 100)} is not a member that a bundle has`);
    for (const [name, inner] of Object.entries(shape)) {
      if (!Object.hasOwn(value, name)) throw new ProofError(`${path} lacks ${name}`);
      fit(value[name], inner, `${path}.${name}`);
    }
  }
}

function isList(shape: Shape): shape is readonly ["list" | "list?", Shape] {
  return Array.isArray(shape);
}

function bundleOf(value: unknown): Bundle {
  if (!isObject(value)) throw new ProofError("a bundle is a JSON object");
  if (value["schema"] !== SCHEMA) throw new ProofError(`its schema is ${shown(value["schema"] ?? null)}; this program reads ${SCHEMA}`);
  fit(value, BUNDLE, "$");
  const bundle = value as unknown as Bundle;
  for (const [name, count, most] of [
    ["events", bundle.events.length, 10_000],
    ["policies", bundle.policies?.length ?? 0, 10_000],
    ["consistency", bundle.consistency.length, 64],
    ["keys", bundle.keys.length, 64],
    ["attestation.signatures", bundle.attestation.signatures.length, 64],
  ] as const)
    if (count > most) throw new ProofError(`$.${name} has ${count} entries; at most ${most} are read`);
  const paths = [...bundle.events.map((each) => each.inclusion), ...bundle.consistency.map((each) => each.hashes)];
  if (paths.some((each) => each.length > MOST_HASHES)) throw new ProofError("a path has more hashes than any log needs");
  const texts = [bundle.attestation.payload, ...bundle.events.flatMap((each) => [each.header, each.body ?? ""])];
  if (texts.some((each) => each.length > LONGEST_TEXT && characters(each) > LONGEST_TEXT)) throw new ProofError(`a text has more than ${LONGEST_TEXT} characters`);
  const marks = bundle.events.reduce((sum, each) => sum + (each.body === null ? 0 : marksIn(each.body)), 0);
  if (marks > MOST_CONTENT) throw new ProofError(`the bodies of its events hold more than ${MOST_CONTENT} values; no more are read`);
  if (valuesIn(bundle.policies) > MOST_VALUES) throw new ProofError(`$.policies holds more than ${MOST_VALUES} values`);
  if (bundle.kind !== "action" && bundle.kind !== "organization") throw new ProofError("$.kind is neither action nor organization");
  const isAction = bundle.kind === "action";
  if (isAction !== (bundle.action_id !== null)) throw new ProofError(`$.action_id does not go with a bundle of kind ${bundle.kind}`);
  if (isAction !== bundle.events.length > 0) throw new ProofError(`$.events does not go with a bundle of kind ${bundle.kind}`);
  return bundle;
}

/** How many JSON values there are in this one, itself included. */
function valuesIn(value: unknown): number {
  const inner = typeof value === "object" && value !== null ? Object.values(value) : [];
  return inner.reduce<number>((sum, each) => sum + valuesIn(each), 1);
}

/** Commas and opening brackets of a JSON text, those within its own texts not counted. */
function marksIn(text: string): number {
  let count = 0;
  let inside = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (inside && letter === "\\") at++;
    else if (letter === '"') inside = !inside;
    else if (!inside && (letter === "," || letter === "[" || letter === "{")) count++;
  }
  return count;
}

function unread(value: unknown, found: Found): ProofVerification {
  const said = (name: string) => (isObject(value) && typeof value[name] === "string" ? shown(value[name]) : null);
  const kind = said("kind");
  return {
    ...{ ok: false, schema: said("schema"), kind: kind === "action" || kind === "organization" ? kind : null, org_id: said("org_id") },
    ...{ action_id: said("action_id"), bundle_id: said("bundle_id"), digest: said("digest"), signer: "unknown" },
    ...{ checks: [{ name: "schema", ...found }], certificate: null },
  };
}

// What was signed

async function checkBundleId({ bundle }: Case, value: Members): Promise<Found> {
  const { bundle_id: _, ...others } = value;
  const found = await digest(others);
  return found === bundle.bundle_id ? pass("The id is the digest of everything else in the bundle.") : fail("The id is not that of the content.", bundle.bundle_id, found);
}

async function whoSigned(given: Case, note: string): Promise<string[]> {
  try {
    const read = readNote(note);
    const found: string[] = [];
    for (const [kid, key] of given.keys) if ((await keyId(read.checkpoint.origin, key)) === read.keyId) found.push(kid);
    return found;
  } catch (error) {
    if (error instanceof ProofError) return [];
    throw error;
  }
}

/** The checkpoint of a note that one of the bundle's keys signed. Throws ProofError. */
async function openNote(given: Case, note: string): Promise<Checkpoint> {
  let failed = new ProofError(`it is signed by key ${readNote(note).keyId}, which is none of the bundle's`);
  for (const kid of await whoSigned(given, note)) {
    try {
      return await verifyNote(note, given.keys.get(kid) as PublicKey);
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      failed = error;
    }
  }
  throw failed;
}

async function checkKeys(given: Case): Promise<Found> {
  const { bundle, keys } = given;
  for (const each of bundle.keys) {
    try {
      keys.set(each.kid, await loadJwk(each));
    } catch (error) {
      keys.clear();
      return fail(`A key of the bundle cannot be used: ${(error as Error).message}.`);
    }
  }
  const kids = bundle.keys.map((each) => each.kid);
  const used = await usedKeys(given);
  if (used !== undefined && used.join() !== kids.join()) return fail("The keys are not exactly those that signed something, sorted by kid.", used, kids);
  if (given.trusted === undefined)
    return warn("The keys are well formed. Whose they are is not known: compare with a key set that you have from the organization itself.");
  return trustedKeys(given, given.trusted);
}

/** The kids that signed something, undefined where that cannot be told: other checks then say what is wrong. */
async function usedKeys(given: Case): Promise<string[] | undefined> {
  const { bundle, keys } = given;
  const signers = new Set(bundle.attestation.signatures.map((each) => each.keyid));
  if (signers.size !== 1 || ![...signers].every((kid) => keys.has(kid))) return undefined;
  for (const note of [bundle.checkpoint, ...bundle.consistency.map((step) => step.checkpoint)]) {
    const found = await whoSigned(given, note);
    if (found.length === 0) return undefined;
    for (const kid of found) signers.add(kid);
  }
  return [...signers].sort();
}

async function trustedKeys(given: Case, jwks: unknown): Promise<Found> {
  const byKid = new Map<string, Jwk>();
  let keys: readonly Jwk[];
  try {
    keys = keysOf(jwks);
  } catch (error) {
    return fail(`The key set is refused: ${messageOf(error)}.`);
  }
  for (const jwk of keys) {
    try {
      await loadJwk(jwk);
    } catch (error) {
      return fail(`The key set is refused, as it holds ${(error as Error).message}.`);
    }
    if (byKid.has(jwk.kid)) return fail(`The key set is refused, as it holds key ${jwk.kid} twice.`);
    byKid.set(jwk.kid, jwk);
  }
  const strange = [...given.keys.keys()].find((kid) => !byKid.has(kid));
  if (strange !== undefined)
    return fail("A key that signed is not in the key set. Either somebody else signed, or the set is older than the key.", [...byKid.keys()].join(", ") || "no key", strange);
  let at: bigint;
  try {
    at = readNote(given.bundle.checkpoint).checkpoint.signedAt;
  } catch {
    return skip("The checkpoint cannot be read, so nothing says when the keys had to be valid.");
  }
  const signers = [...given.bundle.attestation.signatures.map((each) => each.keyid), ...(await whoSigned(given, given.bundle.checkpoint))];
  for (const kid of new Set(signers)) {
    const jwk = byKid.get(kid);
    const why = jwk === undefined ? undefined : standing(jwk, at);
    if (why !== undefined) return fail(`Key ${kid}: ${why}`);
  }
  given.signerTrusted = true;
  return pass("Every key that signed is in the key set, and was valid when the checkpoint was signed.");
}

async function checkSignature(given: Case): Promise<Found> {
  const { bundle, keys } = given;
  if (bundle.keys.length > 0 && keys.size === 0) return skip(NO_KEYS);
  const payload = await openEnvelope(bundle.attestation, keys);
  let statement: unknown;
  try {
    statement = parseStrict(payload, { most: MOST_SIGNED });
  } catch (error) {
    return fail(`The statement that was signed is no JSON that everybody reads alike: ${(error as Error).message}.`);
  }
  if (!isObject(statement) || hex(canonical(statement)) !== hex(payload)) return fail("The statement that was signed is not a JSON object in canonical form (RFC 8785).");
  const type = "https://in-toto.io/Statement/v1";
  const kind = bundle.kind === "action" ? "urn:assent:certificate:v1" : "urn:assent:organization:v1";
  if (statement["_type"] !== type) return fail("The statement is of another type.", type, statement["_type"] ?? null);
  if (statement["predicateType"] !== kind) return fail("The statement says something of another kind.", kind, statement["predicateType"] ?? null);
  const { predicate, subject } = statement;
  const first: unknown = Array.isArray(subject) ? subject[0] : undefined;
  const signed = isObject(first) && isObject(first["digest"]) ? first["digest"]["sha256"] : undefined;
  if (!isObject(predicate) || typeof signed !== "string") return fail("The statement has no certificate, or no subject with a SHA-256 digest.");
  const subjects: unknown[] = [{ name: bundle.action_id ?? bundle.org_id, digest: { sha256: signed } }];
  for (const step of bundle.consistency) subjects.push({ name: "log", digest: { sha256: hex(await sha256(utf8(step.checkpoint))) } });
  if (canonicalText(subjects) !== canonicalText(subject))
    return fail("The statement is not about this bundle: its subjects are the bundle's and its consistency steps.", subjects, subject);
  const members = Object.keys(statement).sort().join();
  if (members !== "_type,predicate,predicateType,subject") return fail("The statement has other members.", undefined, members);
  given.certificate = predicate;
  given.signedDigest = `sha256:${signed}`;
  return pass("The envelope's one signature holds over a canonical statement about this subject.");
}

async function checkCheckpoint(given: Case): Promise<Found> {
  const { bundle, certificate } = given;
  if (bundle.keys.length > 0 && given.keys.size === 0) return skip(NO_KEYS);
  let checkpoint: Checkpoint;
  try {
    checkpoint = await openNote(given, bundle.checkpoint);
  } catch (error) {
    return fail(`The signed tree head does not hold: ${(error as Error).message}.`);
  }
  const at = checkpoint.origin.lastIndexOf("/");
  if (at < 0 || checkpoint.origin.slice(at + 1) !== bundle.org_id) return fail("The tree head is of another organization's log.", bundle.org_id, checkpoint.origin);
  if (certificate !== undefined && canonicalText(certificate["log"] ?? null) !== canonicalText(checkpoint.position))
    return fail("The certificate is bound to another tree head than the bundle's.", certificate["log"] ?? null, checkpoint.position);
  given.checkpoint = checkpoint;
  return pass(`The tree head of ${checkpoint.size} events is signed${certificate === undefined ? "" : "; the certificate is bound to it"}.`);
}

async function checkDigest(given: Case): Promise<Found> {
  if (given.certificate === undefined) return skip("The statement's signature did not hold, so nothing in it was looked at.");
  const found = await digest(given.certificate);
  for (const [what, expected] of [
    ["bundle's digest", given.bundle.digest],
    ["statement's subject", given.signedDigest],
  ])
    if (expected !== found) return fail(`The ${what} is not that of the certificate.`, expected, found);
  return pass(`The canonical digest of the ${given.bundle.kind}'s certificate is ${found}.`);
}

// What was recorded

function hashesOf(texts: readonly string[]): Uint8Array[] | undefined {
  const found = texts.map((each) => (each.length === 64 ? unhex(each) : undefined));
  return found.every((each) => each !== undefined) ? found : undefined;
}

async function checkInclusion(given: Case): Promise<Found> {
  const { bundle, checkpoint } = given;
  if (checkpoint === undefined) return skip("The tree head did not hold, so there is no root to prove anything against.");
  const proven: Proven[] = [];
  for (const [at, event] of bundle.events.entries()) {
    let read: Proven;
    try {
      read = await readEvent(event.header, event.body);
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      return fail(`Event ${at} of the bundle: ${error.message}.`, error.expected, error.found);
    }
    const what = `Event ${read.n} (${read.type})`;
    if (read.org !== bundle.org_id) return fail(`${what} is of another organization.`, bundle.org_id, read.org);
    const before = proven.at(-1);
    if (before !== undefined && read.n <= before.n) return fail(`${what} is not in the order of the log.`, `more than ${before.n}`, read.n);
    const hashes = hashesOf(event.inclusion);
    if (hashes === undefined) return fail(`${what}: a hash of its path is not 64 lower-case hex digits.`);
    if (!(await verifyInclusion(read.leaf, read.n, checkpoint.size, hashes, checkpoint.root)))
      return fail(`${what} is not in the tree: its path does not lead to the root.`, hex(checkpoint.root), hex(read.leaf));
    proven.push(read);
  }
  given.proven = proven;
  return pass(`${proven.length} events are in the tree of ${checkpoint.size}, each with its recorded content.`);
}

async function checkCertificate(given: Case): Promise<Found> {
  const { bundle, certificate, proven, checkpoint } = given;
  if (certificate === undefined || proven === undefined || checkpoint === undefined || bundle.action_id === null)
    return skip("What it is made from, or what was signed, did not hold.");
  let story: Story;
  let made: Members;
  try {
    story = storyOf(bundle.org_id, bundle.action_id, proven, checkpoint.size);
    made = await certificateOf(story, bundle.org_id, bundle.action_id, checkpoint);
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return fail(`The events make no certificate: ${error.message}.`);
  }
  if (canonicalText(made) !== canonicalText(certificate)) {
    const [path, expected, found] = difference(certificate, made, "$") ?? ["$", undefined, undefined];
    return fail(`What was signed is not what was recorded, at ${path}.`, expected, found);
  }
  const wrong = revisions(story) ?? unerased(proven);
  if (wrong !== undefined) return fail(wrong);
  given.story = story;
  return pass(`The certificate follows from the ${proven.length} events.`);
}

/** What is wrong with the numbering of an action's changes: its creation is 0, and each change one more. */
function revisions(story: Story): string | undefined {
  const events = story.events.filter((event) => event.type === "action.created" || event.type === "action.updated");
  const at = events.findIndex((event, index) => event.data !== undefined && !(isWhole(event.data, "revision") && event.data["revision"] === index));
  return at < 0 ? undefined : `Event ${events[at]?.n} is revision ${shown(events[at]?.data?.["revision"] ?? null)} of the action, but change ${at}: one is missing or too many.`;
}

function unerased(proven: readonly Proven[]): string | undefined {
  const last = Math.max(-1, ...proven.filter((event) => event.type === "evidence.erased").map((event) => event.n));
  const there = proven.find((event) => event.n < last && event.type !== "evidence.erased" && event.data !== undefined);
  return there === undefined ? undefined : `The content of event ${there.n} was erased, and the bundle still has it.`;
}

/** The first place where two JSON values differ, with what is there in each. */
function difference(left: unknown, right: unknown, path: string): [string, unknown, unknown] | undefined {
  if (isObject(left) && isObject(right)) {
    for (const name of [...new Set([...Object.keys(left), ...Object.keys(right)])].sort()) {
      const [one, other] = [left, right].map((side) => (Object.hasOwn(side, name) ? "a member" : "no member"));
      if (one !== other) return [`${path}.${name}`, one, other];
      const found = difference(left[name], right[name], `${path}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    for (const [at, each] of left.entries()) {
      const found = difference(each, right[at], `${path}[${at}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return canonicalText(left) === canonicalText(right) ? undefined : [path, left, right];
}

/** The certificate of an organization: its form, its sums, the policies' digest. Its counts are the service's. */
async function checkOrganization(given: Case): Promise<Found> {
  const { bundle, certificate: signed, checkpoint } = given;
  if (signed === undefined || checkpoint === undefined) return skip("What was signed, or the tree head, did not hold.");
  const wrong = organizationForm(signed);
  if (wrong !== undefined) return fail(`It is no certificate of an organization: ${wrong}.`);
  if (signed["org_id"] !== bundle.org_id) return fail("The certificate is of another organization.", bundle.org_id, signed["org_id"]);
  const counts = signed["events_by_type"] as Record<string, number>;
  const counted = Object.values(counts).reduce((sum, each) => sum + BigInt(each), 0n);
  if (counted !== BigInt(checkpoint.size)) return fail(`It is no certificate of an organization: the events by type are ${counted} in all, but the log has ${checkpoint.size}.`);
  if ((counts["evidence.erased"] ?? 0) !== signed["erasures"]) return fail("It is no certificate of an organization: its erasures are not those that events tell of.");
  const there = bundle.policies === null ? null : await digest(bundle.policies);
  const named = (signed["policy"] as Members)["digest"];
  if (there !== named) return fail("The bundle's policies are not those of the certificate.", named, there);
  return pass("Its sums add up and the policies have its digest. The counts are the service's own, signed; they can be checked against the log, not offline.");
}

/** What is wrong with the members of an organization's certificate. */
function organizationForm(signed: Members): string | undefined {
  const count = (value: unknown) => Number.isSafeInteger(value);
  const orNull = (test: (value: unknown) => boolean) => (value: unknown) => value === null || test(value);
  const textual = (value: unknown) => typeof value === "string";
  const timely = (value: unknown) => microseconds(value) !== undefined;
  const form: Readonly<Record<string, (value: unknown) => boolean>> = {
    schema: (value) => value === "svc.organization.v1",
    org_id: textual,
    events_by_type: (value) => isObject(value) && Object.values(value).every((each) => count(each) && (each as number) >= 0),
    first_event_at: orNull(timely),
    last_event_at: orNull(timely),
    erasures: count,
    policy: (value) => hasForm(value, { version: orNull(count), digest: orNull(textual) }),
    keys: (value) =>
      Array.isArray(value) && value.every((each) => hasForm(each, { kid: textual, nbf: orNull(count), exp: orNull(count), revoked: (said) => typeof said === "boolean" })),
    log: isObject,
  };
  const names = [...new Set([...Object.keys(form), ...Object.keys(signed)])];
  const wrong = names.find((name) => !Object.hasOwn(signed, name) || form[name]?.(signed[name]) !== true);
  return wrong === undefined ? undefined : `$.${wrong.slice(0, 100)} is missing, unknown or of another kind`;
}

function hasForm(value: unknown, form: Readonly<Record<string, (value: unknown) => boolean>>): boolean {
  return isObject(value) && Object.keys(value).length === Object.keys(form).length && Object.entries(form).every(([name, test]) => Object.hasOwn(value, name) && test(value[name]));
}

// What it means

function checkCoverage({ story, certificate }: Case): Found {
  if (story === undefined || certificate === undefined) return skip(NO_STORY);
  const states = certificate["checkpoints"] as { id: string; status: string }[];
  if (states.length === 0) return skip(GONE);
  const missing = states.filter((each) => each.status === "missing").map((each) => each.id);
  if (missing.length > 0) return warn(`Expected and not there: ${missing.join(", ")}.`);
  return pass(`No checkpoint is missing: ${states.map((each) => `${each.id} ${each.status}`).join(", ")}.`);
}

/** Members of the context that its digest leaves out: who and when stand beside it. */
const NOT_DIGESTED = ["agent_id", "occurred_at", "source", "runtime", "session_id"];

async function checkPolicies({ bundle, story }: Case): Promise<Found> {
  if (story === undefined) return skip(NO_STORY);
  const { policies } = bundle;
  const { decision } = story;
  const recorded = decision?.["policy_digest"] ?? null;
  if (decision === undefined || recorded === null) {
    if (policies !== null) return fail("The bundle has policies, and no decision says that it was made by them.");
    return skip("No decision with the policies that it was made by is recorded, or its content was erased.");
  }
  if (policies === null) return fail("The policies that the decision was made by are not in the bundle.", recorded, "none");
  const found = await digest(policies);
  if (found !== recorded) return fail("The policies are not those that the decision names.", recorded, found);
  if (decision["source"] === "simulated") return skip("A simulator made the decision up; guard never decided.");
  const context = decision["context"];
  if (!isObject(context)) return fail("The decision has no context.");
  const digested = await digest(Object.fromEntries(Object.entries(context).filter(([name]) => !NOT_DIGESTED.includes(name))));
  if (digested !== decision["context_digest"]) return fail("The context is not the one that the decision names.", decision["context_digest"] ?? null, digested);
  return warn("Policies and context are those that the decision names. Whether they decide the same again is not checked here; `assent verify` does that.");
}

async function checkReceipt({ bundle, story }: Case): Promise<Found> {
  if (story === undefined) return skip(NO_STORY);
  const { approval, action, decision } = story;
  if (approval === undefined) {
    if (eventsOf(story, ...GRANT).length > 0) return fail("The bundle has events of a grant, and no receipt names it.");
    if (story.erased !== undefined) return skip(GONE);
    const asked = decision?.["decision"] === "require_approval" && action?.["source"] === "live";
    return asked ? fail("Guard asked for an approval, and none is recorded.") : pass("None was needed.");
  }
  const wrong = (await actIsOther(story, approval)) ?? decidedWrongly(story, approval) ?? openedByItself(story, approval) ?? claimedWrongly(story, approval) ?? askedBackWrongly(story, approval);
  if (wrong !== undefined) return wrong;
  if ((approval["grant_id"] ?? null) !== null) return checkGrant(story, approval, bundle.policies);
  if (eventsOf(story, ...GRANT).length > 0) return fail("The bundle has events of a grant, and the receipt names none.");
  const { state } = approval;
  if (["awaiting", "expired", "withdrawn"].includes(String(state))) return pass(`The approval is ${String(state)}; nobody decided.`);
  const covered = approval["act_digest"] ? "" : "; it is from before approvals named exactly what they cover";
  const own = approval["self_decided"] ? "; the key that decided had opened the action itself" : "";
  return pass(`${String(approval["decided_by"])} ${String(state)} it in time, for exactly what was recorded${covered}${own}.`);
}

/** Whether what was approved is what the creation of the action says. */
async function actIsOther(story: Story, approval: Members): Promise<Found | undefined> {
  const expected = approval["act_digest"] ?? null;
  const row = eventsOf(story, "action.created")[0]?.data;
  if (expected === null || row === undefined) return undefined;
  const act = {
    action_type: row["action_type"],
    declared_goal: row["declared_goal"] ?? null,
    systems_touched: row["systems_touched"] ?? [],
    parameters_digest: row["parameters_digest"] ?? null,
  };
  const found = await digest(act);
  return found === expected ? undefined : fail("What was approved is not what was recorded as the act.", expected, found);
}

function decidedWrongly(story: Story, approval: Members): Found | undefined {
  if (approval["state"] !== "approved" && approval["state"] !== "denied") return undefined;
  // Operators whom a simulator made up have no keys.
  const simulated = story.action?.["source"] === "simulated";
  if (!isFilled(approval["decided_by"]) || !(simulated || isFilled(approval["decided_by_key"]))) return fail("Nobody is named who decided.");
  const [decided, expires] = [microseconds(approval["decided_at"]), microseconds(approval["expires_at"])];
  if (decided === undefined || expires === undefined || decided >= expires)
    return fail("It was not decided before it expired.", `before ${String(approval["expires_at"])}`, approval["decided_at"] ?? null);
  return undefined;
}

/** Whether the receipt says truly if the key that decided had opened the action. */
function openedByItself(story: Story, approval: Members): Found | undefined {
  const said = approval["self_decided"] ?? null;
  const row = eventsOf(story, "action.created")[0]?.data;
  if (said === null || row === undefined) return undefined;
  const found = canonicalText(approval["decided_by_key"] ?? null) === canonicalText(row["created_by"] ?? null);
  return said === found ? undefined : fail("The receipt and the recorded keys do not agree on whether one key both asked and decided.", found, said);
}

function claimedWrongly(story: Story, approval: Members): Found | undefined {
  const claims = eventsOf(story, "approval.claimed");
  if (claims.length > 1) return fail(`It was claimed ${claims.length} times, in events ${claims[0]?.n} and ${claims[1]?.n}.`);
  const claimedAt = approval["claimed_at"] ?? null;
  if ((claimedAt !== null) !== claims.length > 0) return fail("The receipt and the recorded claims do not agree on whether it was claimed.");
  if (claims.length === 0) return undefined;
  if (approval["state"] !== "approved") return fail("It was claimed without being approved.", "approved", approval["state"] ?? null);
  const [claimed, decided, until] = [microseconds(claimedAt), microseconds(approval["decided_at"]), microseconds(approval["valid_until"])];
  if (claimed === undefined || decided === undefined || claimed < decided) return fail("It was claimed before it was given.", approval["decided_at"] ?? null, claimedAt);
  if (until !== undefined && claimed >= until) return fail("It was claimed too late.", `before ${String(approval["valid_until"])}`, claimedAt);
  if (until === undefined && (approval["valid_until"] ?? null) !== null) return fail("Until when it could be claimed is no time.");
  return undefined;
}

/** Whether each question was asked while the action waited, and ended with the waiting or was answered before. */
function askedBackWrongly(story: Story, approval: Members): Found | undefined {
  const ends = eventsOf(story, "approval.decided", "approval.expired", "approval.withdrawn").map((each) => each.n);
  const end = Math.min(...ends, Number.POSITIVE_INFINITY);
  for (const { n, data } of eventsOf(story, "approval_question.created", "approval_question.updated")) {
    if ((data["approval_id"] ?? null) !== (approval["approval_id"] ?? null))
      return fail("A question is about another approval.", approval["approval_id"] ?? null, data["approval_id"] ?? null);
    if (n > end && data["state"] !== "ended") return fail(`Event ${n} asks or answers a question after the action had ceased to wait.`);
  }
  const open = story.questions.find((row) => row["state"] === "open");
  if (open !== undefined && ends.length > 0) return fail(`Question ${String(open["question_id"])} is open, and the action waits no longer.`);
  return undefined;
}

const BOUNDS = [
  ...["org_id", "grant_id", "agent_ids", "action_type", "when", "max_risk", "max_uses", "expires_at", "reason"],
  ...["from_action_id", "created_at", "created_by", "created_by_name"],
];

const isText = (value: unknown) => typeof value === "string";
const isTextOrNull = (value: unknown) => value === null || isText(value);
const isTime = (value: unknown) => microseconds(value) !== undefined;
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
const GIVEN: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...{ org_id: isText, grant_id: isText, agent_ids: isTexts, action_type: isText, when: (value) => value === null || isObject(value) },
  ...{ max_risk: (value) => typeof value === "number", expires_at: isTime, reason: isText, from_action_id: isTextOrNull },
  ...{ created_at: isTime, created_by: isText, created_by_name: isText, last_use: (value) => value === null || isUse(value) },
  ...{ revoked_at: (value) => value === null || isTime(value), revoked_by: isTextOrNull, revoked_reason: isTextOrNull },
};
const USED: typeof GIVEN = {
  ...{ action_id: isText, approval_id: isText, decision_id: isText, at: isTime, self_decided: (value) => typeof value === "boolean" },
};

function isUse(value: unknown): boolean {
  return isObject(value) && Object.entries(USED).every(([name, test]) => Object.hasOwn(value, name) && test(value[name])) && isWhole(value, "number");
}

function isGrant(value: Members): boolean {
  return Object.entries(GIVEN).every(([name, test]) => Object.hasOwn(value, name) && test(value[name])) && isWhole(value, "max_uses") && isWhole(value, "used");
}

/** Whether the standing grant that the receipt names gave the approval: the rules of sdk/assent/proof/checks/granting.py
 * but for those that decide again, which are agents' names, conditions and policies that always ask where something is
 * destroyed. So what is right here is a warning and never a pass. */
function checkGrant(story: Story, approval: Members, policies: readonly Members[] | null): Found {
  const [given, ...others] = eventsOf(story, "grant.created");
  const [used, ...more] = eventsOf(story, "grant.used");
  if (given === undefined || used === undefined || others.length > 0 || more.length > 0)
    return fail(`The bundle has ${others.length + Number(given !== undefined)} events grant.created and ${more.length + Number(used !== undefined)} of its use, expected 1 of each.`);
  const grant = used.data;
  const unfit = [given, used].find(({ data }) => !isGrant(data));
  if (unfit !== undefined) return fail(`Event ${unfit.n} is no grant.`);
  const use = isObject(grant["last_use"]) ? grant["last_use"] : undefined;
  if (use === undefined) return fail("The use of the grant does not say by what.");
  const decision = story.decision ?? {};
  const at = (value: unknown) => microseconds(value)?.toString() ?? null;
  const pairs: [string, unknown, unknown][] = [
    ...BOUNDS.map((name): [string, unknown, unknown] => [`the grant's ${name}`, given.data[name] ?? null, grant[name] ?? null]),
    ["the grant", approval["grant_id"], grant["grant_id"]],
    ["the action of the use", story.action?.["action_id"] ?? null, use["action_id"]],
    ["the approval of the use", approval["approval_id"] ?? null, use["approval_id"]],
    ["the decision of the use", story.action?.["decision_id"] ?? null, use["decision_id"]],
    ["the moment of the use", at(approval["decided_at"]), at(use["at"])],
    ["the number of the use", grant["used"], use["number"]],
    ["who decided", grant["created_by_name"], approval["decided_by"]],
    ["the key that decided", grant["created_by"], approval["decided_by_key"]],
    ["how long the approval is good", at(grant["expires_at"]), at(approval["valid_until"])],
    ["whether one key asked and decided", use["self_decided"], approval["self_decided"]],
    ["the decision", "require_approval", decision["decision"]],
    ["where the decision comes from", "live", decision["source"]],
    ["whether the policy asked to find out", false, Object.hasOwn(decision, "explored") ? decision["explored"] : false],
  ];
  for (const [what, expected, found] of pairs)
    if (canonicalText(expected ?? null) !== canonicalText(found ?? null)) return fail(`The receipt, the grant and its use do not agree: ${what}.`, expected, found ?? null);
  if (given.n >= used.n) return fail("The grant was used before it was given.", `after ${given.n}`, used.n);
  if (!isWhole(decision, "name_rule")) return fail("The decision is from before grants.");
  if (typeof decision["agent_id"] !== "string") return fail("The grant is for other agents.", grant["agent_ids"], decision["agent_id"] ?? null);
  if (given.data["used"] !== 0 || (given.data["last_use"] ?? null) !== null || (given.data["revoked_at"] ?? null) !== null)
    return fail("The grant was used or revoked when it was given.");
  const [number, most, risk] = [use["number"], grant["max_uses"], grant["max_risk"]];
  if ((number as number) < 1 || (number as number) > (most as number)) return fail("The grant was used up.", `1 to ${String(most)}`, number);
  if ((grant["revoked_at"] ?? null) !== null) return fail("The grant was revoked when it was used.", null, grant["revoked_at"]);
  const [made, when, ends] = [microseconds(grant["created_at"]), microseconds(use["at"]), microseconds(grant["expires_at"])];
  if (made === undefined || when === undefined || ends === undefined || when < made || when >= ends)
    return fail("The grant was not live when it was used.", `before ${String(grant["expires_at"])}`, use["at"] ?? null);
  if (typeof risk !== "number" || typeof decision["risk_score"] !== "number" || decision["risk_score"] > risk)
    return fail("The risk is above the grant's.", risk ?? null, decision["risk_score"] ?? null);
  if (policies === null) return fail("The policies that asked are not in the bundle.");
  const { matched_policies: matched } = decision;
  if (!isTexts(matched)) return fail("The decision does not say which policies matched.");
  for (const id of matched) {
    const [policy, ...alike] = policies.filter((each) => each["policy_id"] === id);
    if (alike.length > 0) return fail("Two policies have the same id.", null, id);
    if (policy === undefined || policy["policy_type"] === "webhook_check")
      return fail("A grant lets nothing through that a webhook or the scan asks about.", null, id);
    const asks = policy["policy_type"] === "flow" ? "always" : (policy["always_ask"] ?? "never");
    if (asks === "always" || (asks === "destructive" && decision["destructive"] === true)) return fail("A policy that matched always asks.", null, policy["name"] ?? null);
  }
  return warn(
    `${String(grant["created_by_name"])} approved it in advance, by grant ${String(grant["grant_id"])}: use ${String(number)} of at most ${String(most)}. Whether the grant's agents, type and conditions fit what was asked is not checked here; \`assent verify\` does that.`,
  );
}

// One log

async function checkConsistency(given: Case): Promise<Found> {
  const { bundle, checkpoint: own } = given;
  if (own === undefined) return skip("The tree head did not hold, so there is nothing to compare with.");
  const heads = [own];
  for (const [at, step] of bundle.consistency.entries()) {
    let head: Checkpoint;
    try {
      head = await openNote(given, step.checkpoint);
    } catch (error) {
      return fail(`The tree head of step ${at} does not hold: ${(error as Error).message}.`);
    }
    if (head.origin !== own.origin) return fail(`Step ${at} is of another log.`, own.origin, head.origin);
    const hashes = hashesOf(step.hashes);
    if (hashes === undefined) return fail(`A hash of step ${at} is not 64 lower-case hex digits.`);
    const [small, large] = head.size <= own.size ? [head, own] : [own, head];
    if (!(await verifyConsistency(small.size, large.size, small.root, large.root, hashes)))
      return fail(`The trees of ${small.size} and ${large.size} events are not one log: history was changed.`, hex(small.root), hex(large.root));
    const before = heads.at(-1);
    if (at > 0 && before !== undefined && head.size <= before.size) return fail(`Step ${at} is not in the order of sizes.`, `more than ${before.size}`, head.size);
    heads.push(head);
  }
  if (given.since !== undefined) {
    if (typeof given.since !== "string") return fail("The head that you kept is no text.");
    const wrong = await keptHead(given, given.since, heads);
    if (wrong !== undefined) return wrong;
  } else if (heads.length === 1) return skip("There is no other head; give one that you kept to see that the log only grew.");
  const doubt = await doubtful(given, heads.slice(1));
  if (doubt !== undefined) return warn(doubt);
  const kept = given.since === undefined ? "" : ", the one that you kept among them";
  return pass(`All heads are of one log that only grew: ${heads.map((head) => head.size).join(", ")}${kept}.`);
}

async function keptHead(given: Case, note: string, heads: readonly Checkpoint[]): Promise<Found | undefined> {
  let kept: Checkpoint | undefined;
  let why = "there is no key to check it with";
  for (const key of [...given.keys.values(), ...(await usable(given)).map(([, key]) => key)]) {
    try {
      kept ??= await verifyNote(note, key);
    } catch (error) {
      why = (error as Error).message;
    }
  }
  if (kept === undefined) return fail(`The head that you kept does not hold: ${why}.`);
  const { origin, size, root } = kept;
  if (origin !== heads[0]?.origin) return fail("The head that you kept is of another log.", origin, heads[0]?.origin);
  const same = heads.filter((head) => head.size === size);
  if (same.length === 0)
    return fail(`The bundle does not lead to the head of ${size} events that you kept; export it again with since=${size}.`, size, heads.map((head) => head.size).join(", "));
  const other = same.find((head) => hex(head.root) !== hex(root));
  return other === undefined ? undefined : fail(`There are two logs of ${size} events: the one that you kept the head of, and this one.`, hex(root), hex(other.root));
}

/** The keys of the reader's set that can be used. */
async function usable(given: Case): Promise<[Jwk, PublicKey][]> {
  const found: [Jwk, PublicKey][] = [];
  if (given.trusted === undefined) return found;
  let keys: readonly Jwk[];
  try {
    keys = keysOf(given.trusted);
  } catch {
    return found;
  }
  for (const jwk of keys) {
    try {
      found.push([jwk, await loadJwk(jwk)]);
    } catch {
      // a set with such a key was refused before
    }
  }
  return found;
}

/** Why a head of a step is worth less than it looks: its key no longer counts. */
async function doubtful(given: Case, others: readonly Checkpoint[]): Promise<string | undefined> {
  const byKid = new Map((await usable(given)).map(([jwk]) => [jwk.kid, jwk]));
  for (const [at, head] of others.entries())
    for (const kid of await whoSigned(given, given.bundle.consistency[at]?.checkpoint ?? "")) {
      const jwk = byKid.get(kid);
      const why = jwk === undefined ? undefined : standing(jwk, head.signedAt);
      if (why !== undefined) return `The log only grew, but the head of ${head.size} events is signed by key ${kid}. ${why}`;
    }
  return undefined;
}
