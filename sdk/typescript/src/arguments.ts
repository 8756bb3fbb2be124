// What stands for a call's arguments in an approval. What JSON carries stands for itself, as in the Python client. What it
// does not carry stands there by its kind and its content, where the content can be read at once; with what is not so, such
// as a file or a stream, the call is refused, since an approval for it would be one for every other.

const DEEPEST = 30;

type Reader = (value: never) => unknown;

/** Kinds of the platform by their global names, and what their content is. */
const CONTENTS: Readonly<Record<string, Reader>> = {
  Date: (value: Date) => value.getTime(),
  Map: (value: Map<unknown, unknown>) => [...value],
  Set: (value: Set<unknown>) => [...value],
  URL: String,
  URLSearchParams: String,
  Headers: (value: Headers) => [...(value as unknown as Iterable<unknown>)],
  FormData: (value: FormData) => [...(value as unknown as Iterable<unknown>)],
  ArrayBuffer: (value: ArrayBuffer) => hexOf(new Uint8Array(value)),
  SharedArrayBuffer: (value: SharedArrayBuffer) => hexOf(new Uint8Array(value)),
  RegExp: String,
  Error: ({ name, message }: Error) => [name, message],
  String,
  Number,
  Boolean: (value: object) => value.valueOf(),
  BigInt: (value: object) => value.valueOf(),
};
/** What holds its content where it cannot be read at once. */
const CLOSED = ["Blob", "Request", "Response", "Promise", "ReadableStream", "WeakMap", "WeakSet", "WeakRef"];

/** The value as JSON. Throws TypeError for what holds what cannot be told. */
export function carried(value: unknown, place: string, depth = 0): unknown {
  const within = (each: unknown, name: string | number) => carried(each, `${place}[${JSON.stringify(name)}]`, depth + 1);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return value;
  if (typeof value === "function" || typeof value === "symbol") throw untold(place, `a ${typeof value}`);
  if (typeof value !== "object") return { [typeof value]: String(value) };
  if (depth > DEEPEST) throw new RangeError(`${place} is nested deeper than ${DEEPEST} levels`);
  const kind = kindOf(value);
  const known = Object.keys(CONTENTS).find((name) => isOf(value, name));
  const symbol = Object.getOwnPropertySymbols(value).find((each) => Object.prototype.propertyIsEnumerable.call(value, each));
  if (CLOSED.some((name) => isOf(value, name))) throw untold(place, `a ${kind}`);
  if (symbol !== undefined && known === undefined) throw untold(place, `the member ${String(symbol)}`);
  const members = (names: string[]) =>
    Object.fromEntries(names.filter((name) => (value as Members)[name] !== undefined).map((name) => [name, within((value as Members)[name], name)]));
  const names = Object.keys(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return members(names);
  let content: unknown;
  let own = names;
  if (Array.isArray(value) || ArrayBuffer.isView(value) || isOf(value, "String")) own = names.filter((name) => !/^\d+$/.test(name));
  if (Array.isArray(value)) {
    content = Array.from(value, within);
    if (own.length === 0 && kind === "Array") return content;
  } else if (ArrayBuffer.isView(value)) content = hexOf(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  else {
    const { toJSON } = value as { toJSON?: unknown };
    if (known !== undefined) content = within(CONTENTS[known]?.(value as never), known);
    else if (typeof toJSON === "function") content = within((toJSON as () => unknown).call(value), "toJSON()");
    else if (own.length === 0) throw untold(place, `a ${kind} without members of its own`);
  }
  if (own.length === 0) return { [kind]: content };
  return content === undefined ? { [kind]: members(own) } : { [kind]: content, members: members(own) };
}

type Members = Record<string, unknown>;

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
