// Whether an answer lets this very action run, and what becomes of the action where it does not.
//
// An answer that is bound to its request may still be nonsense, or the answer to another question that something in between
// has kept. A call runs only by answers that are whole, that speak of the action that was asked about in all their parts, and
// that say yes. The rules are those of the Python client (`assent.client.permission`), and `tests/vectors/answers.json` holds
// both to them.
import type { Client, TrackOptions, WaitForApprovalOptions } from "./client.js";
import {
  ActionOverError,
  ApprovalDeniedError,
  ApprovalExpiredError,
  ApprovalTimeoutError,
  ApprovalWithdrawnError,
  AssentError,
  Conflict,
  Gone,
  NotAwaitingApprovalError,
  UnboundAnswer,
} from "./errors.js";
import { Ended, type GovernedCall, kindOf } from "./governing.js";
import { isA, isStopped, LEAVING, lingering, words } from "./stopping.js";
import { freshId, unreadable } from "./transport.js";
import type { Answer, Body, CallOptions, Open, Schemas } from "./types.js";

type Action = Schemas["Action"];
type Approval = Schemas["Approval"];
type Members = Readonly<Record<string, unknown>>;

const GOES: readonly string[] = ["allow", "warn"];
const OVER = ["completed", "failed", "cancelled", "blocked"];
/** The members of an answer that say what may be done, and the texts that they have. */
const TEXTS = { action: ["action_id", "action_type", "status"], decision: ["decision"], approval: ["state"] };

/** What no change of an action changes. */
const OF_ONE_ACTION = [
  ...(["org_id", "action_id", "action_type", "agent_id", "session_id", "parameters_digest"] as const),
  ...(["idempotency_key", "decision", "decision_id", "approval_id"] as const),
];
/** What an approval has of its action, besides its names. */
const OF_ITS_APPROVAL = ["org_id", "action_id", "approval_id", "parameters_digest"] as const;
const OF_ONE_APPROVAL = ["approval_id", "act_digest"] as const;

export interface Admitted {
  readonly created: Answer<"create_action">;
  readonly question: Question;
  readonly approval: Approval | null | undefined;
}

/** The action, created and let run; with the approval by which it may. Throws what refuses it. */
export async function admit(
  client: Client,
  body: Members,
  options: TrackOptions,
  decided: (id: string, waiting: WaitForApprovalOptions) => Promise<Answer<"get_action">>,
): Promise<Admitted> {
  const { signal, approvalTimeout: timeout } = options;
  const key = options.idempotencyKey ?? freshId();
  const { told } = await import("./describing.js");
  const question = new Question(client.baseUrl, body, key, (text) => told(text, text.length));
  const create = (more?: CallOptions) => client.createAction(body as Open<Body<"create_action">>, { ...options, idempotencyKey: key, ...more });
  let known: Answer<"create_action"> | undefined;
  const patient = async (waiting: WaitForApprovalOptions) => {
    const id = known!.action_id;
    try {
      return await decided(id, waiting);
    } catch (error) {
      // What its caller can find again, by a key or an id of theirs, still waits.
      const found = [options.idempotencyKey, body["idempotency_key"], body["idempotencyKey"], body["action_id"], body["actionId"]];
      if (!(error instanceof ApprovalTimeoutError) || found.some((each) => each != null)) throw error;
      const takenBack = new ApprovalTimeoutError(id, error.timeout, true);
      try {
        await client.withdrawAction(id, await words(takenBack), { within: LEAVING } as CallOptions);
      } catch (refused) {
        // An operator who was quicker counts.
        if (refused instanceof Conflict || refused instanceof Gone) return decided(id, { ...waiting, timeout: 0 });
        throw error;
      }
      throw takenBack;
    }
  };
  try {
    // The answer is waited for even when the call is stopped meanwhile: without it nobody knows what to take back.
    const created = await lingering(signal, (late) => create(late && { signal: late }));
    const waits = question.created(created);
    known = created;
    if (!waits) return { created, question, approval: created.approval };
    const waiting = { withdrawOnAbort: false, ...(timeout !== undefined && { timeout }), ...(signal !== undefined && { signal }) };
    return { created, question, approval: question.decided(created.action_id, await patient(waiting)) };
  } catch (error) {
    // What the service says, and its silence, leaves the action as it is.
    const left = isStopped(signal, error) || isA(error, UnboundAnswer) || !isA(error, AssentError);
    const ours = options.idempotencyKey === undefined && question.key === key;
    if (left && known === undefined && isA(error, UnboundAnswer)) {
      // The same creation again, by its key: the service may have carried it out.
      const again = await create({ within: LEAVING } as CallOptions).catch(() => undefined);
      if (again !== undefined && question.isOf(again) && (ours || !again.idempotent_replay)) await leave(client, again.action, error, signal);
    } else if (left && known !== undefined && !known.idempotent_replay) await leave(client, known.action, error, signal);
    throw error;
  }
}

/** Nobody goes on with an action: its question is taken back, or it is ended where it runs. */
async function leave(client: Client, { action_id: id, status }: Action, error: unknown, signal: AbortSignal | undefined): Promise<void> {
  const message = await words(error);
  const leaving = { within: LEAVING } as CallOptions;
  const report = () => client.updateOutcome(id, { status: isStopped(signal, error) ? "cancelled" : "failed", error_message: message }, leaving);
  if (OVER.includes(status)) return;
  await (status === "pending_approval" ? client.withdrawAction(id, message, leaving).catch(report) : report()).catch(() => undefined);
}

/** Uses the approval, for the arguments as they are now. Where that is refused, the action is ended. */
export async function claim(client: Client, { created, question, approval }: Admitted, call: GovernedCall, signal: AbortSignal | undefined): Promise<void> {
  const id = created.action_id;
  try {
    const act = await call.act();
    question.claimed(id, approval as Approval, await lingering(signal, (late) => client.claimAction(id, act, late && { signal: late })));
  } catch (error) {
    const status = isStopped(signal, error) ? "cancelled" : "failed";
    // Whoever comes second leaves the action to who came first.
    if (!(isA(error, Conflict) && error.code === "receipt_used"))
      await client.updateOutcome(id, { status, error_message: await words(error) }).catch(() => undefined);
    throw error;
  }
}

/** What the work gives. How it ended is told: with its duration, and what it threw. */
export async function worked<T>(client: Client, id: string, work: () => T | PromiseLike<T>, isReported: () => boolean, signal: AbortSignal | undefined): Promise<T> {
  const began = performance.now();
  const duration = () => ({ duration_ms: Math.round(performance.now() - began) });
  let result: T;
  try {
    signal?.throwIfAborted();
    result = over(await work());
  } catch (error) {
    const stopped = isStopped(signal, error);
    const ended = isA(error, Ended) ? error : undefined;
    const outcome: Record<string, unknown> = { ...duration(), error_message: ended === undefined ? await words(error) : ended.why && (await words(ended.why)) };
    if (!(stopped && isReported())) outcome["status"] = ended?.status ?? (stopped ? "cancelled" : "failed");
    const leaving = stopped ? { within: LEAVING } : {};
    // The work's own error is not hidden by a report that did not get through.
    await client.call("updateOutcome", id, outcome, leaving).catch(async (trouble: unknown) => {
      console.warn(`The end of ${id} could not be reported: ${await words(trouble)}`);
    });
    throw error;
  }
  await client.call("updateOutcome", id, isReported() ? duration() : { status: "completed", ...duration() });
  return result;
}

/** What a call gave. Throws TypeError for what begins or goes on only where it is read or awaited, in the platform's own
 * containers too: nobody could say how that ends. */
function over<T>(result: T): T {
  const seen = new Set<unknown>();
  const left: unknown[] = [result];
  let gave: string | undefined;
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if (isAwaited(value)) {
      gave ??= "the call gave a Promise in what it gave, which goes on when its action is over; await it in the function";
      // Whoever gave it can no longer be told that it failed.
      Promise.resolve(value).catch(() => undefined);
    } else if (Symbol.asyncIterator in value || /^Generator$|^Iterator Helper$|^ReadableStream$/.test(kindOf(value)))
      gave ??= `the call gave a ${kindOf(value)}, which is read when its action is over; read it in the function, and give what was read`;
    else for (const part of partsOf(value)) left.push(part);
  }
  if (gave !== undefined) throw new TypeError(gave);
  return result;
}

function isAwaited(value: object): boolean {
  return value instanceof Promise || kindOf(value) === "Promise";
}

/** What a container holds. What a getter would give is left alone. */
function partsOf(value: object): Iterable<unknown> {
  if (Array.isArray(value) || value instanceof Set) return value;
  if (value instanceof Map) return [...value.keys(), ...value.values()];
  const form: unknown = Object.getPrototypeOf(value);
  return form === null || form === Object.prototype ? Object.values(Object.getOwnPropertyDescriptors(value)).map((each) => each.value as unknown) : [];
}

/** One creation, as it was sent. */
export class Question {
  readonly #baseUrl: string;
  readonly #asked: Members;
  readonly #displayed: (text: string) => string;
  /** By which it is found again. */
  readonly key: unknown;
  /** The action as it was created, and its approval. */
  #action: Action | undefined;
  #approval: Approval | null | undefined;

  /** `displayed` takes out of a text what looks like a secret, as the service does. */
  constructor(baseUrl: string, body: Members, key: string, displayed: (text: string) => string) {
    this.#baseUrl = baseUrl;
    this.#displayed = displayed;
    const said = (name: string, camel: string) => body[name] ?? body[camel];
    this.key = said("idempotency_key", "idempotencyKey") ?? key;
    this.#asked = {
      action_id: said("action_id", "actionId"),
      action_type: said("action_type", "actionType"),
      agent_id: said("agent_id", "agentId"),
      session_id: said("session_id", "sessionId"),
      parameters_digest: said("parameters_digest", "parametersDigest"),
      idempotency_key: this.key,
    };
  }

  /** Whether the action that was created waits for a person; it may run otherwise. */
  created(answer: Answer<"create_action">): boolean {
    checkWhole(this.#baseUrl, "createAction", answer, "action", "decision", ...(answer.approval ? ["approval" as const] : []));
    const { action, approval, decision, idempotent_replay: replay } = answer;
    this.#checkAsked(answer);
    this.#checkDecision(action, decision);
    if (approval) this.#checkApproval(action, approval);
    [this.#action, this.#approval] = [action, approval];
    if (replay && OVER.includes(action.status)) {
      if (approval) settled(action, approval);
      throw new ActionOverError(action);
    }
    if (action.status === "pending_approval") return true;
    if (action.status !== "running" || action.decision === "block" || !(approval || GOES.includes(decision.decision)))
      throw this.#unbound(action.action_id, `the action is ${action.status}, guard decided ${action.decision === "block" ? "block" : decision.decision}, its approval is ${approval?.state ?? "not there"}`);
    if (approval) this.#checkYes(action.action_id, approval);
    return false;
  }

  /** The approval by which an action that waited may run. */
  decided(id: string, { action, approval }: Answer<"get_action">): Approval {
    this.#checkSame(id, action);
    if (!approval) throw this.#unbound(id, "its approval is not there");
    this.#checkApproval(action, approval);
    this.#checkYes(id, approval);
    return approval;
  }

  claimed(id: string, before: Approval, answer: Answer<"claim_action">): void {
    checkWhole(this.#baseUrl, "claimAction", answer, "action", "approval");
    const { action, approval, act_digest: digest } = answer;
    this.#checkSame(id, action);
    this.#checkApproval(action, approval);
    this.#checkYes(id, approval);
    if (!/^sha256:[0-9a-f]{64}$/.test(digest) || approval.act_digest !== digest || (before.act_digest && digest !== before.act_digest))
      throw this.#unbound(id, `what was claimed is ${shown(digest)}, and approved was ${shown(before.act_digest ?? approval.act_digest)}`);
    const { claimed_at: claimed, valid_until: until } = approval;
    if (!isBefore(claimed, until ?? claimed, until == null)) throw this.#unbound(id, `it was claimed at ${shown(claimed)}, and was valid until ${shown(until)}`);
  }

  /** Whether a creation's answer is about this action, whatever it says of it. */
  isOf(answer: Answer<"create_action">): boolean {
    try {
      this.#checkAsked(answer);
      return true;
    } catch {
      return false;
    }
  }

  #checkAsked({ action, decision, action_id: id }: Answer<"create_action">): void {
    const { action_type: type, agent_id: agent, ...rest } = this.#asked;
    const spelt = decision?.action_type_as_sent;
    const is = (name: string) => [rest[name], this.#displayed(String(rest[name]))].includes(action[name as keyof Action]);
    const differing =
      action.action_id !== id ? "action_id"
      : !isName(type, action.action_type, action.action_type_as_sent, spelt) ? "action_type"
      : agent !== undefined && !isName(agent, action.agent_id) ? "agent_id"
      : Object.keys(rest).find((name) => rest[name] !== undefined && !is(name));
    if (differing !== undefined) throw this.#unbound(id, `its ${differing} is ${shown(action[differing as keyof Action])}`);
  }

  /** What tells of the action later tells of the same. */
  #checkSame(id: string, action: Action): void {
    const before = this.#action as Action;
    for (const name of OF_ONE_ACTION)
      if ((action[name] ?? null) !== (before[name] ?? null)) throw this.#unbound(id, `its ${name} is ${shown(action[name])}, and was ${shown(before[name])}`);
    if (action.status !== "running") throw this.#unbound(id, `the action is ${action.status}`);
  }

  /** A decision has an id of its own, under which it speaks of the action, too. */
  #checkDecision(action: Action, decision: Answer<"create_action">["decision"]): void {
    const { action_id: id, decision_id, action_type, agent_id } = decision;
    const wrong =
      decision_id !== action.decision_id ? { decision_id }
      : decision.decision !== action.decision ? { decision: decision.decision }
      : id !== decision_id && id !== action.action_id ? { action_id: id }
      : !isOne(action.agent_id, agent_id) ? { agent_id }
      : !isOne(action.action_type, action_type) ? { action_type }
      : {};
    for (const [name, value] of Object.entries(wrong)) throw this.#unbound(action.action_id, `its decision's ${name} is ${shown(value)}`);
  }

  #checkApproval(action: Action, approval: Approval): void {
    const wrong =
      OF_ITS_APPROVAL.find((name) => (approval[name] ?? null) !== (action[name] ?? null)) ??
      (["action_type", "agent_id"] as const).find((name) => !isOne(action[name], approval[name])) ??
      OF_ONE_APPROVAL.find((name) => this.#approval && (approval[name] ?? null) !== (this.#approval[name] ?? null));
    if (wrong !== undefined) throw this.#unbound(action.action_id, `its approval's ${wrong} is ${shown(approval[wrong])}`);
  }

  /** Times of the service are compared with each other: the clock here may be another one. */
  #checkYes(id: string, { state, decided_at: decided, expires_at: expires }: Approval): void {
    if (state !== "approved") throw this.#unbound(id, `its approval is ${state}`);
    if (!isBefore(decided, expires)) throw this.#unbound(id, `its approval was decided at ${shown(decided)}, and expired at ${shown(expires)}`);
  }

  #unbound(id: string, why: string): UnboundAnswer {
    return new UnboundAnswer(`${this.#baseUrl}/api/actions/${id}`, undefined, true, why);
  }
}

/** Throws ServerError for an answer without what says what may be done. */
export function checkWhole(baseUrl: string, operation: string, answer: object, ...members: readonly (keyof typeof TEXTS)[]): void {
  for (const member of members) {
    const value = (answer as Members)[member];
    const whole = typeof value === "object" && value !== null && TEXTS[member].every((name) => isText((value as Members)[name]));
    if (!whole) throw unreadable(200, `${baseUrl} answered ${operation} with something that cannot be read: ${member} has not ${TEXTS[member].join(", ")}`);
  }
}

/** Whether an action may run; it still waits otherwise. Throws what the wait ended with otherwise. */
export function settled(action: Action, approval: Approval | null | undefined): boolean {
  if (!approval) {
    if (action.status === "pending_approval") return false;
    if (action.status === "running" || action.status === "pending") return true;
    throw new NotAwaitingApprovalError(action);
  }
  switch (approval.state) {
    case "approved":
      return true;
    case "denied":
      throw new ApprovalDeniedError(action, approval.reasoning ?? action.error_message ?? undefined);
    case "expired":
      throw new ApprovalExpiredError(action);
    case "withdrawn":
      throw new ApprovalWithdrawnError(action, approval.reasoning ?? undefined);
    default:
      return false;
  }
}

/** Whether one of these is a spelling of the name that was sent. */
function isName(sent: unknown, ...answered: readonly unknown[]): boolean {
  return isText(sent) && answered.some((each) => isText(each) && folded(each) === folded(sent));
}

/** Whether two of the service's names are one, or neither is there. */
function isOne(name: string | null | undefined, other: string | null | undefined): boolean {
  return name == null ? other == null : isName(name, other);
}

function isBefore(time: string | null | undefined, end: string | null | undefined, orAt = false): boolean {
  const [at, until] = [time, end].map((each) => Date.parse(each ?? ""));
  return orAt ? at === until : (at as number) < (until as number);
}

/** A name as the service keeps it (`assent.contract.names`), but for letters that look like others. */
function folded(name: string): string {
  return normal(normal(name).toUpperCase().toLowerCase()).trim().replace(/\s+/g, " ");
}

/** A text in normal form, with at most 30 marks in a row, which are put in order in the square of their number. */
function normal(text: string): string {
  return text.replace(/([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu, "$1").normalize("NFKC");
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function shown(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 200);
}
