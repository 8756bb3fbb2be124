// One call of a governed function, as governance sees it: its name is the action's type, its goal shows it to people, and
// the digest of its arguments is what an approval is bound to. The arguments themselves stay here.
import { digest } from "./proof/canonical.js";
import type { Body, Open } from "./types.js";

export interface GovernedOptions {
  /** The action's type; the function's name. */
  actionType?: string;
  /** What people read: a text, or what makes one of the arguments. Without it the call itself, shortened, without what
   * is named like a secret. */
  declaredGoal?: string | ((...args: never[]) => string);
  /** How long to wait for a person, in milliseconds; 300000. */
  approvalTimeout?: number;
  /** Stops a call that waits. */
  signal?: AbortSignal;
  /** Further members of the action, such as `reversible` and `systems_touched`. */
  fields?: Partial<Body<"create_action">>;
}

interface GovernedCall {
  readonly action: Open<Body<"create_action">>;
  /** What is claimed: with the digest of the arguments as they are now. */
  act(): Promise<Body<"claim_action">>;
}

const SECRET = /(pass(word|wd|phrase)?|secret|token|api_?key|authorization|credentials?|private_?key)$/i;
const LONGEST_TYPE = 128;
const LONGEST_GOAL = 2000;
const LONGEST_VALUE = 120;
const LONGEST_LINE = 500;

/** The function, whose calls go through `run`. */
export function governing<A extends unknown[], R>(
  work: (...args: A) => R | PromiseLike<R>,
  options: GovernedOptions,
  run: (call: GovernedCall, body: () => R | PromiseLike<R>) => Promise<R>,
): (...args: A) => Promise<R> {
  const type = (options.actionType ?? work.name).slice(0, LONGEST_TYPE);
  if (!type) throw new TypeError("the function has no name; give actionType");
  const named = {
    async [type](this: unknown, ...args: A): Promise<R> {
      const goal = cut(goalOf(type, options.declaredGoal, args), LONGEST_GOAL);
      const fields = options.fields as Record<string, unknown> | undefined;
      const metadata = { tool: type, ...(fields?.["metadata"] as object | undefined) };
      const said = async () => ({ parameters_digest: await digest(carried(args, 0)) });
      const action = { ...fields, metadata, action_type: type, declared_goal: goal, ...(await said()) };
      const act = async () => ({
        action_type: type,
        declared_goal: goal,
        systems_touched: (fields?.["systems_touched"] ?? fields?.["systemsTouched"] ?? null) as string[] | null,
        ...(await said()),
      });
      return run({ action, act }, () => work.apply(this, args));
    },
  };
  return named[type] as (...args: A) => Promise<R>;
}

function goalOf(type: string, goal: GovernedOptions["declaredGoal"], args: readonly unknown[]): string {
  if (typeof goal === "string") return goal;
  if (goal !== undefined) return goal(...(args as never[]));
  return cut(`${type}(${args.map((each) => cut(shown(each), LONGEST_VALUE)).join(", ")})`, LONGEST_LINE);
}

function shown(value: unknown): string {
  try {
    const text = JSON.stringify(value, (name, each: unknown) => (SECRET.test(name) ? "[REDACTED]" : typeof each === "bigint" ? String(each) : each));
    return text ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** The arguments as JSON can carry them: what it cannot stands there by its kind and its text. */
function carried(value: unknown, depth: number): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return value;
  if (depth > 30) throw new RangeError("an argument is nested deeper than 30 levels");
  if (Array.isArray(value)) return value.map((each) => carried(each, depth + 1));
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return { [value.constructor.name]: Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("") };
  }
  if (value instanceof Date) return { Date: value.getTime() };
  if (value instanceof Map || value instanceof Set) return { [value.constructor.name]: carried([...value], depth + 1) };
  if (typeof value === "object")
    return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined).map(([name, each]) => [name, carried(each, depth + 1)]));
  return { [typeof value]: String(value) };
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
