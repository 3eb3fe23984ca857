import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Fact,
  findMissing,
  findWrongTotals,
  readChanges,
  readEndpointFacts,
  type Store,
  writeEndlessly,
} from '@touchstone402/server/testing'
import { hostsOf } from './work.ts'

/** Time from one probe to the next, in ms: so many days pass between two kills that probes are dropped all the time. */
const STEP_MS = 3 * 3_600_000
const START = Date.UTC(2000, 0, 1)

/** Records that were acknowledged in one round. */
export type Acknowledged = {
  /** Numbers of pairs of changes, each pair one call. */
  readonly pairs: Set<number>
  /** Probes, claims and leaves, by the names that `writeEndlessly` gives. */
  readonly names: string[]
  /** Number of the newest probe; -1 without any. */
  newest: number
  /** Whether the hosts of the round were offered. */
  isOffered: boolean
}

/** Creates an empty round. */
export const nothing = (): Acknowledged => ({ pairs: new Set(), names: [], newest: -1, isOffered: false })

/** Returns the number of acknowledged writes. */
export const countOf = ({ pairs, names }: Acknowledged) => pairs.size + names.length

const hostOf = (round: number) => `round${round}.example`
const endpointOf = (round: number) => `https://${hostOf(round)}/a`

/** Adds an acknowledgement line of a victim to a round. */
export function note(acknowledged: Acknowledged, record: string): void {
  const [kind, name = ''] = record.split(' ')
  if (kind === 'pair') acknowledged.pairs.add(Number(name))
  if (kind === 'probe') acknowledged.newest = Math.max(acknowledged.newest, Number(name))
  if (kind === 'probe' || kind === 'claim' || kind === 'leaf') acknowledged.names.push(record)
  if (kind === 'offered') acknowledged.isOffered = true
}

/** Writes indefinitely with concurrent calls, as a crawl does, and reports each acknowledgement. */
export async function writeRecords(
  store: Store,
  { round, from }: { readonly round: number; readonly from: number },
  acknowledge: (record: string) => void,
): Promise<void> {
  let next = 0
  const pairs = Array.from({ length: 4 }, async () => {
    for (;;) {
      const number = next++
      await store.write(
        'append',
        ['a', 'b'].map((half) => changeFact(round, `${number}${half}`)),
      )
      acknowledge(`pair ${number}`)
      await sleep(2)
    }
  })
  const times = { startAt: START, stepMs: STEP_MS }
  await Promise.all([...pairs, writeEndlessly(store, acknowledge, { from, ...times })])
}

/** Returns acknowledged records that a store lost, and calls that it stored partially. */
export async function findLost(store: Store, round: number, acknowledged: Acknowledged): Promise<string[]> {
  return [
    ...(await findMissing(store, acknowledged.names)),
    ...(await findLostPairs(store, round, acknowledged)),
  ]
}

/** Returns totals that differ from counting again, and feeds whose length differs from their records. */
export async function findMiscounted(store: Store, round: number): Promise<string[]> {
  const { changes } = await readEndpointFacts(store, endpointOf(round))
  const feed = await readChanges(store, { since: 0, limit: changes.length + 1, host: hostOf(round) })
  const worked = Array.from({ length: round + 1 }, (_, number) => hostsOf(number)).flat()
  const wrong = await findWrongTotals(store, worked)
  if (feed.total !== changes.length || feed.records.length !== changes.length)
    wrong.push(`the feed of ${hostOf(round)}`)
  return wrong
}

async function findLostPairs(store: Store, round: number, { pairs }: Acknowledged): Promise<string[]> {
  const { changes } = await readEndpointFacts(store, endpointOf(round))
  const ids = new Set(changes.map(({ id }) => id))
  const lost: string[] = []
  for (const number of pairs) if (!ids.has(`${round}-${number}a`)) lost.push(`pair ${number}`)
  for (const id of ids) {
    const [half, other] = id.endsWith('a') ? ['a', 'b'] : ['b', 'a']
    if (!ids.has(id.slice(0, -half.length) + other)) lost.push(`one half of ${id}`)
  }
  return lost
}

function changeFact(round: number, number: string): Fact {
  const change = {
    id: `${round}-${number}`,
    kind: 'price_jump' as const,
    host: hostOf(round),
    endpoint: endpointOf(round),
    at: new Date(START).toISOString(),
    before: '1000',
    after: '2000',
  }
  return { kind: 'change', id: change.id, at: START, change }
}
