import { setTimeout as sleep } from 'node:timers/promises'
import type { CrawlTask, Store } from '@touchstone402/server/parts'
import { lookAt } from './homes.ts'

const HOUR = 3_600_000
/** Time span of a round's observations, in ms, so that rounds do not overlap. */
const ROUND_MS = 400 * 24 * HOUR
const START = Date.UTC(2026, 0, 1)

/** Records that were acknowledged in one round. */
export type Acknowledged = {
  pairs: Set<number>
  observations: number
  document: number
  /** Hosts that were queued for crawling. */
  offered: CrawlTask[]
}

/** Creates an empty round. */
export const nothing = (): Acknowledged => ({
  pairs: new Set(),
  observations: 0,
  document: -1,
  offered: [],
})

/** Returns the host of a round's records. */
export const hostOf = (round: number) => `round${round}.example`

/** Returns the hosts that a round queues for crawling. */
export const tasksOf = (round: number): CrawlTask[] =>
  Array.from({ length: 20 }, (_, index) => {
    const host = `work${round}-${index}.example`
    return { host, endpoints: [`https://${host}/a`] }
  })

/** Adds an acknowledgement line of a victim to a round. */
export function note(acknowledged: Acknowledged, record: string): void {
  const [kind, number] = record.split(' ')
  if (kind === 'pair') acknowledged.pairs.add(Number(number))
  if (kind === 'observation') acknowledged.observations += 1
  if (kind === 'document') acknowledged.document = Math.max(acknowledged.document, Number(number))
}

/** Writes indefinitely with concurrent calls, as a crawl does, and reports each acknowledgement. */
export async function writeRecords(
  store: Store & { compact(): Promise<unknown> },
  round: number,
  acknowledge: (record: string) => void,
): Promise<void> {
  let next = 0
  const loops = Array.from({ length: 12 }, async () => {
    for (;;) {
      const number = next++
      await store.append(['a', 'b'].map((half) => changeFact(round, `${number}${half}`)))
      acknowledge(`pair ${number}`)
      await store.append([observation(round, number)])
      acknowledge(`observation ${number}`)
      await sleep(2)
    }
  })
  const documents = async () => {
    for (let version = 0; ; version++) {
      await store.putHost({ host: hostOf(round), endpoints: [], updatedAt: version })
      acknowledge(`document ${version}`)
      await sleep(1)
    }
  }
  const compaction = async () => {
    for (;;) {
      await sleep(60)
      await store.compact()
    }
  }
  await Promise.all([...loops, documents(), compaction()])
}

/** Counts acknowledged records that a store lost, and calls that it stored partially. */
export async function countLost(store: Store, round: number, acknowledged: Acknowledged): Promise<number> {
  const { changes, observations, daily } = await store.hostFacts(hostOf(round))
  const ids = new Set(changes.map((change) => change.id))
  let lost = 0
  for (const number of acknowledged.pairs) {
    if (!ids.has(`${round}-${number}a`) || !ids.has(`${round}-${number}b`)) lost += 1
  }
  for (const id of ids) if (id.endsWith('a') && !ids.has(`${id.slice(0, -1)}b`)) lost += 1
  const folded = daily.reduce((sum, day) => sum + day.up + day.down + day.notMeasured, 0)
  const lastDay = daily.at(-1)?.date ?? ''
  const single = observations.filter((one) => new Date(one.at).toISOString().slice(0, 10) > lastDay)
  lost += Math.max(0, acknowledged.observations - folded - single.length)
  const document = await store.getHost(hostOf(round))
  if ((document?.updatedAt ?? -1) < acknowledged.document) lost += 1
  return lost
}

/** Counts queued hosts that were never crawled. */
export async function countUnseen(store: Store, { offered }: Acknowledged): Promise<number> {
  let unseen = 0
  for (const { host } of offered) {
    const { observations, daily } = await store.hostFacts(host)
    if (observations.length + daily.length === 0) unseen += 1
  }
  return unseen
}

type Facts = Parameters<Store['append']>[0]

function changeFact(round: number, number: string): Facts[number] {
  const at = START + round * ROUND_MS
  const endpoint = `https://${hostOf(round)}/a`
  const change = {
    id: `${round}-${number}`,
    kind: 'price_jump' as const,
    host: hostOf(round),
    endpoint,
    at: new Date(at).toISOString(),
    before: '1000',
    after: '2000',
  }
  return { kind: 'change', id: change.id, at, change }
}

function observation(round: number, number: number): Facts[number] {
  const at = START + round * ROUND_MS + number * HOUR
  return { ...lookAt(hostOf(round)), id: `${round}-${number}`, at }
}
