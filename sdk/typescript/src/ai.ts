/** Tools of the AI SDK (Vercel), governed: `generateText({ model, tools: governTools({ search, pay }) })`.
 *
 * Each call of a tool is an action of the tool's name. Where a person has to approve, the call waits; other calls of the
 * same step run meanwhile. A refused call does not run, and throws ToolRefused: the SDK makes a `tool-error` of it, and the
 * model is told why. What a tool throws, and a result of an MCP server that is marked `isError`, is recorded as failed.
 * A tool's own `needsApproval` stays as it is. Of a tool that yields several results the last one counts, and the ones
 * before it are not shown. */
import { Ended } from "./governing.js";
import { called, type GovernToolsOptions, ToolRefused } from "./tools.js";

export { type GovernToolsOptions, ToolRefused };

type Execute = (input: unknown, options: { abortSignal?: AbortSignal } | undefined) => unknown;

const GOVERNED = new WeakSet<object>();

/** Governed copies of these tools, which are left alone. Throws TypeError for a tool that does not run here (it has no
 * `execute`), and for one that is governed already. */
export function governTools<T extends Readonly<Record<string, object>>>(tools: T, options: GovernToolsOptions = {}): T {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, governedTool(name, tool, options)])) as T;
}

function governedTool(name: string, tool: object, options: GovernToolsOptions): object {
  const { execute, description } = tool as { execute?: unknown; description?: unknown };
  if (GOVERNED.has(tool)) throw new TypeError(`${name} is governed already; give the tool itself`);
  if (typeof execute !== "function")
    throw new TypeError(`${name} has no execute, so it does not run here and cannot be governed; give it beside the governed ones`);
  const governs: Execute = (input, given) =>
    called({ name, description, input, signal: given?.abortSignal }, options, async () => judged(await last(execute.call(tool, input, given))));
  const copy = Object.assign(Object.create(Object.getPrototypeOf(tool) as object) as object, tool, { execute: governs });
  GOVERNED.add(copy);
  return copy;
}

/** The last of several results. */
async function last(given: unknown): Promise<unknown> {
  const found = await given;
  if (typeof found !== "object" || found === null || !(Symbol.asyncIterator in found)) return found;
  let result: unknown;
  for await (const each of found as AsyncIterable<unknown>) result = each;
  return result;
}

/** The result, unless it says that the tool failed. */
function judged(result: unknown): unknown {
  if (typeof result === "object" && result !== null && (result as { isError?: unknown }).isError === true)
    throw new Ended(result, "failed", JSON.stringify((result as { content?: unknown }).content) ?? "isError");
  return result;
}
