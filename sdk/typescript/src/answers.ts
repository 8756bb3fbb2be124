// Whether an answer lets this very action run.
//
// An answer that is bound to its request may still be nonsense, or the answer to another question that something in between
// has kept. A call runs only by answers that are whole, that speak of the action that was asked about (the decision and the
// approval in them, too), and that say yes: its status is running, and either guard let it through or its approval is
// approved. Whatever else comes throws.
import { ActionOverError, ApprovalDeniedError, ApprovalExpiredError, ApprovalWithdrawnError, NotAwaitingApprovalError, UnboundAnswer } from "./errors.js";
import { unreadable } from "./transport.js";
import type { Answer, Schemas } from "./types.js";

type Action = Schemas["Action"];
type Approval = Schemas["Approval"];
type Members = Readonly<Record<string, unknown>>;

const GOES: readonly string[] = ["allow", "warn"];
const OVER = ["completed", "failed", "cancelled", "blocked"];
/** The members of an answer that say what may be done, and the texts that they have. */
const TEXTS = { action: ["action_id", "action_type", "status"], decision: ["decision"], approval: ["state"] };

/** One creation, as it was sent. */
export class Question {
  readonly #baseUrl: string;
  readonly #id: unknown;
  readonly #type: unknown;
  readonly #agent: unknown;
  readonly #digest: unknown;
  /** The type as the service keeps it, once it has said so. */
  #kept: string | undefined;

  constructor(baseUrl: string, body: Members) {
    this.#baseUrl = baseUrl;
    this.#id = body["action_id"] ?? body["actionId"];
    this.#type = body["action_type"] ?? body["actionType"];
    this.#agent = body["agent_id"] ?? body["agentId"];
    this.#digest = body["parameters_digest"] ?? body["parametersDigest"];
  }

  /** Whether the action that was created waits for a person; it may run otherwise. */
  created(answer: Answer<"create_action">): boolean {
    checkWhole(this.#baseUrl, "createAction", answer, "action", "decision", ...(answer.approval ? ["approval" as const] : []));
    const { action, approval, decision, idempotent_replay: replay } = answer;
    this.#checkSame(action, answer.action_id);
    this.#checkDecision(action, decision);
    if (approval) this.#checkApproval(action.action_id, approval);
    if (replay && OVER.includes(action.status)) {
      if (approval) settled(action, approval);
      throw new ActionOverError(action);
    }
    if (action.status === "pending_approval") return true;
    if (action.status !== "running" || action.decision === "block" || (approval ? approval.state !== "approved" : !GOES.includes(decision.decision)))
      throw this.#unbound(action.action_id, `the action is ${action.status}, guard decided ${action.decision === "block" ? "block" : decision.decision}, its approval is ${approval?.state ?? "not there"}`);
    return false;
  }

  /** The approval by which an action that waited may run. */
  decided(id: string, { action, approval }: Answer<"get_action">): Approval {
    this.#checkSame(action, id);
    if (approval) this.#checkApproval(id, approval);
    if (action.status === "running" && approval?.state === "approved") return approval;
    throw this.#unbound(id, `the action is ${action.status}, its approval is ${approval?.state ?? "not there"}`);
  }

  claimed(id: string, before: Approval, answer: Answer<"claim_action">): void {
    checkWhole(this.#baseUrl, "claimAction", answer, "action", "approval");
    this.#checkSame(answer.action, id);
    const { action, approval, act_digest: digest } = answer;
    this.#checkApproval(id, approval);
    if (action.status !== "running" || approval.state !== "approved")
      throw this.#unbound(id, `the action that was claimed is ${action.status}, its approval is ${approval.state}`);
    if (!/^sha256:[0-9a-f]{64}$/.test(digest) || approval.act_digest !== digest || (before.act_digest && digest !== before.act_digest))
      throw this.#unbound(id, `what was claimed is ${shown(digest)}, and approved was ${shown(before.act_digest ?? approval.act_digest)}`);
  }

  /** A decision has an id of its own, under which it speaks of the action, too. */
  #checkDecision(action: Action, decision: Answer<"create_action">["decision"]): void {
    const { action_id, decision_id, agent_id } = decision;
    if (decision_id !== (action.decision_id ?? decision_id) || ![decision_id, action.action_id].includes(action_id))
      throw this.#unbound(action.action_id, `its decision is ${shown(action.decision_id)}, and what came decides on ${shown(action_id)}`);
    this.#checkNames(action.action_id, "decision", decision, agent_id);
  }

  #checkApproval(id: string, approval: Approval): void {
    if (approval.action_id !== id) throw this.#unbound(id, `its approval is of ${shown(approval.action_id)}`);
    this.#checkNames(id, "approval", approval, approval.agent_id);
  }

  #checkNames(id: string, what: string, of: { action_type: string; action_type_as_sent?: string | null }, agent: string | null): void {
    if (!this.#isType(of)) throw this.#unbound(id, `its ${what} is about the action_type ${shown(of.action_type)}`);
    if (this.#agent !== undefined && !isName(this.#agent, agent)) throw this.#unbound(id, `its ${what} is about the agent_id ${shown(agent)}`);
  }

  /** An approval says the type only as it is kept: then it is that of the action. */
  #isType({ action_type, action_type_as_sent }: { action_type: string; action_type_as_sent?: string | null }): boolean {
    if (isName(this.#type, action_type, action_type_as_sent) || action_type === this.#kept) {
      this.#kept ??= action_type;
      return true;
    }
    return false;
  }

  #checkSame(action: Action, id: string): void {
    const { action_id, action_type, agent_id, parameters_digest } = action;
    const differs =
      action_id !== id || (this.#id !== undefined && this.#id !== id) ? { action_id }
      : !this.#isType(action) ? { action_type }
      : this.#agent !== undefined && !isName(this.#agent, agent_id) ? { agent_id }
      : this.#digest !== undefined && parameters_digest !== this.#digest ? { parameters_digest }
      : undefined;
    for (const [name, value] of Object.entries(differs ?? {})) throw this.#unbound(id, `its ${name} is ${shown(value)}`);
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

/** A name as the service keeps it (`assent.contract.names`), but for letters that look like others. */
function folded(name: string): string {
  const upper = name.normalize("NFKC").toUpperCase();
  return upper.toLowerCase().normalize("NFKC").trim().replace(/\s+/g, " ");
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function shown(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 200);
}
