import { asksTheft } from './buyers.ts'
import type { Host, SellerResponse } from './types.ts'

/** What the probes were answered: when each host was asked last, and when first shown the terms of a thief. */
export type ProbeTimes = {
  /** Returns the milliseconds since the last request to a host, null before the first. @param since time of asking */
  since(host: string, since: number): number | null
  note(host: Host, since: number, answer: SellerResponse): void
  /** Milliseconds since the start until a probe was first shown the terms of a thief. @default null */
  firstShown(host: string): number | null
}

/** Creates an empty record. */
export function createProbeTimes(): ProbeTimes {
  const last = new Map<string, number>()
  const shown = new Map<string, number>()
  return {
    since(host, since) {
      const before = last.get(host)
      return before === undefined ? null : since - before
    },
    note(host, since, answer) {
      last.set(host.host, since)
      if (!shown.has(host.host) && asksTheft(host, since, answer)) shown.set(host.host, since)
    },
    firstShown: (host) => shown.get(host) ?? null,
  }
}
