import type { Change } from '@touchstone402/shared'
import type { Announcement, Observation } from '../facts/facts.ts'
import { recordId } from '../facts/ids.ts'
import { addressesOf, type Epoch, isAnnounced } from './epochs.ts'
import { findPriceJumps } from './prices.ts'
import type { StatusTrack } from './status.ts'

export type ChangeInput = {
  readonly endpoint: string
  readonly host: string
  /** Successful looks, oldest first. */
  readonly looks: readonly Observation[]
  readonly track: StatusTrack
  readonly epochs: readonly Epoch[]
  /** Whether receivers rotate, so that a change of them says nothing. */
  readonly rotates: boolean
  readonly announcements: readonly Announcement[]
}

/** Every change that the looks show, oldest first. The same looks give the same ids. */
export function findChanges(input: ChangeInput): Change[] {
  const { endpoint, host, looks, track, epochs } = input
  const changes: Change[] = []
  const add = (
    kind: Change['kind'],
    at: number,
    before: string | null,
    after: string | null,
    pct?: number,
    id = recordId('chg', kind, endpoint, at),
  ) => {
    const change = {
      id,
      kind,
      host,
      endpoint,
      at: new Date(at).toISOString(),
      before,
      after,
    }
    changes.push(pct === undefined ? change : { ...change, pct })
  }
  const first = looks[0]
  // A host is new once, whichever of its endpoints is seen first.
  if (first !== undefined) {
    add('new_service', first.at, null, endpoint, undefined, recordId('chg', 'new_service', host))
  }
  for (const turn of track.turns) {
    add(
      turn.kind === 'recovered' ? 'service_recovered' : 'service_gone_dark',
      turn.at,
      turn.before,
      turn.after,
    )
  }
  for (const [index, after] of epochs.entries()) {
    const before = epochs[index - 1]
    if (before === undefined || input.rotates || isAnnounced(before, after, input.announcements)) continue
    add('payto_swap', after.from, listAddresses(before), listAddresses(after))
  }
  for (const { at, beforeUsd, afterUsd } of findPriceJumps(looks)) {
    add(
      'price_jump',
      at,
      `${beforeUsd}`,
      `${afterUsd}`,
      Math.round((1000 * (afterUsd - beforeUsd)) / beforeUsd) / 10,
    )
  }
  return changes.sort((a, b) => (a.at < b.at ? -1 : 1))
}

const listAddresses = (epoch: Epoch) => [...addressesOf(epoch)].sort().join(' ')
