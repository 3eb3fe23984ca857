import type { Context } from '../context.ts'
import type { Accusation } from '../facts/hostDocument.ts'
import { MINUTE } from '../facts/times.ts'
import { toAccusation } from '../judge/accusations.ts'
import type { Paid } from '../judge/epochs.ts'
import { normalAddress } from '../judge/offers.ts'
import { readOpenIncidents } from '../store/feeds.ts'
import type { Store } from '../store/store.ts'

/** The open incidents of all endpoints. Every judgement needs them and few hosts are accused, so they are kept in memory. */
export type KeptAccusations = {
  /** Null to read them with the next call. */
  known: { readonly at: number; readonly accusations: Promise<readonly Accusation[]> } | null
}

type AccusationContext = Pick<Context, 'clock' | 'store'> & { readonly accusations: KeptAccusations }

/** Age from which open incidents are read again: those of other processes count a minute later. */
const KEPT_MS = MINUTE

/** Returns the accusations of a host, or of one of some receivers, oldest first. */
export async function readAccusations(
  { clock, store, accusations: kept }: AccusationContext,
  host: string,
  receivers: readonly Paid[],
): Promise<readonly Accusation[]> {
  const now = clock.now()
  if (kept.known === null || Math.abs(now - kept.known.at) >= KEPT_MS) {
    kept.known = { at: now, accusations: readAll(store) }
    kept.known.accusations.catch(() => {
      kept.known = null
    })
  }
  const named = new Set(receivers.map(({ payTo }) => normalAddress(payTo)))
  return (await kept.known.accusations).filter(
    (one) => one.host === host || named.has(normalAddress(one.payTo)),
  )
}

const readAll = async (store: Store) =>
  (await readOpenIncidents(store)).flatMap((one) => toAccusation(one) ?? [])
