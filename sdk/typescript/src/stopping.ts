// Being stopped from outside, by the signal of a call.

/** Milliseconds that may pass between being stopped and going. */
export const LEAVING = 5_000;
/** Signs of an error's message. */
const LONGEST_MESSAGE = 4000;

/** Whether this is what a call was stopped with from outside. */
export function isStopped(signal: AbortSignal | undefined, error: unknown): boolean {
  return signal?.aborted === true && error === signal.reason;
}

/** Whether what was thrown is one of these. A proxy may throw when it is asked: then it is none. */
export function isA<T>(thrown: unknown, kind: abstract new (...args: never[]) => T): thrown is T {
  try {
    return thrown instanceof kind;
  } catch {
    return false;
  }
}

/** What was thrown, or a message, without what looks like a secret, and then as long as its place takes. */
export async function words(error: unknown): Promise<string> {
  return (await import("./describing.js")).words(error, LONGEST_MESSAGE);
}

/** What `go` gives, whose own signal ends it only `LEAVING` after it was stopped from outside. */
export async function lingering<T>(signal: AbortSignal | undefined, go: (late: AbortSignal | undefined) => Promise<T>): Promise<T> {
  if (signal === undefined) return go(undefined);
  signal.throwIfAborted();
  const late = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    timer = setTimeout(() => late.abort(signal.reason), LEAVING);
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await go(late.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
