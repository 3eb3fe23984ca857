import type { Change } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import { recordId } from '../facts/ids.ts'
import { toTimestamp } from '../facts/times.ts'
import type { Evidence } from './evidence.ts'
import { type Epoch, isAnnounced } from './memory/epochs.ts'
import { addressesOf } from './offers.ts'

/** Lists the changes of an endpoint that are remembered, oldest first. Ids are deterministic. */
export function findChanges(evidence: Evidence): Change[] {
  const { endpoint, host, looks, track, epochs, rotation, announcements, priceJumps } = evidence
  const change = (
    kind: Change['kind'],
    at: Time,
    before: string | null,
    after: string | null,
    id = recordId('chg', kind, endpoint, at),
  ): Change => ({ id, kind, host, endpoint, at: toTimestamp(at), before, after })

  // The id depends on the host alone, so a host is new only once.
  const started = [looks.startedAt]
    .filter((at) => at !== null)
    .map((at) => change('new_service', at, null, endpoint, recordId('chg', 'new_service', host)))
  const turns = track.turns.map(({ kind, at, before, after }) =>
    change(kind === 'recovered' ? 'service_recovered' : 'service_gone_dark', at, before, after),
  )
  const receivers = epochs.flatMap((after, index) => {
    const before = epochs[index - 1]
    if (before === undefined || rotation !== null || isAnnounced(before, after, announcements)) return []
    return [change('payto_swap', after.from, listAddresses(before), listAddresses(after))]
  })
  const prices = priceJumps.map(({ at, beforeUsd, afterUsd }) => ({
    ...change('price_jump', at, `${beforeUsd}`, `${afterUsd}`),
    pct: Math.round((1000 * (afterUsd - beforeUsd)) / beforeUsd) / 10,
  }))
  return [...started, ...turns, ...receivers, ...prices].sort((a, b) => (a.at < b.at ? -1 : 1))
}

const listAddresses = (epoch: Epoch) => [...addressesOf(epoch.receivers)].sort().join(' ')
