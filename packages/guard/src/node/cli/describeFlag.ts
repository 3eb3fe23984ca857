import { FLAG_RECORDS, type Flag } from '@touchstone402/shared'

/** Describes a flag of a verdict, with its code. */
export function describeFlag(code: string): string {
  const isKnown = Object.hasOwn(FLAG_RECORDS, code)
  return `${isKnown ? FLAG_RECORDS[code as Flag].sentence : 'A newer flag of the service.'} (${code})`
}
