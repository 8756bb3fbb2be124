// What stands for a call's arguments: in an approval their digest, to people their text (`describing.ts`), both made of the
// same content, which is read once. What JSON carries stands for itself, as in the Python client. What it does not carry
// stands there by its kind and its content, where the content can be read at once; with what is not so, such as a file or a
// stream, the call is refused, since an approval for it would be one for every other.
import { canonicalText, hex } from "./proof/canonical.js";

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
/** Bytes among which hidden members are looked for: an engine has no names of theirs without one text for each byte. */
const FEW = 65_536;
const MOST_HOLES = 1000;

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
  Array: /^length$/,
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
  const prototype: unknown = Object.getPrototypeOf(value);
  const bytes = ArrayBuffer.isView(value);
  const listed = bytes || Array.isArray(value);
  const plain = !listed && (prototype === null || prototype === Object.prototype);
  const kind = plain ? "Object" : kindOf(value);
  if (!plain && CLOSED.some((name) => isOf(value, name))) throw untold(place, `a ${kind}`);
  const known =
    plain ? undefined
    : listed ? (isOf(value, "Buffer") ? "Buffer" : Object.prototype.toString.call(value).slice(8, -1))
    : Object.keys(CONTENTS).find((name) => isOf(value, name));
  const keys = keysOf(value, place);
  const symbol = known === undefined || Array.isArray(value) ? keys.find((key) => typeof key === "symbol") : undefined;
  if (symbol !== undefined) throw untold(place, `the member ${String(symbol)}`);
  const items = listed || known === "String";
  const beside = BESIDE[items ? "Array" : (known ?? "")];
  const length = items ? (value as { length: number }).length : 0;
  const own = keys.filter((key): key is string => typeof key === "string" && !beside?.test(key) && !(items && isIndex(key, length)));
  const members = (names: string[]) => Object.fromEntries(names.map((name) => [name, within((value as Members)[name], name)]));
  if (plain) {
    const hides = own.length !== Object.keys(value).length;
    return hides ? new Kind(kind, "members", undefined, members(own)) : members(own);
  }
  const inherited = inheritedBy(value, known, place);
  const all = () => members([...new Set([...own, ...inherited])]);
  const read = (as: string, given: unknown) => {
    if (!ArrayBuffer.isView(given)) return new Kind(kind, as, within(given, as), all());
    const view = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
    return new Kind(kind, as, hex(view), all(), view.slice(0, HEAD));
  };
  if (Array.isArray(value)) {
    // All keys but `length` and those of its own are items.
    const holes = length - (keys.length - 1 - own.length);
    if (holes > MOST_HOLES) throw untold(place, `a list of ${length} with ${holes} holes`);
    const found = Array.from({ length }, (_, at) => (at in value ? within(value[at], at) : new Kind("empty", "value")));
    return own.length === 0 && kind === "Array" ? found : new Kind(kind, "Array", found, all());
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
      const hides = [member.value as unknown, member.get, member.set].map(hiding).find(Boolean);
      if (hides) throw untold(place, `a ${kindOf(value)}, ${hides}`);
      if (typeof member.value !== "function" && "value" in member && known === undefined) inherited.push(name);
    }
  }
  return inherited;
}

const HIDING = new WeakMap<object, string>();
/** What compilers make of private members where they go by names of their own. */
const PRIVATE = /\.\s*#[\p{ID_Start}$_\\]|_class_?private|__private[a-z]/iu;
/** `this` and a value, given to a call that may keep one for the other: so a minifier leaves private members, which are then
 * in a WeakMap that nothing here sees. */
const KEPT = /(?<!\b(?:Object|Reflect|JSON|Array|Error)\.\w+|\.(?:call|apply|bind)|_publicField|_define_?property|_class_?call_?check)\s*\(\s*_?this\s*,/i;

/** How the source of a class, or of a method, shows that instances may have content that is no member of theirs. */
function hiding(made: unknown): string {
  if (typeof made !== "function") return "";
  let found = HIDING.get(made);
  if (found === undefined) {
    const source = Function.prototype.toString.call(made);
    found = PRIVATE.test(source) ? "which has private members" : KEPT.test(source) ? "whose class has code keep values for `this`" : "";
    HIDING.set(made, found);
  }
  return found;
}

/** The names and symbols of a value's own members. Throws for one with many bytes and members beside them, of which those
 * that are not hidden are seen. */
function keysOf(value: object, place: string): (string | symbol)[] {
  const { length = 0 } = ArrayBuffer.isView(value) ? (value as ArrayBufferView & { length?: number }) : {};
  if (length <= FEW) return Reflect.ownKeys(value);
  if (Object.values(value).length !== length) throw untold(place, `a ${kindOf(value)} of ${length} with members beside them`);
  return [];
}

function isIndex(name: string, length: number): boolean {
  const at = Number(name);
  return at < length && String(at >>> 0) === name;
}

function isOf(value: object, name: string): boolean {
  const kind = (globalThis as Members)[name];
  return typeof kind === "function" && value instanceof kind;
}

function kindOf(value: object): string {
  const { name } = ((value as { constructor?: unknown }).constructor ?? {}) as { name?: unknown };
  return typeof name === "string" && name ? name : "object";
}

function untold(place: string, what: string): TypeError {
  return new TypeError(`${place} holds ${what}, whose content no digest can tell; give what it stands for as JSON`);
}
