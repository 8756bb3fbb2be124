// One call of a governed function, as governance sees it: its name is the action's type, its goal shows it to people, and
// the digest of its arguments is what an approval is bound to. The arguments themselves stay here.
import { type Content, contentOf, textOf } from "./arguments.js";
import { hex, sha256, utf8 } from "./proof/canonical.js";
import type { Body, Open } from "./types.js";

export interface GovernedOptions {
  /** The action's type; the function's name, without the `bound` of a bound one. Policies know actions by it: a bundler that
   * makes names shorter changes it, so give it there, or have the bundler keep names (`keepNames` of esbuild). A name of one
   * or two letters, digits, `$` and `_` is refused. */
  actionType?: string;
  /** What people read: a text, or what makes one of the arguments. Without it the call itself, shortened. What goes by
   * the name of a secret, or looks like one, is taken out of either. */
  declaredGoal?: string | ((...args: never[]) => string);
  /** How long to wait for a person, in milliseconds; 300000. */
  approvalTimeout?: number;
  /** Stops a call that waits. */
  signal?: AbortSignal;
  /** Further members of the action, such as `reversible` and `systems_touched`. */
  fields?: Partial<Body<"create_action">>;
}

export interface GovernedCall {
  readonly action: Open<Body<"create_action">>;
  /** What is claimed: with the digest of the arguments as they are now. */
  act(): Promise<Body<"claim_action">>;
  /** Whether the arguments are others by now than those that were asked about. */
  isChanged(): boolean;
}

/** Thrown by a body that has a result and yet did not complete: frameworks make results of errors, and stop in the middle to
 * go on later. `result` is what the call gives, `status` what is reported. */
export class Ended extends Error {
  constructor(
    readonly result: unknown,
    readonly status: "completed" | "failed" | "cancelled",
    readonly why?: string,
  ) {
    super(why);
  }
}

const LONGEST_TYPE = 128;
const LONGEST_GOAL = 2000;

/** The function, whose calls go through `run`. */
export function governing<A extends unknown[], R>(
  work: (...args: A) => R | PromiseLike<R>,
  options: GovernedOptions,
  run: (call: GovernedCall, body: () => R | PromiseLike<R>) => Promise<R>,
): (...args: A) => Promise<R> {
  checkGoverned(work);
  checkPatience(options.approvalTimeout);
  const type = typeOf(work, options).slice(0, LONGEST_TYPE);
  const named = {
    async [type](this: unknown, ...args: A): Promise<R> {
      // Read at once: whoever calls may go on with what was given here.
      const content = contentOf(args, type);
      const read = () => textOf(contentOf(args, type));
      const asked = textOf(content);
      const given = typeof options.declaredGoal === "function" ? options.declaredGoal(...(args as unknown[] as never[])) : options.declaredGoal;
      if (given !== undefined && typeof given !== "string") throw new TypeError(`declaredGoal is ${kindOf(given)}; give a text, or a function that gives one at once`);
      const goal = await goalOf(work, type, content, given);
      const fields = options.fields as Record<string, unknown> | undefined;
      const metadata = { tool: type, ...(fields?.["metadata"] as object | undefined) };
      const said = async (text: string) => ({ parameters_digest: `sha256:${hex(await sha256(utf8(text)))}` });
      const action = { ...fields, metadata, action_type: type, declared_goal: goal, ...(await said(asked)) };
      const act = async () => ({
        action_type: type,
        declared_goal: goal,
        systems_touched: (fields?.["systems_touched"] ?? fields?.["systemsTouched"] ?? null) as string[] | null,
        ...(await said(read())),
      });
      return run({ action, act, isChanged: () => read() !== asked }, () => work.apply(this, args));
    },
  };
  return named[type] as (...args: A) => Promise<R>;
}

/** The code for it is loaded by the first call. */
async function goalOf(work: (...args: never[]) => unknown, type: string, content: Content, given: string | undefined): Promise<string> {
  const { line, parametersOf, told } = await import("./describing.js");
  return given === undefined ? line(type, content, parametersOf(work)) : told(given, LONGEST_GOAL);
}

/** The type of a function's actions. Throws TypeError where it is not given and the function's name cannot be it. */
export function typeOf(work: { readonly name: string }, { actionType }: GovernedOptions): string {
  const type = actionType ?? String(work.name).replace(/^(?:bound )+/, "");
  if (!type) throw new TypeError("the function has no name; give actionType");
  if (actionType === undefined && /^[\w$]{1,2}$/.test(type))
    throw new TypeError(`the function's name is ${type}, which a bundler may have made and no policy knows; give actionType`);
  return type;
}

/** The name of a value's kind, as the platform tells it. */
export function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Throws TypeError for what does not run when it is called. */
export function checkGoverned(work: unknown): void {
  if (typeof work !== "function" || /^class\b/.test(Function.prototype.toString.call(work)))
    throw new TypeError(`${typeof work === "function" ? `the class ${work.name}` : String(work)} cannot be governed; give a function`);
  if (/Generator/.test(kindOf(work)))
    throw new TypeError(
      `${work.name || "it"} is a generator function: it would run after its action was over. Govern or track the function that ` +
        "goes through it",
    );
}

/** Throws RangeError for a time that nobody can wait. */
export function checkPatience(approvalTimeout: number | undefined): void {
  if (approvalTimeout !== undefined && !(approvalTimeout >= 0))
    throw new RangeError(`approvalTimeout is ${approvalTimeout}; give milliseconds, 0 or more`);
}
