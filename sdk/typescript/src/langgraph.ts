/** Tools of LangGraph.js and LangChain.js, governed:
 *
 *     new ToolNode(governTools([search, pay]))
 *     createAgent({ model, tools: governTools([search, pay]) })
 *     createMiddleware({ name: "assent", wrapToolCall: wrapToolCall() })     // all tools of an agent; put it last
 *
 * One of them is enough; two would ask twice. Each call of a tool is an action of the tool's name, with the arguments that
 * the tool's schema makes, which are those that run; nobody is asked about arguments that do not fit it. Where a person has
 * to approve, the call waits; other calls of the same turn run meanwhile. A refused call does not run, and becomes the tool's
 * message with the status `error`, so that the model is told. What a tool throws, and a message of that status, is recorded
 * as failed; a call that interrupts its graph by itself is recorded as cancelled, and is asked about anew when the graph
 * goes on. */
import { contentOf, textOf } from "./arguments.js";
import { Ended } from "./governing.js";
import { called, type GovernToolsOptions, type ToolCall, ToolRefused } from "./tools.js";

export { type GovernToolsOptions, ToolRefused };

interface Named {
  name: string;
  description?: unknown;
}

interface Request {
  toolCall: { name: string; args: unknown; id?: string | undefined };
  tool?: unknown;
  runtime?: unknown;
}

const GOVERNED = new WeakSet<object>();

/** Governed copies of these tools, which are left alone. Throws TypeError for what cannot be invoked, such as the
 * description of a tool that runs at a model's provider, and for a tool that is governed already. */
export function governTools<T extends object>(tools: readonly T[], options: GovernToolsOptions = {}): T[] {
  return tools.map((tool) => governedTool(tool, options));
}

/** What `createMiddleware` of LangChain.js takes to govern each call of an agent's tools. */
export function wrapToolCall(options: GovernToolsOptions = {}) {
  return async <R extends Request, A>(request: R, handler: (request: R) => A | Promise<A>): Promise<A> => {
    const { name, args, id } = request.toolCall;
    const { description, schema } = (request.tool ?? {}) as Partial<Named> & { schema?: unknown };
    const { signal } = (request.runtime ?? {}) as { signal?: AbortSignal };
    return (await told(name, id, async () => {
      const input = await parsed(name, schema, args);
      const exactly = { ...request, toolCall: { ...request.toolCall, args: input } };
      return ran({ name, description, input, signal }, options, async () => handler(exactly));
    })) as A;
  };
}

function governedTool<T extends object>(tool: T, options: GovernToolsOptions): T {
  const { name, description, invoke, schema } = tool as T & Partial<Named> & { invoke?: unknown; schema?: unknown };
  if (GOVERNED.has(tool)) throw new TypeError(`${name} is governed already; give the tool itself`);
  if (typeof invoke !== "function" || !name)
    throw new TypeError(`${JSON.stringify(tool)} cannot be governed; give a tool of LangChain that is invoked here`);
  const copy = Object.create(Object.getPrototypeOf(tool) as object, Object.getOwnPropertyDescriptors(tool)) as T;
  const inside = parsesItself(tool);
  for (const method of ["invoke", "call", "_call", "func"]) {
    const own: unknown = (tool as Record<string, unknown>)[method];
    if (typeof own !== "function") continue;
    const outer = method === "invoke" || method === "call";
    const value = async (input: unknown, ...more: unknown[]): Promise<unknown> => {
      const config = more[outer ? 0 : 1] as Config | undefined;
      const asked = isCall(input) ? input : undefined;
      const id = asked?.id ?? config?.toolCall?.id;
      // LangChain's own methods come to `_call` of the copy, with what the schema made of the arguments.
      if (outer && inside) return told(name, id, async () => own.call(copy, input, ...more) as unknown);
      const run = (args: unknown) => {
        const exactly = asked === undefined ? args : { ...asked, args };
        return ran({ name, description, input: args, signal: config?.signal }, options, () => yielded(own.call(tool, exactly, ...more), more[0]));
      };
      const args = asked === undefined ? input : asked.args;
      if (!outer) return inside ? run(args) : told(name, id, () => run(args));
      return told(name, id, async () => run(await parsed(name, schema, args)));
    };
    Object.defineProperty(copy, method, { value, configurable: true, writable: true });
  }
  GOVERNED.add(copy);
  return copy;
}

interface Config {
  signal?: AbortSignal;
  toolCall?: { id?: string };
}

/** Whether a tool is invoked by LangChain's own methods, which parse its arguments and hand them to `_call`. By their
 * shape: a program may have several copies of LangChain. */
function parsesItself(tool: object): boolean {
  const owner = (name: string): object | undefined => {
    for (let each: object | null = tool; each !== null; each = Object.getPrototypeOf(each) as object | null) if (Object.hasOwn(each, name)) return each;
    return undefined;
  };
  const structured = owner("invoke");
  const own = (of: object | undefined) => (of as { constructor?: { name?: unknown } } | undefined)?.constructor?.name;
  if (structured === undefined || !Object.hasOwn(structured, "call") || !Object.hasOwn(structured, "lc_namespace") || own(structured) !== "StructuredTool") return false;
  return owner("_call") !== undefined && ["StructuredTool", "Tool", "DynamicTool", "DynamicStructuredTool"].includes(String(own(owner("call"))));
}

/** What a schema makes of arguments, where it makes no more of that; the arguments themselves otherwise. Throws Misfit. */
async function parsed(name: string, schema: unknown, input: unknown): Promise<unknown> {
  const { parseAsync } = (schema ?? {}) as { parseAsync?: (input: unknown) => Promise<unknown> };
  if (typeof parseAsync !== "function" || typeof input !== "object") return input;
  const parse = (given: unknown) => parseAsync.call(schema, given);
  const found = await parse(input).catch((error: unknown) => {
    throw new Misfit(`${name} did not run: its arguments do not fit its schema. ${String(error)}`);
  });
  // The tool parses once more what it is given.
  const same = await parse(found).then((again) => textOf(contentOf(again, name)) === textOf(contentOf(found, name)), () => false);
  return same ? found : input;
}

class Misfit extends Error {}

/** What the body gives, or the message that the model gets instead. */
async function told(name: string, id: string | undefined, body: () => Promise<unknown>): Promise<unknown> {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof ToolRefused || error instanceof Misfit)) throw error;
    if (id === undefined) return error.message;
    const { ToolMessage } = await import("@langchain/core/messages");
    return new ToolMessage({ content: error.message, name, tool_call_id: id, status: "error" });
  }
}

/** What the body gives, governed. */
async function ran(call: ToolCall, options: GovernToolsOptions, body: () => Promise<unknown>): Promise<unknown> {
  const result = await called(call, options, () => judged(body()));
  if (result instanceof Paused) throw result.signal;
  return result;
}

/** What a tool gives; one that yields has its events told on the way. */
async function yielded(given: unknown, manager: unknown): Promise<unknown> {
  const found = await given;
  if (Object.prototype.toString.call(found) !== "[object AsyncGenerator]") return found;
  const generator = found as AsyncGenerator<unknown, unknown, void>;
  const { handleToolEvent } = (manager ?? {}) as { handleToolEvent?: (event: unknown) => Promise<void> };
  try {
    for (;;) {
      const { done, value } = await generator.next();
      if (done === true) return value;
      await handleToolEvent?.call(manager, value);
    }
  } finally {
    await generator.return(undefined);
  }
}

/** Instead of a result: what the graph has to be told. */
class Paused {
  constructor(readonly signal: unknown) {}
}

/** The result, unless it is the message of an error, or a word to the graph. */
async function judged(body: Promise<unknown>): Promise<unknown> {
  let result: unknown;
  try {
    result = await body;
  } catch (error) {
    const { is_bubble_up: signal, name } = (error ?? {}) as { is_bubble_up?: unknown; name?: unknown };
    if (signal !== true) throw error;
    if (name === "ParentCommand") throw new Ended(new Paused(error), "completed");
    throw new Ended(new Paused(error), "cancelled", "the graph was interrupted in the middle of this call");
  }
  const { status, tool_call_id: message, content } = (result ?? {}) as Record<string, unknown>;
  if (status === "error" && message !== undefined)
    throw new Ended(result, "failed", typeof content === "string" ? content : JSON.stringify(content));
  return result;
}

function isCall(input: unknown): input is { id?: string; args: unknown } {
  return typeof input === "object" && input !== null && (input as { type?: unknown }).type === "tool_call" && "args" in input;
}
