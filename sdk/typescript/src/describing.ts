// What people read of a call, and what guard scans: its arguments' content in one line, and texts that others made. What goes
// by the name of a secret, or looks like one, is taken out before anything is shortened, so that no half of it is left.
import { type Content, Kind } from "./arguments.js";
import { hex } from "./proof/canonical.js";
import { displayed } from "./secrets/find.js";
import { hidden, kindOf, namesSecret } from "./secrets/names.js";
import { wellFormed } from "./texts.js";

const LONGEST_VALUE = 120;
const LONGEST_LINE = 500;
/** Signs of one text within a value, and items of a list; what is further behind would be cut off. */
const LONGEST_TEXT = 4 * LONGEST_VALUE;
const MOST = 60;
const LONGEST_SOURCE = 5000;
/** What may hold the name of what its neighbour `value` holds. */
const NAMING = ["name", "key", "field", "header"];
const VALUES = ["value", "values", "val", "default"];

/** `name(argument, ...)`, with the names of the parameters, as far as they are known. */
export function line(name: string, args: Content, parameters: readonly string[]): string {
  const rest = parameters.at(-1)?.startsWith("...") ? parameters.at(-1) : undefined;
  const said = (args as readonly Content[]).map((each, at) => cut(written(each, parameters[at] ?? rest), LONGEST_VALUE));
  return cut(visible(displayed(`${name}(${said.join(", ")})`)), LONGEST_LINE);
}

/** What was thrown, in words: `TypeError: x is not a function`; a text is in words already. Never throws, whatever it was. */
export function words(error: unknown, longest: number): string {
  return told(wordsOf(error), longest);
}

function wordsOf(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message || "stopped from outside"}` : String(error);
  } catch {
    return "what was thrown cannot be written down";
  }
}

/** A text, or its beginning, without what looks like a secret. */
export function told(text: string, longest: number): string {
  return cut(displayed(text), longest);
}

/** The names of a function's parameters, as its source has them; "" for one that is taken apart. */
export function parametersOf(work: (...args: never[]) => unknown): string[] {
  const whole = Function.prototype.toString.call(work).slice(0, LONGEST_SOURCE);
  const source = whole.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g, "");
  const alone = /^(?:async\s+)?([\w$]+)\s*=>/.exec(source);
  if (alone !== null) return [alone[1] ?? ""];
  const names: string[] = [];
  let depth = 0;
  let each = "";
  for (const sign of source.slice(source.indexOf("("))) {
    if ("([{".includes(sign) && depth++ === 0) continue;
    if (")]}".includes(sign)) depth--;
    if (depth > 1 || (depth === 1 && sign !== ",")) {
      each += sign;
      continue;
    }
    names.push(/^\s*((?:\.\.\.)?[\w$]+)/.exec(each)?.[1] ?? "");
    each = "";
    if (depth === 0) break;
  }
  return names;
}

/** A content under its name. */
function written(content: Content | undefined, name = ""): string {
  if (content === undefined) return "";
  if (name !== "" && namesSecret(name)) return JSON.stringify(hidden(kindOf(name) ?? "secret"));
  if (typeof content === "string") return text(content);
  if (typeof content !== "object" || content === null) return String(content);
  if (isList(content)) return `[${items(content)}]`;
  if (!(content instanceof Kind)) return `{${members(content)}}`;
  if (content.as === "value") return content.name === "bigint" ? `${String(content.content)}n` : content.name === "number" ? String(content.content) : content.name;
  const inner = content.head === undefined ? ofKind(content) : bytes(content.head, content.as);
  const more = members(content.members);
  return content.as === "members" ? `${content.name} {${more}}` : `${content.name}(${inner}${more && `, {${more}}`})`;
}

function ofKind({ content, as }: Kind): string {
  if (as === "Date") return typeof content === "number" ? new Date(content).toISOString() : "invalid";
  if (!isList(content) || as === "Array") return written(content);
  if (as === "RegExp" && content[1] === 0) return written(content[0]);
  return as === "Error" ? text(content.join(": ")) : items(content);
}

function items(list: readonly Content[]): string {
  const said = list.slice(0, MOST).map((each, at) => {
    const before = list[at - 1];
    // `["password", "..."]` and `["--password", "..."]`
    const named = typeof before === "string" && (list.length === 2 || before.startsWith("-")) ? before : "";
    return written(each, named);
  });
  return said.join(",") + more(list.length);
}

function members(given: { readonly [name: string]: Content }): string {
  const all = Object.entries(given);
  const naming = all.find(([name, value]) => NAMING.includes(name.toLowerCase()) && typeof value === "string")?.[1];
  const said = all.slice(0, MOST).map(([name, value]) => {
    const named = typeof naming === "string" && VALUES.includes(name.toLowerCase()) && namesSecret(naming) ? naming : name;
    return `${text(name)}:${written(value, named)}`;
  });
  return said.join(",") + more(all.length);
}

/** Bytes that are text as text, whose last sign may be cut off; numbers as numbers. */
function bytes(head: Uint8Array, as: string): string {
  if (/^(?:Big)?(?:Int|Uint\d\d|Float)\d*Array$/.test(as)) {
    const numbers = (globalThis as unknown as Record<string, NumbersOf>)[as];
    if (numbers !== undefined) return items(Array.from(new numbers(head.buffer, 0, Math.floor(head.length / numbers.BYTES_PER_ELEMENT)), String)).replaceAll('"', "");
  }
  try {
    const found = new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    if (!/[\0-\x08\x0e-\x1f]/.test(found)) return text(found);
  } catch {
    // no text
  }
  return `0x${hex(head.slice(0, MOST))}`;
}

interface NumbersOf {
  new (buffer: ArrayBufferLike, at: number, count: number): Iterable<number | bigint>;
  readonly BYTES_PER_ELEMENT: number;
}

function text(said: string): string {
  return JSON.stringify(cut(displayed(said), LONGEST_TEXT));
}

function more(count: number): string {
  return count > MOST ? ",…" : "";
}

/** Without signs that cannot be seen. */
function visible(said: string): string {
  return said.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
}

function isList(content: Content | undefined): content is readonly Content[] {
  return Array.isArray(content);
}

/** The text, or its beginning and `…`: so many code points at most, as the service counts. */
function cut(text: string, longest: number): string {
  const signs = Array.from(wellFormed(text.slice(0, 2 * longest + 2)));
  return signs.length <= longest ? signs.join("") : `${signs.slice(0, longest - 1).join("")}…`;
}
