import { asObject } from '../base64Json.ts'
import type { Challenge, ChallengeProblem, Offer } from '../x402.ts'

/** One value of an answer that fails a check, and the expected one. Holds text of the seller. */
export type ValueToChange = { readonly where: string; readonly read: string; readonly want: string }

/** Failure of a check. */
export type Fault = {
  /** One sentence; empty if the headline of the check states it. Holds no free text of the seller. */
  readonly detail: string
  /** Undefined where it is no single value. */
  readonly change?: ValueToChange | undefined
}

const MAX_READ = 200

/** Describes a value to change. */
export function change(where: string, value: unknown, want: string): ValueToChange {
  const text = typeof value === 'string' ? value : value === undefined ? 'missing' : JSON.stringify(value)
  return { where, read: text.length > MAX_READ ? `${text.slice(0, MAX_READ)}…` : text, want }
}

/** Describes a value to change in the entry of an offer; without a field, in the entry as a whole. */
export function changeOffer(
  challenge: Challenge,
  { source, raw }: Offer,
  field: string | null,
  want: string,
  value: unknown = field === null ? raw : raw[field],
): ValueToChange {
  const accepts = challenge[source]?.accepts
  const index = Array.isArray(accepts) ? accepts.indexOf(raw) : -1
  const entry = `${source}: accepts[${Math.max(0, index)}]`
  return change(field === null ? entry : `${entry}.${field}`, value, want)
}

/** Describes the entry that a problem of a challenge names, or one of its fields. */
export function changeEntry(
  challenge: Challenge,
  { source, index }: ChallengeProblem,
  want: string,
  field?: string,
): ValueToChange {
  const accepts = challenge[source]?.accepts
  if (index === undefined) return change(`accepts in the ${source}`, accepts, want)
  const entry = Array.isArray(accepts) ? accepts[index] : undefined
  const where = `accepts[${index}] in the ${source}`
  if (field === undefined) return change(where, entry, want)
  return change(`${where}, ${field}`, asObject(entry)?.[field], want)
}
