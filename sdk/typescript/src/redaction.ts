// The client's own key in what an error tells: a service, a proxy or a fetch of one's own may repeat what it was sent, and
// errors are written to logs.

const REDACTED = "[REDACTED:api_key]";
/** Characters; what is shorter is found in words that have nothing to do with it (`assent.secrets`). */
const SHORTEST = 8;
const MOST = 10_000;

/** The error without the key in its texts, its stack, its cause and whatever else it carries; it is changed in place. */
export function withoutKey<E>(error: E, key: string | undefined): E {
  if (key === undefined || key.length < SHORTEST) return error;
  const forms = [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)];
  const seen = new Set<unknown>();
  const cleaned = (value: unknown): unknown => {
    if (typeof value === "string") return forms.reduce((text, form) => text.replaceAll(form, REDACTED), value);
    if (typeof value !== "object" || value === null || seen.has(value)) return value;
    seen.add(value);
    if (seen.size > MOST) return REDACTED;
    if (value instanceof Headers) return forms.some((form) => JSON.stringify([...(value as unknown as Iterable<unknown>)]).includes(form)) ? REDACTED : value;
    const prototype: unknown = Object.getPrototypeOf(value);
    if (!(value instanceof Error || Array.isArray(value) || prototype === null || prototype === Object.prototype)) return value;
    for (const name of Reflect.ownKeys(value)) {
      const { get, enumerable = false } = Object.getOwnPropertyDescriptor(value, name) ?? {};
      if (get !== undefined && name !== "stack") continue;
      const before: unknown = Reflect.get(value, name);
      const after = cleaned(before);
      if (after === before) continue;
      if (!Reflect.defineProperty(value, name, { value: after, enumerable, configurable: true, writable: true })) return REDACTED;
    }
    return value;
  };
  try {
    return cleaned(error) as E;
  } catch {
    // A proxy that tells nothing.
    return error;
  }
}
