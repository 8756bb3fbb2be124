// The certificate of an action, made again from its recorded events: the same rules as sdk/assent/proof/story.py and
// sections.py. Whoever has the events and the signed tree head makes the same certificate, to the last character.
import { checkpointStates, enforceabilityOf, factsOf, receiptsOf } from "../pcaa.js";
import { digest, hex, isObject, JsonError, sha256, unhex, utf8 } from "./canonical.js";
import { type Checkpoint, ProofError } from "./keys.js";
import { leafHash } from "./merkle.js";
import { parseStrict } from "./strict.js";
import { microseconds } from "./time.js";

export type Members = Record<string, unknown>;

/** A recorded event whose header was checked. `data` is undefined where it was erased. */
export interface Proven {
  readonly n: number;
  readonly type: string;
  readonly org: string;
  readonly subject: string;
  readonly action: string | undefined;
  readonly leaf: Uint8Array;
  readonly data: Members | undefined;
}

const ACTION = ["action.created", "action.updated"];
const APPROVAL = [
  ...["approval.requested", "approval.decided", "approval.expired", "approval.withdrawn"],
  ...["approval.claimed", "approval.claim_refused", "approval.granted"],
];
const ASSUMPTION = ["assumption.created", "assumption.updated"];
const QUESTION = ["approval_question.created", "approval_question.updated"];
/** Of the standing grant that gave the approval: that it was given, and its use. */
export const GRANT = ["grant.created", "grant.used"];
const DECISION = "guard.decision.created";
const OUTCOME = "outcome.created";
const ERASED = "evidence.erased";
const FINAL = ["completed", "failed", "cancelled", "blocked"];
/** The member of a payload that its header's subject repeats. */
const KEYS = new Map<string, string>([
  ...ACTION.map((type) => [type, "action_id"] as const),
  ...APPROVAL.map((type) => [type, "approval_id"] as const),
  ...ASSUMPTION.map((type) => [type, "assumption_id"] as const),
  ...QUESTION.map((type) => [type, "question_id"] as const),
  ...GRANT.map((type) => [type, "grant_id"] as const),
  [DECISION, "decision_id"],
  [OUTCOME, "action_id"],
]);

const HEADER = /^[A-Za-z0-9_.:-]{1,160}$/;
const BODY = /^\{"salt":"([0-9a-f]{32})","data":(?=\{)/;

/** The event of a header and a body, checked down to the last byte. Throws ProofError. */
export async function readEvent(header: string, body: string | null): Promise<Proven> {
  const wrong = () => new ProofError("the header is not in the canonical form in which events are recorded");
  let read: Members;
  try {
    read = parseStrict(header, { depth: 1 }) as Members;
  } catch (error) {
    throw new ProofError(`the header is no event header of version 1: ${(error as Error).message}`);
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) throw wrong();
  const { action, actor, body_digest, n, org, subject, ts, type, v } = read;
  const names = [actor, org, subject, type, ...(action === undefined ? [] : [action])];
  // Members in the order of RFC 8785; none of the texts needs an escape.
  const again = JSON.stringify({ action, actor, body_digest, n, org, subject, ts, type, v });
  const numbers = [n, ts].every((each) => Number.isSafeInteger(each) && (each as number) >= 0);
  const digested = typeof body_digest === "string" && /^sha256:[0-9a-f]{64}$/.test(body_digest);
  if (again !== header || v !== 1 || !numbers || !digested || !names.every((each) => typeof each === "string" && HEADER.test(each))) throw wrong();
  return {
    n: n as number,
    type: type as string,
    org: org as string,
    subject: subject as string,
    action: action as string | undefined,
    leaf: await leafHash(utf8(header)),
    data: body === null ? undefined : await contentOf(body, body_digest as string),
  };
}

async function contentOf(body: string, expected: string): Promise<Members> {
  const form = BODY.exec(body);
  // The object's own brace closes before that of the body.
  if (form === null || !body.endsWith("}}") || body.length < form[0].length + 3) throw new ProofError('the body is not of the form {"salt":"<32 hex>","data":{...}}');
  const salt = form[1] ?? "";
  const data = body.slice(form[0].length, -1);
  const found = `sha256:${hex(await sha256(unhex(salt) ?? new Uint8Array(), utf8(data)))}`;
  if (found !== expected) throw new ProofError("the body is not what the header's digest was taken over", expected, found);
  try {
    return parseStrict(data, { depth: 129, most: 4_000_000 }) as Members;
  } catch (error) {
    throw new ProofError(`the body is no JSON that everybody reads alike: ${(error as Error).message}`);
  }
}

/** What the events say: the newest row of each subject. */
export interface Story {
  readonly events: readonly Proven[];
  readonly decision: Members | undefined;
  readonly action: Members | undefined;
  readonly approval: Members | undefined;
  readonly assumptions: readonly Members[];
  readonly questions: readonly Members[];
  readonly outcome: Members | undefined;
  readonly erased: Members | undefined;
  readonly erasedEvents: number;
}

/** The events of these types whose content is there. */
export function eventsOf(story: Story, ...types: readonly string[]): (Proven & { data: Members })[] {
  return story.events.filter((each): each is Proven & { data: Members } => types.includes(each.type) && each.data !== undefined);
}

/** Throws ProofError for events that make no certificate. */
export function storyOf(orgId: string, actionId: string, given: readonly Proven[], size: number): Story {
  given.forEach((event, at) => {
    if (event.n <= (given[at - 1]?.n ?? -1) || event.n >= size) throw new ProofError(`event ${event.n} is not in the order of a log of ${size} events`);
  });
  const erasures = given.filter((event) => event.type === ERASED);
  const last = erasures.at(-1)?.n ?? -1;
  const events = given.map((event) => (event.n < last && event.type !== ERASED ? { ...event, data: undefined } : event));
  for (const event of events) {
    checkOwn(event, orgId, actionId);
    if (event.data === undefined && event.n >= last) throw new ProofError(`event ${event.n} (${event.type}) has no content, and no erasure was recorded for it`);
  }
  const created = events.filter((event) => event.type === "action.created");
  if (created.length !== 1) throw new ProofError(`there are ${created.length} creations of action ${actionId} among its events, expected 1`);
  const action = newest(events, ACTION)[0];
  return {
    events,
    decision: decisionOf(events, action ?? erasures.at(-1)?.data),
    action,
    approval: newest(events, APPROVAL).at(-1),
    assumptions: newest(events, ASSUMPTION),
    questions: newest(events, QUESTION),
    outcome: newest(events, [OUTCOME]).at(-1),
    erased: erasures.at(-1)?.data,
    erasedEvents: events.filter((event) => event.n < last).length,
  };
}

function checkOwn(event: Proven, orgId: string, actionId: string): void {
  const what = `event ${event.n} (${event.type})`;
  if (!KEYS.has(event.type) && event.type !== ERASED) throw new ProofError(`${what} is of a type that no certificate has`);
  if (GRANT.includes(event.type) && event.action !== undefined) throw new ProofError(`${what} is of a grant, and names action ${event.action}`);
  const unnamed = (event.type === DECISION && event.action === undefined) || GRANT.includes(event.type);
  if (!unnamed && event.action !== actionId) throw new ProofError(`${what} is about another action`);
  if (event.org !== orgId) throw new ProofError(`${what} is of another organization`);
  const { data } = event;
  if (data === undefined) return;
  if (Object.hasOwn(data, "org_id") && data["org_id"] !== orgId) throw new ProofError(`the content of ${what} is of another organization`);
  if (event.type !== DECISION && Object.hasOwn(data, "action_id") && data["action_id"] !== actionId) throw new ProofError(`the content of ${what} is about another action`);
  const key = KEYS.get(event.type);
  if (key !== undefined && data[key] !== event.subject) throw new ProofError(`${what} and its content are about two things`);
}

function decisionOf(events: readonly Proven[], named: Members | undefined): Members | undefined {
  const [found, ...others] = events.filter((event) => event.type === DECISION);
  if (others.length > 0) throw new ProofError(`there are ${others.length + 1} decisions of guard, expected 1`);
  const wanted = named?.["decision_id"] ?? undefined;
  if (found !== undefined && wanted !== undefined && found.subject !== wanted) throw new ProofError(`event ${found.n} is a decision that is not the action's`);
  return found?.data;
}

/** The newest row of each subject, in the order in which the subjects first came. */
function newest(events: readonly Proven[], types: readonly string[]): Members[] {
  const found = new Map<string, Members>();
  for (const event of events) if (types.includes(event.type) && event.data !== undefined) found.set(event.subject, event.data);
  return [...found.values()];
}

const LISTS = [
  ...["systems_touched", "reasons", "warnings", "matched_policies", "observed_policies", "policy_basis"],
  ...["conditions", "side_effects", "artifacts_created"],
];
const ENVELOPE = [
  ...["agent_id", "agent_name", "swarm_id", "parent_action_id", "session_id", "action_type", "declared_goal"],
  ...["reasoning", "authorization_scope", "trigger", "systems_touched", "input_summary", "reversible", "confidence"],
  ...["agent_risk_score", "runtime", "source", "verification", "timestamp_start", "created_at", "created_by"],
  ...["parameters_digest", "externality"],
];
const DECIDED = [
  ...["decision_id", "decision", "would_decide", "reasons", "warnings", "matched_policies", "observed_policies"],
  ...["risk_score", "risk_breakdown", "evaluated_at"],
];
const RECEIPT: Readonly<Record<string, string>> = {
  ...{ approval_id: "approval_id", state: "state", requested_at: "requested_at", expires_at: "expires_at", decided_at: "decided_at" },
  ...{ reviewer: "decided_by", reviewer_key: "decided_by_key", reasoning: "reasoning", policy_basis: "matched_policies" },
  ...{ reasons: "reasons", conditions: "conditions", valid_until: "valid_until", act_digest: "act_digest" },
  ...{ claimed_at: "claimed_at", claimed_by: "claimed_by", refused_claims: "refused_claims" },
};
const BELIEF = ["assumption_id", "assumption", "basis", "validated", "invalidated", "invalidated_reason", "occurred_at"];
const QUESTIONED = [
  ...["question_id", "text", "conditions", "state", "asked_by", "asked_by_key", "created_at"],
  ...["answer", "replaced_by", "answered_by", "answered_by_key", "closed_at"],
];
const RESULT = [
  ...["status", "output_summary", "side_effects", "artifacts_created", "error_message", "timestamp_end"],
  ...["duration_ms", "cost_estimate", "tokens_in", "tokens_out", "model"],
];
const DURABLE = ["status", "outcome_at", "summary", "error_message", "elapsed_ms", "reported_by"];

/** The certificate that an action's story makes. Throws ProofError for content that cannot be read. */
export async function certificateOf(story: Story, orgId: string, actionId: string, checkpoint: Checkpoint): Promise<Members> {
  try {
    return {
      schema: "svc.certificate.v1",
      org_id: orgId,
      action_id: actionId,
      ...(await sections(story, checkpoint.signedAt)),
      evidence: story.events.map(({ n, type, leaf }) => ({ n, type, leaf_hash: hex(leaf) })),
      log: checkpoint.position,
    };
  } catch (error) {
    if (error instanceof TypeError || error instanceof JsonError) throw new ProofError(error.message);
    throw error;
  }
}

async function sections(story: Story, now: bigint): Promise<Members> {
  const { action, decision, approval, outcome } = story;
  const notRun = nonExecution(story);
  const changes = eventsOf(story, "action.updated").map(({ n, data }) => ({ n, data, change: mapping(data["change"]) }));
  const progress = outcome?.["progress"] ?? null;
  const facts = action === undefined ? undefined : timelyFacts(action, story.assumptions, approval ?? null);
  return {
    status: action?.["status"] ?? null,
    revision: action?.["revision"] ?? null,
    envelope:
      action === undefined
        ? null
        : {
            ...taken(action, ENVELOPE),
            enforceability: enforceabilityOf(action["runtime"], action["source"]),
            context_digest: decision?.["context_digest"] ?? null,
          },
    policy: { version: decision?.["policy_version"] ?? null, digest: decision?.["policy_digest"] ?? null },
    decision: decision === undefined ? null : taken(decision, DECIDED),
    approval: approval === undefined ? null : receipt(approval),
    assumptions: story.assumptions.map((row) => taken(row, BELIEF)),
    outcome: action !== undefined && FINAL.includes(String(action["status"])) && notRun === null ? taken(action, RESULT) : null,
    durable_outcome: outcome === undefined ? null : { ...taken(outcome, DURABLE), progress_digest: progress === null ? null : await digest(progress) },
    non_execution: notRun,
    corrections: changes
      .filter(({ change }) => change["kind"] === "correction")
      .map(({ n, data, change }) => ({
        n,
        at: change["at"] ?? null,
        by: change["by"] ?? null,
        revision: data["revision"] ?? null,
        members: Object.keys(mapping(change["changed"])).sort(byCodePoint),
      })),
    changes: changes.map(({ n, data, change }) => ({
      n,
      at: change["at"] ?? null,
      by: change["by"] ?? null,
      kind: change["kind"] ?? null,
      revision: data["revision"] ?? null,
    })),
    checkpoints: facts === undefined ? [] : checkpointStates(facts, now),
    receipts: facts === undefined ? null : receiptsOf(facts, now),
    erasure: story.erased === undefined ? null : { ...taken(story.erased, ["erased_at", "erased_by", "erased_by_key", "reason"]), events: story.erasedEvents },
    // What only some actions have is not in the certificate of the others.
    ...(story.questions.length > 0 ? { questions: story.questions.map((row) => taken(row, QUESTIONED)) } : {}),
    ...(action !== undefined && Object.hasOwn(action, "replaces") ? { replaces: action["replaces"] } : {}),
  };
}

/** What the rules look at, once its times are those that evidence has. Throws TypeError, and ProofError. */
function timelyFacts(...[action, assumptions, approval]: [Members, readonly Members[], Members | null]): ReturnType<typeof factsOf> {
  const read = [...["timestamp_start", "approved_at"].map((name) => [name, action[name]] as const), ...assumptions.map((row) => ["created_at", row["created_at"]] as const)];
  for (const [name, found] of read)
    if ((found ?? null) !== null && microseconds(found) === undefined) throw new ProofError(`${name} is no time in the form in which evidence has them (RFC 3339, upper-case T, Z or an offset, at most 6 digits of fraction)`);
  return factsOf(action, assumptions, approval);
}

/** The proof that an action did not run, where nothing recorded afterwards says that it ran after all. */
function nonExecution(story: Story): Members | null {
  const { action, approval, decision } = story;
  if (action === undefined || story.outcome !== undefined) return null;
  if (["output_summary", "side_effects", "artifacts_created"].some((name) => isFilled(action[name]))) return null;
  if (action["status"] === "blocked") {
    const stopped = decision?.["decision"] === "block";
    if (!stopped && action["source"] === "live") return null;
    const at = isFilled(action["timestamp_end"]) ? action["timestamp_end"] : (action["created_at"] ?? null);
    return { basis: "blocked", by: stopped ? (action["decision_id"] ?? null) : null, at };
  }
  if (action["status"] !== "cancelled" || approval === undefined) return null;
  const { state } = approval;
  if (!["denied", "expired", "withdrawn"].includes(String(state))) return null;
  const ended = Math.max(-1, ...eventsOf(story, "approval.decided", "approval.expired", "approval.withdrawn").map((each) => each.n));
  const ranLater = eventsOf(story, "action.updated").some((each) => each.n > ended && each.data["status"] !== "cancelled");
  return ranLater ? null : { basis: state, by: approval["approval_id"] ?? null, at: approval["decided_at"] ?? null };
}

function receipt(approval: Members): Members {
  const found: Members = {};
  for (const [name, there] of Object.entries(RECEIPT)) found[name] = approval[there] ?? (LISTS.includes(name) ? [] : null);
  found["refused_claims"] = Object.hasOwn(approval, "refused_claims") ? approval["refused_claims"] : 0;
  // Where it is not recorded it is not in the certificate, so that what was signed before it was stays the same.
  const own = approval["self_decided"] ?? null;
  const grant = approval["grant_id"] ?? null;
  return { ...found, ...(own === null ? {} : { self_decided: own }), ...(grant === null ? {} : { grant_id: grant }) };
}

function taken(row: Members, names: readonly string[]): Members {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? (LISTS.includes(name) ? [] : null)]));
}

/** Lists are in the order of Python's texts there. */
function byCodePoint(one: string, other: string): number {
  const [left, right] = [[...one], [...other]];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const apart = (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? 0);
    if (apart !== 0) return apart;
  }
  return left.length - right.length;
}

function mapping(value: unknown): Members {
  return isObject(value) ? value : {};
}

/** Whether a recorded value says anything: no null, no false, no zero, and nothing that is empty. */
export function isFilled(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}
