import type { Observation } from '../../../domain/facts/facts.ts'
import { indexHost } from '../../../domain/publish/hostIndex.ts'
import type { Store } from '../../../ports/store.ts'
import { aDocument } from './documents.ts'
import { aChange, anObservation, aWantedClaim, NOON } from './records.ts'

const HOSTS = 40
const ENDPOINTS = 3
const LOOPS = 8
const SECOND = 1000

/**
 * Writes looks with their documents and changes, and claims, with several concurrent calls and without end.
 * @param acknowledge receives the name of each durable write
 * @param from number of the first look, above those of earlier calls. @default 0
 */
export async function writeEndlessly(
  store: Store,
  acknowledge: (name: string) => void,
  from = 0,
): Promise<void> {
  let next = from
  const loop = async (): Promise<void> => {
    for (;;) {
      const number = next++
      await writeLook(store, number)
      acknowledge(`look ${number}`)
      if (number % 3 !== 0) continue
      await store.claims.claim(claimOf(number))
      await store.claims.advance(claimOf(number), 'settling', { at: NOON + number, answer: answerOf(number) })
      acknowledge(`claim ${number}`)
    }
  }
  await Promise.all(Array.from({ length: LOOPS }, loop))
}

/** Returns what a store lacks of acknowledged writes, and what it holds in part. */
export async function findMissing(store: Store, acknowledged: Iterable<string>): Promise<string[]> {
  const looks = new Map<string, Observation>()
  const missing: string[] = []
  for (let index = 0; index < HOSTS * ENDPOINTS; index++) {
    const { endpoint } = placeOf(index)
    const known = await store.endpoint(endpoint)
    const { changes } = await store.endpointFacts(endpoint)
    const changed = new Set(changes.map(({ id }) => id))
    let last = 0
    for await (const look of store.looks(endpoint)) {
      looks.set(look.id, look)
      last = look.at
      if (!changed.has(changeOf(look.id))) missing.push(`the change of ${look.id}`)
    }
    if ((known?.state.derivedAt ?? 0) !== last) missing.push(`the document of ${endpoint}`)
    if (changes.length > 0 && known === undefined) missing.push(`the looks of ${endpoint}`)
  }
  for (const name of acknowledged) {
    const [kind, digits] = name.split(' ')
    const number = Number(digits)
    const isThere = kind === 'look' ? looks.has(`${number}`) : await hasClaim(store, number)
    if (!isThere) missing.push(name)
  }
  return missing
}

/** Returns the totals of a store that differ from a count of all summaries. */
export async function findWrongTotals(store: Store): Promise<string[]> {
  const now = NOON
  const counted = new Map<string, number>()
  for (let host = 0; host < HOSTS; host++) {
    const summary = await store.summary(hostOf(host))
    if (summary === undefined) continue
    for (const [name, count] of indexHost(summary, now).counts)
      counted.set(name, (counted.get(name) ?? 0) + count)
  }
  const stated = await store.counts('', now)
  const names = new Set([...counted.keys(), ...stated.keys()])
  return [...names].filter((name) => (counted.get(name) ?? 0) !== (stated.get(name) ?? 0))
}

async function writeLook(store: Store, number: number): Promise<void> {
  const place = placeOf(number)
  const at = NOON + number * SECOND
  const look = anObservation({ ...place, id: `${number}`, at, latencyMs: number % 500 })
  const change = aChange({ ...place, id: changeOf(look.id), at: new Date(at).toISOString() })
  await store.putEndpoint(
    aDocument({ ...place, derivedAt: at, status: number % 7 === 0 ? 'dark' : 'live', score: number % 101 }),
    { facts: [look, { kind: 'change', id: change.id, at, change }], days: [] },
  )
}

async function hasClaim(store: Store, number: number): Promise<boolean> {
  const claim = await store.claims.get(claimOf(number))
  return claim?.state === 'settling' && claim.answer?.body === answerOf(number).body
}

const hostOf = (number: number) => `host${number % HOSTS}.example`
const changeOf = (id: string) => `change ${id}`
const claimOf = (number: number) => aWantedClaim({ nonce: `0x${number.toString(16).padStart(64, '0')}` })
const answerOf = (number: number) => ({ status: 200, headers: {}, body: `answer ${number}` })

function placeOf(number: number) {
  const host = hostOf(number)
  return { host, endpoint: `https://${host}/${Math.floor(number / HOSTS) % ENDPOINTS}` }
}
