import { asksTheft } from './buyers.ts'
import type { Host, SellerResponse } from './types.ts'

/** Record of the probes: when each host was last asked, and when a fault was first seen. */
export type ProbeTimes = {
  /** Returns the milliseconds since the last request to a host, null before the first. @param since time of asking */
  since(host: string, since: number): number | null
  /** Records a probe. @param answer null if there was none */
  note(host: Host, since: number, answer: SellerResponse | null): void
  /** Milliseconds from the start until a probe first saw the terms of a thief, or got no answer. Null if none did. */
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
      const isShown = answer === null || asksTheft(host, since, answer)
      if (isShown && !shown.has(host.host)) shown.set(host.host, since)
    },
    firstShown: (host) => shown.get(host) ?? null,
  }
}
