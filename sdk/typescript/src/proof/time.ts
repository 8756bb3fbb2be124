// Times as they are recorded.

/** A recorded time as microseconds since 1970; without an offset it is UTC. Undefined for another text. */
export function microseconds(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  const form = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  if (form === null) return undefined;
  const [, day = "", clock = "", fraction = "", zone = "Z"] = form;
  const whole = Date.parse(`${day}T${clock.length === 5 ? `${clock}:00` : clock}${zone.replace(/^([+-]\d\d)(\d\d)$/, "$1:$2")}`);
  // Date takes the 31st of a month that has 30 days for the first of the next.
  const exact = !Number.isNaN(whole) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
  return exact ? whole * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6)) : undefined;
}
