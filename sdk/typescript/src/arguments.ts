// What stands for a call's arguments: in an approval their digest, to people their text (`describing.ts`), both made of the
// same content, which is read once. What JSON carries stands for itself, as in the Python client. What it does not carry
// stands there by its kind and its content, where the content can be read at once; with what is not so, such as a file or a
// stream, the call is refused, since an approval for it would be one for every other.
import { canonicalText } from "./proof/canonical.js";

export type Content = null | string | number | boolean | readonly Content[] | Kind | { readonly [name: string]: Content };

/** What is no JSON: `as` says how its content was read, `head` is how it begins, of bytes. */
export class Kind {
  constructor(
    readonly name: string,
    readonly as: string,
    readonly content?: Content,
    readonly members: { readonly [name: string]: Content } = {},
    readonly head?: Uint8Array,
  ) {}
}

const DEEPEST = 30;
/** Bytes that people may be shown. */
const HEAD = 2000;

type Reader = (value: never) => unknown;
type Members = Record<string, unknown>;

const entries: Reader = (value: Iterable<unknown>) => [...value];

/** Kinds of the platform by their global names, and what their content is. */
const CONTENTS: Readonly<Record<string, Reader>> = {
  Date: (value: Date) => value.getTime(),
  Map: entries,
  Set: entries,
  URL: String,
  URLSearchParams: entries,
  Headers: entries,
  FormData: entries,
  ArrayBuffer: (value: ArrayBuffer) => new Uint8Array(value),
  SharedArrayBuffer: (value: SharedArrayBuffer) => new Uint8Array(value),
  RegExp: (value: RegExp) => [String(value), value.lastIndex],
  Error: ({ name, message }: Error) => [name, message],
  String,
  Number,
  Boolean: (value: object) => value.valueOf(),
  BigInt: (value: object) => value.valueOf(),
};
/** What holds its content where it cannot be read at once. */
const CLOSED = ["Blob", "Request", "Response", "Promise", "ReadableStream", "WeakMap", "WeakSet", "WeakRef"];
/** Members that are in the content already, or say where an error was made. */
const BESIDE: Readonly<Record<string, RegExp>> = {
  Array: /^(?:\d+|length)$/,
  RegExp: /^lastIndex$/,
  Error: /^(?:message|stack|line|column|sourceURL|originalLine|originalColumn)$/,
};

/** The content of a value. Throws TypeError for what holds what cannot be told. */
export function contentOf(value: unknown, place: string, depth = 0): Content {
  const within = (each: unknown, name: string | number) => contentOf(each, `${place}[${JSON.stringify(name)}]`, depth + 1);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value) && !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return value;
  if (typeof value === "function" || typeof value === "symbol") throw untold(place, `a ${typeof value}`);
  if (typeof value !== "object") return new Kind(typeof value, "value", Object.is(value, -0) ? "-0" : String(value));
  if (depth > DEEPEST) throw new RangeError(`${place} is nested deeper than ${DEEPEST} levels`);
  const kind = kindOf(value);
  if (CLOSED.some((name) => isOf(value, name))) throw untold(place, `a ${kind}`);
  const bytes = ArrayBuffer.isView(value);
  const listed = bytes || Array.isArray(value);
  const known = listed ? (isOf(value, "Buffer") ? "Buffer" : Object.prototype.toString.call(value).slice(8, -1)) : Object.keys(CONTENTS).find((name) => isOf(value, name));
  const keys = Reflect.ownKeys(value);
  const symbol = known === undefined || Array.isArray(value) ? keys.find((key) => typeof key === "symbol") : undefined;
  if (symbol !== undefined) throw untold(place, `the member ${String(symbol)}`);
  const beside = BESIDE[listed || known === "String" ? "Array" : (known ?? "")];
  const own = keys.filter((key): key is string => typeof key === "string" && !beside?.test(key));
  const members = (names: string[]) => Object.fromEntries(names.map((name) => [name, within((value as Members)[name], name)]));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) {
    const hides = own.some((name) => !Object.prototype.propertyIsEnumerable.call(value, name));
    return hides ? new Kind("Object", "members", undefined, members(own)) : members(own);
  }
  const inherited = inheritedBy(value, known, place);
  const all = () => members([...new Set([...own, ...inherited])]);
  const read = (as: string, given: unknown) => {
    if (!ArrayBuffer.isView(given)) return new Kind(kind, as, within(given, as), all());
    const view = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
    return new Kind(kind, as, hexOf(view), all(), view.slice(0, HEAD));
  };
  if (Array.isArray(value)) {
    const items = Array.from(value, (each, at) => (at in value ? within(each, at) : new Kind("empty", "value")));
    return own.length === 0 && kind === "Array" ? items : new Kind(kind, "Array", items, all());
  }
  if (known !== undefined) return read(known, bytes ? value : CONTENTS[known]?.(value as never));
  if (own.length === 0) throw untold(place, `a ${kind} without members of its own`);
  return new Kind(kind, "members", undefined, all());
}

/** One text for each content: the canonical JSON of what is JSON, and of nothing else. */
export function textOf(content: Content): string {
  return isJson(content) ? canonicalText(content) : `kinds\n${canonicalText(tagged(content))}`;
}

function isJson(content: Content): boolean {
  if (content instanceof Kind) return false;
  return typeof content !== "object" || content === null || Object.values(content).every(isJson);
}

/** As JSON that tells kinds from objects that look like them. */
function tagged(content: Content): unknown {
  if (typeof content !== "object" || content === null) return content;
  if (Array.isArray(content)) return content.map(tagged);
  const of = (members: object) => Object.fromEntries(Object.entries(members).map(([name, each]) => [name, tagged(each as Content)]));
  if (!(content instanceof Kind)) return { members: of(content) };
  const { name, as, members } = content;
  return { kind: name, as, content: content.content === undefined ? [] : [tagged(content.content)], members: of(members) };
}

/** Of the classes of a value below the kind of the platform: the names of what it has by them besides methods. Throws for
 * private members. What their `toJSON` says of them is not asked for: the function gets the value itself. */
function inheritedBy(value: object, known: string | undefined, place: string) {
  const end: unknown = known === undefined ? Object.prototype : ((globalThis as Members)[known] as { prototype: unknown } | undefined)?.prototype;
  const inherited: string[] = [];
  for (let each = Object.getPrototypeOf(value) as object | null; each !== null && each !== end; each = Object.getPrototypeOf(each) as object | null) {
    for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(each))) {
      if (name === "constructor" && hasPrivate(member.value)) throw untold(place, `a ${kindOf(value)}, which has private members`);
      if (typeof member.value !== "function" && "value" in member && known === undefined) inherited.push(name);
    }
  }
  return inherited;
}

/** Whether a class's source uses private members, or what compilers make of them. */
function hasPrivate(made: unknown): boolean {
  return typeof made === "function" && /\.\s*#[\p{ID_Start}$_\\]|_class_?private|__private[a-z]/iu.test(Function.prototype.toString.call(made));
}

function isOf(value: object, name: string): boolean {
  const kind = (globalThis as Members)[name];
  return typeof kind === "function" && value instanceof kind;
}

function kindOf(value: object): string {
  const { name } = ((value as { constructor?: unknown }).constructor ?? {}) as { name?: unknown };
  return typeof name === "string" && name ? name : "object";
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function untold(place: string, what: string): TypeError {
  return new TypeError(`${place} holds ${what}, whose content no digest can tell; give what it stands for as JSON`);
}
