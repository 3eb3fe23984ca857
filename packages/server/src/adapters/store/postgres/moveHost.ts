import type { PoolClient, QueryResult } from 'pg'
import type { Observation, Time } from '../../../domain/facts/facts.ts'
import { groupBy } from '../../../domain/facts/groupBy.ts'
import type { Carried, EndpointDocument, HostDocument } from '../../../domain/facts/hostDocument.ts'
import type { carry } from '../../../domain/judge/memory/carried.ts'
import type { Database } from './database.ts'
import { writeDays } from './days.ts'
import { writeDocuments } from './documents.ts'
import { type Numbers, numberEndpoints, numberOf } from './endpoints.ts'
import { writeLooks } from './looks.ts'
import type { Partitions } from './partitions.ts'
import { writeRecords } from './records.ts'
import { keepCited, putBase } from './retention.ts'

/** Dependencies of moving the old tables. */
export type MoveDeps = {
  readonly database: Database
  readonly partitions: Partitions
  readonly carry: typeof carry
  readonly retentionDays: number
}

type Row = { at: string; seq: string; data: string }

/** Number of observations per query, so that a host with many is never in memory whole. */
const PAGE = 2_000

/** State carried after all looks moved so far, and after those past the retention. */
type Carrying = { readonly carried: Carried | undefined; readonly base: Carried | undefined }

/**
 * Moves the observations of a host, oldest first, and its document, if there is one, as one document for each endpoint.
 * Observations before `end` go into the bases. Returns the number of observations.
 */
export async function moveHost(
  client: PoolClient,
  deps: MoveDeps,
  host: string,
  document: HostDocument | undefined,
  end: Time,
): Promise<number> {
  const carrying = new Map<string, Carrying>()
  let last: string[] | undefined = ['-1', '-1']
  let moved = 0
  while (last) {
    const found: QueryResult<Row> = await client.query<Row>(
      `SELECT at, seq, data FROM old_fact WHERE subject = $1 AND kind = 'observation' AND (at, seq) > ($2, $3)
       ORDER BY at, seq LIMIT ${PAGE}`,
      [host, ...last],
    )
    const looks = found.rows.map(({ data }): Observation => JSON.parse(data))
    await moveLooks(client, deps.carry, looks, end, carrying)
    moved += looks.length
    const row = found.rows.at(-1)
    last = row && looks.length === PAGE ? [row.at, row.seq] : undefined
  }
  await moveDocuments(client, deps, document, carrying, end)
  return moved
}

async function moveLooks(
  client: PoolClient,
  carryOn: typeof carry,
  observations: readonly Observation[],
  end: Time,
  carrying: Map<string, Carrying>,
): Promise<void> {
  const isControl = ({ purpose }: Observation) => purpose === 'control'
  await writeRecords(client, observations.filter(isControl))
  const looks = observations.filter((one) => !isControl(one))
  const numbers = await numberEndpoints(client, looks)
  const [old, kept] = [looks.filter(({ at }) => at < end), looks.filter(({ at }) => at >= end)]
  await writeLooks(client, numbers, kept)
  await keepCited(client, [...numbers.keys()], groupOf(old, numbers))
  for (const [endpoint, group] of groupBy(looks, (look) => look.endpoint)) {
    const before = carrying.get(endpoint) ?? { carried: undefined, base: undefined }
    const past = group.filter(({ at }) => at < end)
    const first = past.length > 0 ? carryOn(before.carried, past) : { ...before, days: [] }
    const rest = group.slice(past.length)
    const second = rest.length > 0 ? carryOn(first.carried, rest) : { ...first, days: [] }
    const base = past.length > 0 ? first.carried : before.base
    carrying.set(endpoint, { carried: second.carried, base })
    // Days that were folded before were counted from observations of which only a few are left.
    await writeDays(client, numbers, [...first.days, ...second.days], 'keep')
  }
}

const groupOf = (looks: readonly Observation[], numbers: Numbers) =>
  groupBy(looks, ({ endpoint }) => numberOf(numbers, endpoint))

async function moveDocuments(
  client: PoolClient,
  deps: MoveDeps,
  document: HostDocument | undefined,
  carrying: ReadonlyMap<string, Carrying>,
  end: Time,
): Promise<void> {
  const documents = (document?.endpoints ?? []).map((state): EndpointDocument => {
    const carried = carrying.get(state.endpoint)?.carried ?? deps.carry(undefined, []).carried
    return { state, carried }
  })
  const states = documents.map(({ state }) => state)
  const bases = [...carrying].flatMap(([endpoint, { base }]) => (base ? [{ endpoint, base }] : []))
  const places = bases.map(({ endpoint }) => ({ endpoint, host: '' }))
  const numbers = await numberEndpoints(client, [...places, ...states])
  for (const { endpoint, base } of bases) await putBase(client, numberOf(numbers, endpoint), base, end)
  const [first, ...others] = documents
  if (first) await writeDocuments(client, deps.database.schema, [first, ...others])
}
