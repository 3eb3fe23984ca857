import type { Announcement } from '../../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../../facts/times.ts'
import { A, B, BASE, confirmed, HOST, record, series, T0, up } from './facts.ts'

/** Creates three probes over 24 h: the minimum for a stable receiver. */
export const stable = (probe = (at: number, client: string) => up(at, { client })) =>
  series(T0, 3, 12 * HOUR, probe)
/** The old receiver's announcement of the new one. */
export const word: Announcement = {
  kind: 'announcement',
  id: 'a',
  at: T0,
  host: HOST,
  network: BASE,
  oldPayTo: A,
  newPayTo: B,
  validFrom: T0,
  basis: 'signature',
  txHash: null,
}
/** When the receiver changes. */
export const swapAt = T0 + 2 * DAY
/** A stable receiver, then a confirmed change. */
export const swapped = [...stable(), ...confirmed(swapAt, B)]
/** Creates the chain record of one receiver after the change. */
export const history = (category: 'established' | 'dormant' | 'blank', payTo = A) => ({
  recordsOf: (_network: string, of: string) =>
    of === payTo ? [record(swapAt + MINUTE, { address: payTo, category })] : [],
})
