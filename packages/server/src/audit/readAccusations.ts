import type { Accusation } from '../facts/hostDocument.ts'
import { MINUTE } from '../facts/times.ts'
import { toAccusation } from '../judge/accusations.ts'
import type { Paid } from '../judge/epochs.ts'
import { normalAddress } from '../judge/offers.ts'
import type { Clock } from '../lib/clock.ts'
import { readOpenIncidents } from '../store/feeds.ts'
import type { Store } from '../store/store.ts'

/** Knows the open incidents of all endpoints. */
export type AccusationReader = {
  /** Returns the accusations of a host, or of one of some receivers, oldest first. */
  read(host: string, receivers: readonly Paid[]): Promise<readonly Accusation[]>
  /** Makes the next call read again. */
  forget(): void
}

/** Age from which open incidents are read again: those of other processes count a minute later. */
const KEPT_MS = MINUTE

/** Creates the reader. Every judgement needs it and few hosts are accused, so it keeps them in memory. */
export function createAccusationReader(store: Store, clock: Pick<Clock, 'now'>): AccusationReader {
  let known: { readonly at: number; readonly accusations: Promise<readonly Accusation[]> } | undefined
  const readAll = async () => (await readOpenIncidents(store)).flatMap((one) => toAccusation(one) ?? [])
  return {
    async read(host, receivers) {
      const now = clock.now()
      if (known === undefined || Math.abs(now - known.at) >= KEPT_MS) {
        known = { at: now, accusations: readAll() }
        known.accusations.catch(() => {
          known = undefined
        })
      }
      const named = new Set(receivers.map(({ payTo }) => normalAddress(payTo)))
      return (await known.accusations).filter(
        (one) => one.host === host || named.has(normalAddress(one.payTo)),
      )
    },
    forget() {
      known = undefined
    },
  }
}
