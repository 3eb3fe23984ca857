import {
  type Database,
  type EndpointDocument,
  indexHost,
  migrateDatabase,
  openDatabase,
  updateSummary,
} from '@touchstone402/server/parts'
import { aHost } from '../../support/manyHosts.ts'

/** Endpoints per host. */
export const EACH = 5
const DAY = 24 * 3_600_000
/** Name of the host that the others are copies of; all names are equally long. */
const TEMPLATE = nameOf(0)
/** Hosts per statement. */
const BATCH = 5_000
/** Statements in parallel. */
const WRITERS = 2
const LONGEST_STATEMENT_MS = 30 * 60_000

/** Database to fill, and its hosts. */
export type Filling = {
  readonly url: string
  readonly hosts: number
  /** Port that serves all hosts. */
  readonly port: number
}

/** Receiver that every endpoint names. */
export const PAY_TO = `0x${'1'.padStart(40, '0')}`

/** Returns the URL of an endpoint by its number. */
export const urlOf = (endpoint: number, port: number) =>
  `http://${nameOf(Math.floor(endpoint / EACH))}.sellers.test:${port}/v1/resource/${endpoint % EACH}`

/**
 * Fills a database with copies of one host under other names, by statements that make many rows each. Every endpoint was
 * probed two days ago and is due for a probe by its document; the list of due endpoints shows none until `makeDue`.
 */
export async function fillDatabase({ url, hosts, port }: Filling): Promise<void> {
  await migrateDatabase({ url })
  const database = openDatabase({ url, connections: WRITERS, statementTimeoutMs: LONGEST_STATEMENT_MS })
  try {
    const template = createTemplate(port)
    let next = 0
    const write = async () => {
      for (let from = next; from < hosts; from = next) {
        next = Math.min(hosts, from + BATCH)
        await copyHosts(database, template, from, next - 1)
        if ((next / BATCH) % 10 === 0) process.stderr.write(`${next} of ${hosts} hosts filled\n`)
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, write))
    const counts = [...template.index.counts]
    await database.query(
      'INSERT INTO total (name, n) SELECT name, n * $3 FROM unnest($1::text[], $2::bigint[]) AS row (name, n)',
      [counts.map(([name]) => name), counts.map(([, n]) => n), hosts],
    )
    await database.query('VACUUM (ANALYZE) endpoint, summary, total, rank, due')
  } finally {
    await database.close()
  }
}

/** Makes every endpoint due. */
export async function makeDue(url: string): Promise<void> {
  const database = openDatabase({ url, connections: 1, statementTimeoutMs: LONGEST_STATEMENT_MS })
  try {
    await database.query(`UPDATE due SET at = $1 WHERE list = 'looks'`, [Date.now() - DAY])
  } finally {
    await database.close()
  }
}

type Template = ReturnType<typeof createTemplate>

function createTemplate(port: number) {
  const now = Date.now()
  const documents = aHost(0, {
    now,
    endpoints: EACH,
    originOf: () => `http://${TEMPLATE}.sellers.test:${port}`,
  })
  const due = documents.map(
    ({ state, carried }): EndpointDocument => ({
      state: { ...state, nextProbeAt: now - 60_000 },
      carried,
    }),
  )
  const [first, ...others] = due
  if (first === undefined) throw new Error('the template has no endpoints')
  const summary = others.reduce(
    (before, { state }) => updateSummary(before, state),
    updateSummary(undefined, first.state),
  )
  const index = indexHost(summary, summary.updatedAt)
  return { documents: due, summary, index, later: now + 30 * DAY }
}

/** Copies the template to hosts by their numbers, both ends inclusive. */
async function copyHosts(
  database: Database,
  { documents, summary, index, later }: Template,
  from: number,
  to: number,
): Promise<void> {
  const ranks = index.entries.map(({ index: name, key }) => [name, key])
  const hosts = `(SELECT 'h' || lpad(number::text, 7, '0') AS name FROM generate_series($1::int, $2::int) AS number) AS host`
  const states = documents.map(({ state }) => state)
  await database.query(
    `INSERT INTO endpoint (endpoint, host, state, carried)
     SELECT replace(row.endpoint, $3, name), replace($4, $3, name), replace(row.state, $3, name), replace(row.carried, $3, name)
     FROM ${hosts}, unnest($5::text[], $6::text[], $7::text[]) AS row (endpoint, state, carried)`,
    [
      ...[from, to, TEMPLATE, summary.host],
      states.map(({ endpoint }) => endpoint),
      states.map((state) => JSON.stringify(state)),
      documents.map(({ carried }) => JSON.stringify(carried)),
    ],
  )
  const indexed = { counts: [...index.counts], ranks }
  await database.query(
    `INSERT INTO summary (host, updated_at, valid_until, data, indexed)
     SELECT replace($4, $3, name), $5, $6, replace($7, $3, name), replace($8, $3, name) FROM ${hosts}`,
    [
      ...[from, to, TEMPLATE, summary.host, summary.updatedAt, index.validUntil],
      ...[summary, indexed].map((part) => JSON.stringify(part)),
    ],
  )
  await database.query(
    `INSERT INTO rank (index, key) SELECT row.index, replace(row.key, $3, name)
     FROM ${hosts}, unnest($4::text[], $5::text[]) AS row (index, key)`,
    [from, to, TEMPLATE, ranks.map(([name]) => name), ranks.map(([, key]) => key)],
  )
  await database.query(
    `INSERT INTO due (list, key, at)
     SELECT row.list, replace(row.key, $3, name), $6
     FROM ${hosts}, unnest($4::text[], $5::text[]) AS row (list, key)`,
    [
      ...[from, to, TEMPLATE],
      [...states.map(() => 'looks'), 'documents'],
      [...states.map(({ endpoint }) => endpoint), summary.host],
      later,
    ],
  )
}

function nameOf(host: number): string {
  return `h${`${host}`.padStart(7, '0')}`
}
