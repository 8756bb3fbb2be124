// What the adapters of agents' frameworks share: one call of a tool as a call of a governed function, and what a model is
// told of one that did not run.
import type { Client } from "./client.js";
import {
  ApprovalDeniedError,
  ApprovalExpiredError,
  ApprovalTimeoutError,
  ApprovalWithdrawnError,
  AssentError,
  GuardBlockedError,
} from "./errors.js";
import type { GovernedOptions } from "./governing.js";
import { governed } from "./index.js";

export interface GovernToolsOptions {
  /** Made from ASSENT_BASE_URL, ASSENT_API_KEY and ASSENT_AGENT_ID unless given. */
  client?: Client;
  /** How long a call waits for a person, in milliseconds; 300000. */
  approvalTimeout?: number;
  /** Further members of every action, such as `session_id` and `systems_touched`. */
  fields?: NonNullable<GovernedOptions["fields"]>;
}

/** A call of a tool that did not run. Its message is for the model; `cause` is what refused it. */
export class ToolRefused extends AssentError {
  constructor(
    readonly tool: string,
    error: AssentError,
  ) {
    super(`${tool} did not run: ${why(error)}`, { cause: error });
  }
}

export interface ToolCall {
  readonly name: string;
  readonly description: unknown;
  readonly input: unknown;
  readonly signal: AbortSignal | undefined;
}

/** What the body gives. Throws ToolRefused where it was not let, and what the body throws. */
export async function called<R>(call: ToolCall, options: GovernToolsOptions, body: () => R | PromiseLike<R>): Promise<R> {
  let began = false;
  // The input is what an approval is bound to.
  const run = (_: unknown): R | PromiseLike<R> => {
    began = true;
    return body();
  };
  const { client, approvalTimeout, fields } = options;
  const described = typeof call.description === "string" ? { tool_description: await toldOf(call.description) } : {};
  const own = fields as Record<string, unknown> | undefined;
  const how: GovernedOptions = {
    actionType: call.name,
    fields: { ...fields, metadata: { ...described, ...(own?.["metadata"] as object | undefined) } },
    ...(approvalTimeout === undefined ? {} : { approvalTimeout }),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  };
  try {
    return await (client === undefined ? governed(run, how) : client.governed(run, how))(call.input);
  } catch (error) {
    if (began || !(error instanceof AssentError)) throw error;
    throw new ToolRefused(call.name, error);
  }
}

const LONGEST = 300;

async function toldOf(description: string): Promise<string> {
  return (await import("./describing.js")).told(description, LONGEST);
}

/** What to do now is in the error's own words, where it is one of a decision. */
function why(error: AssentError): string {
  const what = decided(error);
  if (what !== undefined) return `${what}. ${error.message}`;
  return `Assent could not allow it. ${error.message} Nothing was done. Tell the user; do not work around it.`;
}

function decided(error: AssentError): string | undefined {
  if (error instanceof GuardBlockedError) return "it is not allowed";
  if (error instanceof ApprovalDeniedError) return "a person denied it";
  if (error instanceof ApprovalTimeoutError) return "nobody has approved it yet";
  if (error instanceof ApprovalExpiredError) return "nobody approved it in time";
  if (error instanceof ApprovalWithdrawnError) return "the request was withdrawn";
  return undefined;
}
