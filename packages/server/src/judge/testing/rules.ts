import type { Announcement, ObservedOffer } from '../../facts/facts.ts'
import { DAY, HOUR } from '../../facts/times.ts'
import { B, BASE, HOST, judge, offer, POLYGON, POLYGON_USDC, series, T0, up } from './facts.ts'

/** Creates an offer of one cent in USDC on Polygon to A. */
export const polygon = (changes: Partial<ObservedOffer> = {}) =>
  offer({ network: POLYGON, asset: POLYGON_USDC, ...changes })
/** Creates a maker of probes with these offers. */
export const asking =
  (...offers: ObservedOffer[]) =>
  (at: number, client: string) =>
    up(at, { client, offers })
/** Judges probes, and returns the flags. */
export const flagsOf = (...args: Parameters<typeof judge>) => judge(...args).state.flags
/** Creates probes over three days, all with the same offers. */
export const steady = (...offers: ObservedOffer[]) => series(T0, 24, 3 * HOUR, asking(...offers))
/** When something changes after {@link steady} probes. */
export const later = T0 + 3 * DAY
/** Whether terms pay B. */
export const ofB = ({ payTo }: { payTo: string }) => payTo === B
/** Returns the sentence of a reason. */
export const messageOf = (state: ReturnType<typeof judge>['state'], flag: string) =>
  state.reasons.find(({ code }) => code === flag)?.message

/** The receiver's signature for the host. */
export const proofOf = (payTo: string, network = BASE): Announcement => ({
  kind: 'announcement',
  id: `proof of ${payTo}`,
  at: T0,
  host: HOST,
  network,
  oldPayTo: payTo,
  newPayTo: payTo,
  validFrom: T0,
  basis: 'receiver_proof',
  expiresAt: T0 + 300 * DAY,
  txHash: null,
})
