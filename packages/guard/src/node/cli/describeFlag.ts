import { FLAG_RECORDS, isFlag } from '@touchstone402/shared'

/** Describes a flag of a verdict, with its code. */
export function describeFlag(code: string): string {
  return `${isFlag(code) ? FLAG_RECORDS[code].sentence : 'A newer flag of the service.'} (${code})`
}
