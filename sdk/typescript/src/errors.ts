// Every error that this package raises, by the names of the Python client.
//
// AssentError
//   ApiError                    the service answered, and refused
//     InvalidRequest            400, 405, 413, 422    Unauthorized  401    Forbidden  403    NotFound  404
//     Conflict                  409    Gone  410    TooManyRequests  429    Unavailable  503
//     ServerError               other 5xx, and answers that cannot be read
//   GuardBlockedError           guard said block
//   ApprovalError               ApprovalDeniedError, ApprovalExpiredError, ApprovalWithdrawnError,
//                               ApprovalTimeoutError, NotAwaitingApprovalError
//   PairingError                PairingExpiredError, PairingTimeoutError
//   ActionOverError             the call was made before and is over
//   ArgumentsChanged            what a governed call was given was changed before it ran
//   ConnectionFailed            no answer at all
//     UnboundAnswer             an answer that may be another request's
//     OutcomeLost               an outcome could not be delivered
//   NotConfigured               no key was given, and the environment has none
import type { Schemas } from "./types.js";

type Action = Schemas["Action"];
type Decision = Schemas["GuardResult"];

/** A wrong member of a request, and its place. */
export interface FieldError {
  place: string;
  message: string;
  [name: string]: unknown;
}

export class AssentError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

interface Refusal {
  status: number;
  code: string;
  detail: string;
  details?: readonly FieldError[];
  problem?: Readonly<Record<string, unknown>>;
  retryAfter?: number | undefined;
}

/** The service refused. `code` is stable and what to branch on; `details` names each wrong member; `problem` is the
 * whole body; `retryAfter` is in milliseconds. */
export class ApiError extends AssentError {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly details: readonly FieldError[];
  readonly problem: Readonly<Record<string, unknown>>;
  readonly retryAfter: number | undefined;

  constructor(said: Refusal) {
    const details = said.details ?? [];
    super([`${said.status} ${said.code}: ${said.detail}`, ...details.map((e) => `  - ${e.place}: ${e.message}`)].join("\n"));
    this.status = said.status;
    this.code = said.code;
    this.detail = said.detail;
    this.details = details;
    this.problem = said.problem ?? {};
    this.retryAfter = said.retryAfter;
  }
}

export class InvalidRequest extends ApiError {}
export class Unauthorized extends ApiError {}
export class Forbidden extends ApiError {}
export class NotFound extends ApiError {}
export class Conflict extends ApiError {}
export class Gone extends ApiError {}
export class TooManyRequests extends ApiError {}
export class Unavailable extends ApiError {}
export class ServerError extends ApiError {}

/** Whether a service said so itself: each of its refusals is a problem document of its own type. */
export function isOfService(error: ApiError): boolean {
  return String(error.problem["type"]).startsWith("urn:assent:problem:");
}

/** Guard said block: the action must not run. `actionId` names the recorded attempt where a creation was blocked. */
export class GuardBlockedError extends AssentError {
  readonly code = "action_blocked";
  readonly status = 403;
  readonly decision: Decision;
  readonly reasons: readonly string[];
  readonly actionId: string | undefined;

  constructor(decision: Decision, actionId?: string) {
    const why = decision.reasons.join("; ") || "no reason given";
    const policies = decision.matched_policies.join(", ") || "none";
    const recorded = actionId === undefined ? "" : ` The attempt is recorded as ${actionId}.`;
    super(
      `guard blocked ${decision.action_type}: ${why} (risk ${decision.risk_score}, policies: ${policies}).${recorded} ` +
        "Do not run it, and do not try it again in other words: tell the user what was not allowed. An operator can " +
        "change the policy.",
    );
    this.decision = decision;
    this.reasons = decision.reasons;
    this.actionId = actionId;
  }

  get details(): readonly string[] {
    return this.reasons;
  }
}

/** Waiting for an approval ended without one. */
export class ApprovalError extends AssentError {
  readonly actionId: string;

  constructor(actionId: string, message: string) {
    super(message);
    this.actionId = actionId;
  }
}

/** An operator said no; `reasoning` are the operator's own words. */
export class ApprovalDeniedError extends ApprovalError {
  readonly decision = "deny";
  readonly reasoning: string | undefined;
  readonly action: Action;

  constructor(action: Action, reasoning?: string) {
    super(
      action.action_id,
      `approval of ${action.action_id} (${action.action_type}) was denied: ${reasoning ?? "no reason given"}. ` +
        "Do not run it, and do not try it again in other words: tell the user what was denied and why.",
    );
    this.reasoning = reasoning;
    this.action = action;
  }
}

/** The approval itself ran out; nobody can decide on it any more. */
export class ApprovalExpiredError extends ApprovalError {
  constructor(readonly action: Action) {
    super(
      action.action_id,
      `approval of ${action.action_id} (${action.action_type}) expired before anybody decided. ` +
        "Do not run it: ask the user whether it is still wanted before you try it again.",
    );
  }
}

/** The question was taken back before anybody decided. */
export class ApprovalWithdrawnError extends ApprovalError {
  constructor(
    readonly action: Action,
    readonly reason?: string,
  ) {
    super(
      action.action_id,
      `approval of ${action.action_id} (${action.action_type}) was withdrawn before anybody decided: ` +
        `${reason ?? "no reason given"}. Do not run it: ask the user whether it is still wanted before you try it again.`,
    );
  }
}

/** Nobody decided within `timeout` milliseconds. The action still waits and can still be approved. */
export class ApprovalTimeoutError extends ApprovalError {
  constructor(
    actionId: string,
    readonly timeout: number,
    /** Whether the question was taken back, as that of a governed call is. */
    readonly withdrawn = false,
  ) {
    const then = withdrawn
      ? "It was taken back; call again to ask again, or tell the user."
      : "It still waits: wait for it again, or tell the user " +
        `under which id it waits. An operator decides, as with \`assent approve ${actionId}\`.`;
    super(actionId, `nobody decided on ${actionId} within ${timeout / 1000} s. ${then}`);
  }
}

/** The action reached its end without ever having been approved. */
export class NotAwaitingApprovalError extends ApprovalError {
  constructor(readonly action: Action) {
    super(
      action.action_id,
      `${action.action_id} is ${action.status} and was never approved, so there is nothing to wait for. ` +
        "Create a new action if the work is still to be done.",
    );
  }
}

/** The creation was a repetition (same idempotency key) of one whose action has reached its end. */
export class ActionOverError extends AssentError {
  constructor(readonly action: Action) {
    super(
      `${action.action_id} (${action.action_type}) is ${action.status} already: this call was made before, with the ` +
        "same idempotency key. Do not run it again; if it is wanted once more, create it under another key.",
    );
  }
}

/** The arguments of a governed call are others than those that were asked about; it did not run. */
export class ArgumentsChanged extends AssentError {
  constructor(readonly actionId: string) {
    super(
      `the arguments were changed after ${actionId} was asked about, so it did not run. Do not change what a governed call ` +
        "was given before it is over; call it again with what is wanted now.",
    );
  }
}

/** Waiting for a pairing ended without an identity. */
export class PairingError extends AssentError {
  constructor(
    readonly pairingId: string,
    message: string,
  ) {
    super(message);
  }
}

/** The pairing itself ran out; nobody can approve it any more. */
export class PairingExpiredError extends PairingError {
  constructor(readonly pairing: Schemas["PairingStatus"]) {
    super(
      pairing.pairing_id,
      `pairing ${pairing.pairing_id} of ${pairing.agent_id} expired before an admin approved it. Create a new one, and ` +
        "have an admin at hand.",
    );
  }
}

/** No admin approved within `timeout` milliseconds. The pairing still waits until it expires. */
export class PairingTimeoutError extends PairingError {
  constructor(
    pairingId: string,
    readonly timeout: number,
  ) {
    super(
      pairingId,
      `no admin approved ${pairingId} within ${timeout / 1000} s. Until it expires it still waits: call waitForPairing ` +
        "again, or have an admin approve it.",
    );
  }
}

interface Failure {
  url: string;
  reason: string;
  uncertain?: boolean;
  late?: boolean;
}

/** No answer came. `uncertain`: the service may have carried the call out. `late`: it took longer than it was waited
 * for. `passing`: trying again may help. */
export class ConnectionFailed extends AssentError {
  readonly url: string;
  readonly reason: string;
  readonly uncertain: boolean;
  readonly late: boolean;
  readonly passing: boolean = true;

  constructor(said: Failure, advice?: string, options?: ErrorOptions) {
    const doubt = said.uncertain ? " The call may have been carried out: read the state before repeating it." : "";
    const what =
      advice ??
      "Check that the service runs (`assent start`), that baseUrl is right, and that no proxy or firewall is in between.";
    super(`no answer from ${said.url} (${said.reason}).${doubt} ${what}`, options);
    this.url = said.url;
    this.reason = said.reason;
    this.uncertain = said.uncertain ?? false;
    this.late = said.late ?? false;
  }
}

/** An answer came that does not carry the id of its request, or speaks of another action than the one that was asked about,
 * and was thrown away: it may be the answer to another one. `answered` is another id that it carried. */
export class UnboundAnswer extends ConnectionFailed {
  override readonly passing: boolean;

  constructor(
    url: string,
    readonly answered: string | undefined,
    uncertain: boolean,
    differs?: string,
  ) {
    const reason =
      answered === undefined
        ? "what came carries no x-request-id, so nobody can tell whose answer it is"
        : `what came is the answer to another request: it carries the x-request-id ${JSON.stringify(answered.slice(0, 128))}`;
    super(
      { url, uncertain, reason: differs === undefined ? reason : `what came does not let this action run: ${differs}` },
      differs === undefined
        ? "Whatever is between here and the service has to hand the header x-request-id on, both ways and unchanged. Where " +
            "it cannot be had: acceptUnboundAnswers, or ASSENT_ACCEPT_UNBOUND_ANSWERS=1; an answer that carries another id " +
            "is refused even then."
        : "Nothing ran. Look for what keeps answers, or makes its own, between here and the service.",
    );
    this.passing = answered !== undefined;
  }
}

/** The service could not be told what came of `actionId`, and nobody will report it but the caller. */
export class OutcomeLost extends ConnectionFailed {
  constructor(
    readonly actionId: string,
    said: Failure,
    options?: ErrorOptions,
  ) {
    super(
      said,
      `The outcome of ${actionId} is not recorded: report it again once the service answers. The work is done: do not ` +
        "do it again.",
      options,
    );
  }
}

/** A client has to be made from the environment, which does not say enough. */
export class NotConfigured extends AssentError {
  constructor() {
    super(
      "ASSENT_API_KEY is not set. Set it to an agent's key (`assent keys create`), and ASSENT_BASE_URL to the service's " +
        "address unless it is http://127.0.0.1:8484; or use the method of a client.",
    );
  }
}

const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  400: InvalidRequest,
  401: Unauthorized,
  403: Forbidden,
  404: NotFound,
  405: InvalidRequest,
  408: Unavailable,
  409: Conflict,
  410: Gone,
  413: InvalidRequest,
  415: InvalidRequest,
  422: InvalidRequest,
  429: TooManyRequests,
  431: InvalidRequest,
  503: Unavailable,
};

/** The error for a status. */
export function family(status: number): typeof ApiError {
  return BY_STATUS[status] ?? (status >= 500 || (status >= 200 && status < 300) ? ServerError : ApiError);
}
