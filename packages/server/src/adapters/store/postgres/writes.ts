import type { PoolClient } from 'pg'
import type { DailyMeasurements } from '../../../domain/facts/dailyMeasurements.ts'
import type { Fact } from '../../../domain/facts/facts.ts'
import type { EndpointDocument } from '../../../domain/facts/hostDocument.ts'
import type { NewLeaf } from '../../../domain/facts/leaves.ts'
import type { Store } from '../../../ports/store.ts'
import { writeLeaves } from '../log/postgresLog.ts'
import type { Database } from './database.ts'
import { writeDays } from './days.ts'
import { writeDocuments } from './documents.ts'
import { numberEndpoints } from './endpoints.ts'
import { writePublished } from './feeds.ts'
import { writeLooks } from './looks.ts'
import type { Partitions } from './partitions.ts'
import { writeRecords } from './records.ts'

/** Records of one transaction; documents are of one host. */
export type Write = {
  readonly facts: readonly Fact[]
  readonly days: readonly DailyMeasurements[]
  readonly documents: readonly EndpointDocument[]
  readonly leaves: readonly NewLeaf[]
}

/** Creates the writing part of a store. */
export function createWrites(
  database: Database,
  partitions: Partitions,
): Pick<Store, 'append' | 'putEndpoint'> {
  const write = createWriter(database, partitions)
  return {
    async append(facts, leaves = []) {
      if (facts.length > 0 || leaves.length > 0) await write({ facts, leaves })
    },
    putEndpoint: (document, written) => write({ ...written, documents: [document] }),
  }
}

/** Creates a function that writes all it is given in one transaction. */
export function createWriter(
  database: Database,
  partitions: Partitions,
): (wanted: Partial<Write>) => Promise<void> {
  return async ({ facts = [], days = [], documents = [], leaves = [] }) => {
    await partitions.ensure(looksOf(facts).map(({ at }) => at))
    await database.transaction((client) =>
      writeAll(client, database.schema, { facts, days, documents, leaves }),
    )
  }
}

/** Writes all or, if it rejects, nothing. Documents come last, since they lock rows that all hosts share. */
async function writeAll(
  client: PoolClient,
  schema: string,
  { facts, days, documents, leaves }: Write,
): Promise<void> {
  const looks = looksOf(facts)
  const places = [...looks, ...days, ...documents.map(({ state }) => state)]
  if (places.length > 0) {
    const numbers = await numberEndpoints(client, places)
    await writeLooks(client, numbers, looks)
    await writeDays(client, numbers, days)
  }
  await writeRecords(client, facts)
  await writePublished(client, facts)
  await writeLeaves(client, leaves)
  const [first, ...others] = documents
  if (first) await writeDocuments(client, schema, [first, ...others])
}

/** Control probes are no looks: of each host the newest is a record. */
const looksOf = (facts: readonly Fact[]) =>
  facts.filter((fact) => fact.kind === 'observation').filter(({ purpose }) => purpose !== 'control')
