// Times as evidence has them: the one grammar by which a recorded time is read, which is that of
// sdk/assent/proof/times.py. tests/vectors/evidence.json has cases.

const FORM = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,6}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;
/** The years 1 to 9999, in milliseconds since 1970: from the first to before the last. */
const [FIRST, END] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("+010000-01-01T00:00:00Z")];

/** A recorded time as microseconds since 1970, exact in any year. Undefined for anything that is not of the grammar. */
export function microseconds(text: unknown): bigint | undefined {
  const form = typeof text === "string" ? FORM.exec(text) : null;
  if (form === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = form.slice(1, 7).map(Number);
  const date = new Date(0);
  // Date.UTC takes the years up to 99 for those of the last century, and the 31st of a month that has 30 days for the
  // first of the next.
  date.setUTCFullYear(year, month - 1, day);
  if (year === 0 || date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = (form[8] === "-" ? -1 : 1) * (Number(form[9] ?? 0) * 60 + Number(form[10] ?? 0));
  const whole = date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000;
  if (whole < FIRST || whole >= END) return undefined;
  return BigInt(whole) * 1000n + BigInt((form[7] ?? "").padEnd(6, "0"));
}
