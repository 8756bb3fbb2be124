/** Govern AI agents: ask before acting, wait for approvals, record outcomes, verify proofs. */
import { Client } from "./client.js";
import { NotConfigured } from "./errors.js";
import { checkGoverned, checkPatience, type GovernedOptions, typeOf } from "./governing.js";
import type { ProofVerification, VerifyOptions } from "./proof/verify.js";
import { variable } from "./settings.js";

export { Client } from "./client.js";
export type { ActionContext, GuardOptions, TrackOptions, WaitForApprovalOptions } from "./client.js";
export * from "./errors.js";
export type { GovernedOptions } from "./governing.js";
export { OPERATIONS } from "./operations.js";
export type { Calls } from "./operations.js";
export { buildPcaaCheckpointStates, PCAA_CHECKPOINTS } from "./pcaa.js";
export type { PcaaCheckpoint, PcaaCheckpointId, PcaaStatus } from "./pcaa.js";
export { canonical, digest } from "./proof/canonical.js";
export type { Jwk, Jwks } from "./proof/keys.js";
export type { CheckName, CheckStatus, ProofCheck, ProofVerification, VerifyOptions } from "./proof/verify.js";
export type { ClientOptions } from "./settings.js";
export type { EventsOptions } from "./stream.js";
export type { Answer, Body, CallOptions, DownloadedFile, Event, Query, Schemas } from "./types.js";
export type { WaitOptions } from "./waiting.js";

/** Check a bundle offline: the bytes or the text of its file, or its JSON value. Never rejects; the code for it is loaded
 * when it is first called. */
export async function verifyBundle(bundle: string | Uint8Array | object, options: VerifyOptions = {}): Promise<ProofVerification> {
  return (await import("./proof/verify.js")).verifyBundle(bundle, options);
}

let own: Client | undefined;

/** `Client.governed` with a client of the environment. Throws NotConfigured when it is called without ASSENT_API_KEY. */
export function governed<A extends unknown[], R>(work: (...args: A) => R | PromiseLike<R>, options: GovernedOptions = {}): (...args: A) => Promise<R> {
  checkGoverned(work);
  checkPatience(options.approvalTimeout);
  const actionType = typeOf(work, options);
  return async (...args) => {
    if (own === undefined) {
      if (variable("ASSENT_API_KEY") === undefined) throw new NotConfigured();
      own = new Client();
    }
    return own.governed(work, { ...options, actionType })(...args);
  };
}
