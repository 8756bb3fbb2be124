// Waiting until something comes to be. The stream is opened before the state is read, and the state is read again at the
// stream's `connected`, so that a change in between is never missed. While there is no stream, the state is read every
// `interval`. A service that is not reached ends the wait only when it never answered at all; each reading has the time that
// is left of the wait, a second at least, and one that fails (5xx) is made again. An answer that is not the service's own,
// but of something in between, is none.
import { ApiError, ConnectionFailed, isOfService, ServerError, Unavailable } from "./errors.js";
import type { Waits } from "./stream.js";

export interface WaitOptions {
  /** Milliseconds; 300000. */
  timeout?: number;
  /** Milliseconds between two looks while there is no stream; 5000. */
  interval?: number;
  /** Stops the wait from outside. */
  signal?: AbortSignal;
}

/** Milliseconds of one reading. */
const SHORTEST = 1000;

export async function waitFor<T>(
  waits: Waits,
  about: string,
  options: WaitOptions,
  look: (within: number) => Promise<T | undefined>,
  timedOut: (timeout: number) => Error,
  /** Whether the service has just answered about it. */
  answered = false,
): Promise<T> {
  const { timeout = 300_000, interval = 5_000, signal } = options;
  if (!(timeout >= 0) || !(interval > 0))
    throw new RangeError(`timeout is ${timeout} and interval ${interval}; give milliseconds, the interval above 0`);
  const deadline = performance.now() + timeout;
  let changed = false;
  let wake = () => {};
  const leave = waits.join(about, () => {
    changed = true;
    wake();
  });
  try {
    for (;;) {
      signal?.throwIfAborted();
      changed = false;
      const left = deadline - performance.now();
      try {
        const found = await look(Math.max(SHORTEST, left));
        if (found !== undefined) return found;
        answered = true;
      } catch (error) {
        const failed = error instanceof ServerError && error.status >= 500;
        const late = error instanceof ConnectionFailed && error.late && performance.now() >= deadline;
        const strange = error instanceof ApiError && !isOfService(error);
        const passing = error instanceof ConnectionFailed || error instanceof Unavailable || error instanceof ServerError || strange;
        if (!failed && !late && !(passing && answered)) throw error;
      }
      if (performance.now() >= deadline) throw timedOut(timeout);
      if (changed) continue;
      await new Promise<void>((resolve, reject) => {
        const rest = Math.max(0, deadline - performance.now());
        // A stream that says nothing is not believed for ever.
        const timer = setTimeout(done, Math.min(rest, waits.streaming ? 12 * interval : interval));
        const stop = () => {
          clearTimeout(timer);
          reject(signal?.reason);
        };
        function done() {
          clearTimeout(timer);
          signal?.removeEventListener("abort", stop);
          resolve();
        }
        wake = done;
        signal?.addEventListener("abort", stop, { once: true });
      });
    }
  } finally {
    leave();
  }
}
