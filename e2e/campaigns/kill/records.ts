import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CrawlTask,
  findMissing,
  findWrongTotals,
  type Store,
  writeEndlessly,
} from '@touchstone402/server/parts'

/** Time from one look to the next, in ms: so many days pass between two kills that looks are dropped all the time. */
const STEP_MS = 1_800_000
/** All looks are before 1 June 2026, the time of the claims, so that no answer of a claim expires. */
const START = Date.UTC(2026, 5, 1) - 80_000 * STEP_MS

/** Returns the time of a look by its number. */
export const timeOf = (number: number): number => START + number * STEP_MS

/** A copy of the store, and the number of writes that were acknowledged before it began. */
export type Copy = { readonly name: string; readonly after: number }

/** Records that were acknowledged in one round. */
export type Acknowledged = {
  /** Numbers of pairs of changes, each pair one call. */
  readonly pairs: Set<number>
  /** Looks and claims, by the names that `writeEndlessly` gives. */
  readonly names: string[]
  /** Number of the newest look; -1 without any. */
  newest: number
  /** Hosts that were queued for crawling. */
  offered: CrawlTask[]
  /** The copy that is being made. */
  copying: Copy | undefined
  /** The newest copy that was made. */
  copied: Copy | undefined
}

/** Creates an empty round. */
export const nothing = (): Acknowledged => ({
  pairs: new Set(),
  names: [],
  newest: -1,
  offered: [],
  copying: undefined,
  copied: undefined,
})

/** Returns the number of acknowledged writes. */
export const countOf = ({ pairs, names }: Acknowledged) => pairs.size + names.length

const hostOf = (round: number) => `round${round}.example`
const endpointOf = (round: number) => `https://${hostOf(round)}/a`

/** Returns the hosts that a round queues for crawling. */
export const tasksOf = (round: number): CrawlTask[] =>
  Array.from({ length: 20 }, (_, index) => {
    const host = `work${round}-${index}.example`
    return { host, endpoints: [`https://${host}/a`] }
  })

/** Adds an acknowledgement line of a victim to a round. */
export function note(acknowledged: Acknowledged, record: string): void {
  const [kind, name = ''] = record.split(' ')
  if (kind === 'pair') acknowledged.pairs.add(Number(name))
  if (kind === 'look') acknowledged.newest = Math.max(acknowledged.newest, Number(name))
  if (kind === 'look' || kind === 'claim') acknowledged.names.push(record)
  if (kind === 'copying') acknowledged.copying = { name, after: acknowledged.names.length }
  if (kind === 'copied') {
    acknowledged.copied = acknowledged.copying
    acknowledged.copying = undefined
  }
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
      await store.append(['a', 'b'].map((half) => changeFact(round, `${number}${half}`)))
      acknowledge(`pair ${number}`)
      await sleep(2)
    }
  })
  await Promise.all([...pairs, writeEndlessly(store, acknowledge, { from, startAt: START, stepMs: STEP_MS })])
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
  const { changes } = await store.endpointFacts(endpointOf(round))
  const feed = await store.changes({ since: 0, limit: changes.length + 1, host: hostOf(round) })
  const wrong = await findWrongTotals(store)
  if (feed.total !== changes.length || feed.records.length !== changes.length)
    wrong.push(`the feed of ${hostOf(round)}`)
  return wrong
}

async function findLostPairs(store: Store, round: number, { pairs }: Acknowledged): Promise<string[]> {
  const { changes } = await store.endpointFacts(endpointOf(round))
  const ids = new Set(changes.map(({ id }) => id))
  const lost: string[] = []
  for (const number of pairs) if (!ids.has(`${round}-${number}a`)) lost.push(`pair ${number}`)
  for (const id of ids) {
    const [half, other] = id.endsWith('a') ? ['a', 'b'] : ['b', 'a']
    if (!ids.has(id.slice(0, -half.length) + other)) lost.push(`one half of ${id}`)
  }
  return lost
}

type Facts = Parameters<Store['append']>[0]

function changeFact(round: number, number: string): Facts[number] {
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
