import { isDeepStrictEqual } from 'node:util'
import type { Time } from '../../../domain/facts/facts.ts'
import type {
  EndpointDocument,
  EndpointState,
  HostDocument,
  HostSummary,
} from '../../../domain/facts/hostDocument.ts'
import {
  type HostIndex,
  indexHost,
  type RankedIndex,
  updateSummary,
} from '../../../domain/publish/hostIndex.ts'
import type { Transaction } from './createWriter.ts'
import { setDue } from './due.ts'
import { between, type Key, keyOf, openText, type Range, readText, text, time, within } from './keys.ts'
import { type Committed, collect, first, fromBytes, NOTHING, read, type Source, toBytes } from './source.ts'

/** A host's index as it is stored. */
type StoredIndex = {
  readonly counts: readonly (readonly [name: string, count: number])[]
  readonly entries: HostIndex['entries']
  /** Null if no verdict expires. */
  readonly validUntil: Time | null
}

/** One byte for each ranked index. */
const INDEXES: Readonly<Record<RankedIndex, string>> = {
  services: 's',
  working: 'w',
  providers: 'p',
  healthy: 'h',
  age: 'a',
  names: 'n',
}

const NEWEST = keyOf('N')
const EXPIRIES = keyOf('x')

const documentKey = (endpoint: string) => keyOf('d', text(endpoint))
const summaryKey = (host: string) => keyOf('H', text(host))
const indexKey = (host: string) => keyOf('i', text(host))
const expiryKey = (at: Time, host: string) => EXPIRIES + time(at) + openText(host)
const totalKey = (name: string) => keyOf('t', openText(name))
const rankPrefix = (index: RankedIndex, start = '') => keyOf('R', INDEXES[index], openText(start))

/** Replaces an endpoint's document, and brings its host's summary, totals, ranks and due times up to date. */
export async function putDocument(tx: Transaction, document: EndpointDocument): Promise<void> {
  const { state } = document
  const { endpoint, host, derivedAt } = state
  const [known, newest] = await tx.getMany([summaryKey(host), NEWEST])
  const before = known && fromBytes<HostSummary>(known)
  const summary = updateSummary(before, state)
  tx.put(documentKey(endpoint), toRow(document))
  tx.put(summaryKey(host), toBytes(summary))
  if (newest === undefined || Number(newest) < derivedAt) tx.put(NEWEST, Buffer.from(`${derivedAt}`))
  await replaceIndex(tx, summary, derivedAt)
  if (before === undefined) await setDue(tx, 'documents', host, derivedAt)
  await setDue(tx, 'looks', endpoint, state.nextProbeAt)
}

/** Replaces what a host adds to totals and indexes by what it adds at a time. */
async function replaceIndex(tx: Transaction, summary: HostSummary, now: Time): Promise<void> {
  const { host } = summary
  const known = await tx.get(indexKey(host))
  const before = known && fromBytes<StoredIndex>(known)
  const { counts, entries, validUntil } = indexHost(summary, now)
  const after: StoredIndex = {
    counts: [...counts],
    entries,
    validUntil: Number.isFinite(validUntil) ? validUntil : null,
  }
  // Most looks only put the expiry off. When the stored one comes, the index is made again anyway.
  const isPutOff = before && endOf(before) > now && endOf(before) <= endOf(after)
  if (isPutOff && isDeepStrictEqual([before.counts, before.entries], [after.counts, entries])) return
  for (const [name, count] of before?.counts ?? []) tx.add(totalKey(name), -count)
  for (const [name, count] of counts) tx.add(totalKey(name), count)
  // A row that stays is not written again, since that costs more when the store is compacted.
  const ranks = ranksOf(entries)
  const ranksBefore = ranksOf(before?.entries ?? [])
  for (const key of ranksBefore) if (!ranks.has(key)) tx.delete(key)
  for (const key of ranks) if (!ranksBefore.has(key)) tx.put(key, NOTHING)
  if (before && before.validUntil !== null) tx.delete(expiryKey(before.validUntil, host))
  if (after.validUntil !== null) tx.put(expiryKey(after.validUntil, host), NOTHING)
  tx.put(indexKey(host), toBytes(after))
}

const endOf = ({ validUntil }: StoredIndex): Time => validUntil ?? Number.POSITIVE_INFINITY

const ranksOf = (entries: HostIndex['entries']): ReadonlySet<Key> =>
  new Set(entries.map(({ index, key }) => rankPrefix(index, key)))

const expired = (now: Time): Range => between(EXPIRIES, 0, now)

/** Whether verdicts have expired of which totals and ranks do not know. */
export async function hasExpired(source: Source, now: Time): Promise<boolean> {
  return (await first(source, expired(now))) !== undefined
}

/** Brings totals and ranks of some hosts up to a time at which their verdicts have expired. */
export async function expireHosts(tx: Transaction, now: Time, limit: number): Promise<void> {
  const hosts = await collect(
    tx,
    expired(now),
    (_, key) => readText(key.slice(EXPIRIES.length + time(0).length)),
    {
      limit,
    },
  )
  for (const host of hosts) {
    const summary = await read<HostSummary>(tx, summaryKey(host))
    if (summary) await replaceIndex(tx, summary, now)
  }
}

/** Encodes a document: a line for its state, and one for what is carried, so that either is read alone. */
const toRow = ({ state, carried }: EndpointDocument): Buffer =>
  Buffer.from(`${JSON.stringify(state)}\n${JSON.stringify(carried)}`)

const stateIn = (row: Buffer): EndpointState => fromBytes(row.subarray(0, row.indexOf('\n')))

export async function readState(source: Source, endpoint: string): Promise<EndpointState | undefined> {
  const row = await source.get(documentKey(endpoint))
  return row && stateIn(row)
}

export async function readDocument(source: Source, endpoint: string): Promise<EndpointDocument | undefined> {
  const row = await source.get(documentKey(endpoint))
  return row && { state: stateIn(row), carried: fromBytes(row.subarray(row.indexOf('\n'))) }
}

export function readSummary(source: Source, host: string): Promise<HostSummary | undefined> {
  return read(source, summaryKey(host))
}

export async function readHost(source: Source, host: string): Promise<HostDocument | undefined> {
  const summary = await readSummary(source, host)
  if (summary === undefined) return undefined
  const rows = await source.getMany(summary.endpoints.map(({ endpoint }) => documentKey(endpoint)))
  const endpoints = rows.flatMap((row) => (row ? [stateIn(row)] : []))
  return { host, endpoints, updatedAt: summary.updatedAt }
}

export async function readNewestAt(source: Source): Promise<Time | null> {
  const newest = await source.get(NEWEST)
  return newest === undefined ? null : Number(newest)
}

export async function readTotals(source: Source, prefix: string): Promise<Map<string, number>> {
  return new Map(
    await collect(
      source,
      within(totalKey(prefix)),
      (value, key) => [readText(key.slice(1)), Number(value)] as const,
    ),
  )
}

export async function readTotal(source: Source, name: string): Promise<number> {
  return Number((await source.get(totalKey(name))) ?? 0)
}

/** Reads the keys of an index in order. */
export async function* readRanked(
  source: Source,
  index: RankedIndex,
  { prefix = '', after, limit }: { prefix?: string; after?: string; limit?: number },
): AsyncIterable<string> {
  const { gte, lt } = within(rankPrefix(index, prefix))
  const behind = after === undefined ? '' : `${rankPrefix(index, after)}\0`
  const [, from = gte] = [behind, gte].sort()
  if (from >= lt) return
  const start = rankPrefix(index).length
  for await (const [key] of source.list({ gte: from, lt }, { ...(limit !== undefined && { limit }) }))
    yield readText(key.slice(start))
}

/** Finds hosts by a part of their names. Passes over the names of all hosts. */
export async function findHosts(
  source: Committed,
  part: string,
  limit: number,
): Promise<{ hosts: string[]; total: number }> {
  const hosts: string[] = []
  let total = 0
  for await (const host of readRanked(source, 'names', {})) {
    if (!host.includes(part)) continue
    total += 1
    if (hosts.length < limit) hosts.push(host)
  }
  return { hosts, total }
}
