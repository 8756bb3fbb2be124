// PCAA: how one action stands at the five checkpoints, and which receipts it owes and left. The rules, with their reasons,
// stand in sdk/assent/pcaa/__init__.py; these are the same.
import { microseconds } from "./proof/time.js";

export const PCAA_CHECKPOINTS = Object.freeze(["pre_action_admissibility", "action_open", "assumption_capture", "approval", "outcome_closure"] as const);
export type PcaaCheckpointId = (typeof PCAA_CHECKPOINTS)[number];
export type PcaaStatus = "complete" | "pending" | "missing" | "not_required" | "denied";

/** `value` is, in the order of the checkpoints: guard's decision, the action's id, the newest assumption's id, the
 * approval's state, the action's status. */
export interface PcaaCheckpoint {
  id: PcaaCheckpointId;
  status: PcaaStatus;
  value: string | null;
}

/** A record as JSON has it. */
export type Row = Readonly<Record<string, unknown>> | object;

const RISK = 60;
const HOUR = 3_600_000_000n;
const FINAL = ["completed", "failed", "cancelled", "blocked"];
const HOOKS = ["coding_assistant", "coding_agent"];

interface Facts {
  readonly action: Readonly<Record<string, string | null>>;
  readonly risk: number | null;
  readonly begun: readonly bigint[];
  readonly assumptions: readonly { id: string; basis: string | null }[];
  readonly state: string | null;
  readonly decidedBy: string | null;
}

/** How an action stands at each of the five checkpoints, in their order, at the moment `now`. Takes what `getAction`
 * answers with. Throws TypeError for a member that is missing or of another type. */
export function buildPcaaCheckpointStates(action: Row, assumptions: readonly Row[] = [], approval: Row | null = null, now: Date = new Date()): PcaaCheckpoint[] {
  return checkpointStates(factsOf(action, assumptions, approval), BigInt(now.getTime()) * 1000n);
}

/** `now` is in microseconds since 1970. */
export function checkpointStates(facts: Facts, now: bigint): PcaaCheckpoint[] {
  const statuses = statusesOf(facts, now);
  const newest = facts.assumptions.at(-1)?.id;
  const { decision, action_id, status } = facts.action;
  const values = [decision, action_id, newest, facts.state, status];
  return PCAA_CHECKPOINTS.map((id, at) => ({ id, status: statuses[at] ?? "missing", value: values[at] || null }));
}

export function receiptsOf(facts: Facts, now: bigint): { enforceability: string; expected: string[]; observed: string[]; completeness: number } {
  const statuses = statusesOf(facts, now);
  const { action } = facts;
  const evidence = [
    action["decision_id"],
    action["action_id"] && action["declared_goal"],
    facts.assumptions.some((each) => each.basis),
    ["approved", "denied"].includes(facts.state ?? "") && facts.decidedBy,
    FINAL.includes(action["status"] ?? "") && (action["output_summary"] || action["error_message"]),
  ];
  const expected = PCAA_CHECKPOINTS.filter((_, at) => statuses[at] !== "not_required");
  const observed = PCAA_CHECKPOINTS.filter((_, at) => evidence[at]);
  const completeness = expected.filter((id) => observed.includes(id)).length / expected.length;
  return { enforceability: enforceabilityOf(action["runtime"], action["source"]), expected, observed, completeness };
}

/** How far guard reaches into an action, by its runtime and its source. */
export function enforceabilityOf(runtime: unknown, source: unknown): string {
  if (source === "import" || runtime === "evidence_import") return "observe_only";
  return HOOKS.includes(String(runtime)) ? "hook_mediated" : "enforce_before_execute";
}

/** What the rules look at of one action. Throws TypeError. */
export function factsOf(action: Row, assumptions: readonly Row[], approval: Row | null): Facts {
  const row = action as Record<string, unknown>;
  const found: Record<string, string | null> = {};
  for (const name of ["action_id", "decision", "decision_id", "status", "runtime", "source", "declared_goal", "output_summary", "error_message"])
    found[name] = text(row, name, "the action");
  const risk = member(row, "risk_score", "the action");
  if (risk !== null && typeof risk !== "number") throw new TypeError("the action cannot be judged: risk_score is no number");
  const begun = ["timestamp_start", "approved_at"].map((name) => time(member(row, name, "the action"), name)).filter((at) => at !== null);
  const asked = approval as Record<string, unknown> | null;
  const foreign = (given: Record<string, unknown>) => (given["action_id"] ?? null) !== null && given["action_id"] !== found["action_id"];
  const state = asked === null ? null : text(asked, "state", "the approval");
  const decidedBy = asked === null ? null : text(asked, "decided_by", "the approval");
  const mine = asked !== null && !foreign(asked);
  const believed = (assumptions as readonly Record<string, unknown>[])
    .map((each) => {
      const id = text(each, "assumption_id", "an assumption");
      if (id === null) throw new TypeError("an assumption cannot be judged: assumption_id is no text");
      return { id, basis: text(each, "basis", "an assumption"), at: time(each["created_at"] ?? null, "created_at"), foreign: foreign(each) };
    })
    .filter((each) => !each.foreign);
  if (believed.every((each) => each.at !== null))
    believed.sort((one, other) => compared(one.at ?? 0n, other.at ?? 0n) || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0));
  return { action: found, risk, begun, assumptions: believed, state: mine ? state : null, decidedBy: mine ? decidedBy : null };
}

function member(row: Record<string, unknown>, name: string, what: string): unknown {
  if (!Object.hasOwn(row, name)) throw new TypeError(`${what} cannot be judged: it has no ${name}`);
  return row[name];
}

function text(row: Record<string, unknown>, name: string, what: string): string | null {
  const found = member(row, name, what);
  if (found !== null && typeof found !== "string") throw new TypeError(`${what} cannot be judged: ${name} is no text`);
  return found;
}

function compared(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A text without an offset is UTC here, as in tables. */
function time(found: unknown, name: string): bigint | null {
  if (found === null) return null;
  const at = microseconds(found) ?? microseconds(`${String(found)}Z`);
  if (at === undefined) throw new TypeError(`${name} is no time`);
  return at;
}

function statusesOf(facts: Facts, now: bigint): PcaaStatus[] {
  const { status, decision } = facts.action;
  const reach = enforceabilityOf(facts.action["runtime"], facts.action["source"]);
  const observes = reach === "observe_only";
  const blocked = status === "blocked";
  const waits = status === "pending_approval";
  const asked = (decision === "require_approval" || facts.state !== null) && !blocked && !observes;
  const matters = asked || (facts.risk !== null && facts.risk >= RISK);
  const believes = matters && !blocked && reach === "enforce_before_execute";
  const refused = ["denied", "expired", "withdrawn"].includes(facts.state ?? "") && status === "cancelled";
  const over = FINAL.includes(status ?? "");
  const begun = facts.begun.reduce<bigint | undefined>((last, at) => (last === undefined || at > last ? at : last), undefined);
  const age = begun === undefined ? 0n : now - begun;
  const lost = age > 24n * HOUR && !waits;
  const stopped = decision === "block" && !observes;
  return [
    !facts.action["decision_id"] ? "missing" : stopped ? "denied" : "complete",
    facts.action["action_id"] ? "complete" : "missing",
    !believes ? "not_required" : facts.assumptions.length > 0 ? "complete" : over || lost ? "missing" : "pending",
    approvalStatus(asked, facts.state),
    blocked || refused || waits ? "not_required" : over ? "complete" : lost ? "missing" : age > HOUR ? "pending" : "not_required",
  ];
}

function approvalStatus(asked: boolean, state: string | null): PcaaStatus {
  if (!asked || state === "withdrawn") return "not_required";
  if (state === "approved") return "complete";
  if (state === "denied") return "denied";
  return state === "awaiting" ? "pending" : "missing";
}
