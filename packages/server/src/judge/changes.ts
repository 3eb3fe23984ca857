import type { Change } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import { recordId } from '../facts/ids.ts'
import { toTimestamp } from '../facts/times.ts'
import { isAnnounced } from './announced.ts'
import type { Epoch } from './epochs.ts'
import type { Findings } from './evidence.ts'
import { addressesOf } from './offers.ts'
import { joinChanges, NO_PAST } from './past.ts'

/** Lists the changes of an endpoint, oldest first. Ids are deterministic. */
export function findChanges(findings: Findings): Change[] {
  const { endpoint, host, past, probes, track, epochs, rotation, announcements, priceJumps } = findings
  const change = (kind: Change['kind'], at: Time, before: string | null, after: string | null): Change => {
    return {
      id: recordId('chg', kind, endpoint, at),
      kind,
      host,
      endpoint,
      at: toTimestamp(at),
      before,
      after,
    }
  }
  const isNew = past.state?.payTo === null && !past.changes.some(({ kind }) => kind === 'new_service')
  // The id depends on the host alone, so a host is new only once.
  const started = (isNew || past === NO_PAST ? probes.slice(0, 1) : []).map(({ at }) => ({
    change: { ...change('new_service', at, null, endpoint), id: recordId('chg', 'new_service', host) },
    confirmedAt: at,
  }))
  const turns = track.turns.map(({ kind, at, before, after }) => ({
    change: change(kind === 'recovered' ? 'service_recovered' : 'service_gone_dark', at, before, after),
    confirmedAt: at,
  }))
  const receivers = epochs.flatMap((after, index) => {
    const before = epochs[index - 1]
    if (before === undefined || rotation !== null || isAnnounced(before, after, announcements)) return []
    const { from, confirmedAt } = after
    return [{ change: change('payto_swap', from, listAddresses(before), listAddresses(after)), confirmedAt }]
  })
  const prices = priceJumps.map(({ at, confirmedAt, beforeUsd, afterUsd }) => ({
    change: {
      ...change('price_jump', at, `${beforeUsd}`, `${afterUsd}`),
      pct: Math.round((1000 * (afterUsd - beforeUsd)) / beforeUsd) / 10,
    },
    confirmedAt,
  }))
  const found = [...started, ...turns, ...receivers, ...prices]
  return joinChanges(past, found).sort((a, b) => (a.at < b.at ? -1 : 1))
}

const listAddresses = (epoch: Epoch) => [...addressesOf(epoch.receivers)].sort().join(' ')
