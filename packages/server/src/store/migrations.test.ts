import { Migrator } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../lib/database.ts'
import { createMigrations } from './migrations.ts'
import { SQLITE, toKysely } from './sqliteFile.ts'

const NAMES = Object.keys(createMigrations(SQLITE))

/** Tables and columns after a migration. */
async function tablesAt(last: string): Promise<Record<string, string>> {
  const database = openDatabase(':memory:')
  const provider = { getMigrations: async () => createMigrations(SQLITE) }
  await new Migrator({ db: toKysely(database), provider }).migrateTo(last)
  const columns = database
    .prepare(
      `select m.name as of, group_concat(c.name, ' ') as columns
       from (select name from sqlite_master where type = 'table' and name not glob '*_*migration*' order by name) m,
            pragma_table_info(m.name) c
       where m.name not glob 'sqlite_*' and m.name not glob 'kysely_*' group by m.name`,
    )
    .all() as { of: string; columns: string }[]
  database.close()
  return Object.fromEntries(columns.map(({ of, columns: names }) => [of, names]))
}

// Each migration is tested from the one before: add the tables that it leaves, and rows that it changes.
test('default: the tables of the first version', async () => {
  expect(NAMES[0]).toBe('0001_start')
  expect(await tablesAt('0001_start')).toMatchInlineSnapshot(`
    {
      "announcement": "id at fact_json host",
      "change": "id at fact_json host endpoint",
      "day": "endpoint_id date up down not_measured p50_ms p90_ms",
      "document": "kind id expires_at data_json",
      "endpoint": "id url host domain due_at listed_at verdict status score expires_at dark_since derived_at category price_usd stability receiver_profile receiver flags_json listed_by_json unhealthy_in_json row_json state_json",
      "host": "name domain due_at documents_at rank live first_seen updated_at valid_until control_json",
      "incident": "id at fact_json host endpoint is_open written_at",
      "lease": "name token until",
      "listing": "id at fact_json endpoint_id directory",
      "log_head": "id head_json",
      "log_leaf": "id place key leaf opening about_json",
      "log_tile": "level place hashes",
      "look": "endpoint_id at n id client latency_ms asked_at shape is_cited",
      "map_file": "name data",
      "mcp_audit": "name audit_json",
      "payment": "id state updated_at tx_hash wanted_json answer_json answered_at",
      "purchase": "id at fact_json endpoint_id host",
      "receiver": "id at fact_json receiver is_answered",
      "report": "date at fact_json",
      "shape": "endpoint_id n hash shape_json",
    }
  `)
})

test('default: the second version adds the number of its format', async () => {
  const { meta, ...others } = await tablesAt('0002_format')
  expect(meta).toBe('id format')
  expect(others).toEqual(await tablesAt('0001_start'))
})

test('default: the third version adds drawn gaps of probes, verdicts that stand with reports, and the terms of endpoints', async () => {
  const { look, standing, endpoint, ...others } = await tablesAt('0003_gaps_and_standing')
  const { look: lookBefore, endpoint: endpointBefore, ...othersBefore } = await tablesAt('0002_format')
  expect(look).toBe(`${lookBefore} gap_ms`)
  expect(standing).toBe('endpoint date verdict band terms_json')
  expect(endpoint).toBe(`${endpointBefore} terms_json`)
  expect(others).toEqual(othersBefore)
})

test('default: the fourth version names the states of disputes, and drops those that were rejected in private', async () => {
  const database = openDatabase(':memory:')
  const db = toKysely(database)
  const migrator = new Migrator({ db, provider: { getMigrations: async () => createMigrations(SQLITE) } })
  await migrator.migrateTo('0003_gaps_and_standing')
  const [at, more] = [1_000, { text: 'We moved.', answer: null }]
  for (const state of ['waiting', 'published', 'rejected'])
    await db
      .insertInto('document')
      .values({
        kind: 'dispute',
        id: state,
        expires_at: 1e15,
        data_json: JSON.stringify({ ...more, at, state }),
      })
      .execute()
  await migrator.migrateTo('0004_dispute_states')
  const rows = await db.selectFrom('document').select(['id', 'data_json']).orderBy('id').execute()
  const promisedBy = at + 7 * 86_400_000
  expect(rows.map(({ id, data_json }) => [id, JSON.parse(data_json)])).toEqual([
    ['published', { ...more, at, state: 'answered', promisedBy }],
    ['waiting', { ...more, at, state: 'open', promisedBy }],
  ])
  database.close()
  expect(await tablesAt('0004_dispute_states')).toEqual(await tablesAt('0003_gaps_and_standing'))
})

test('default: the fifth version changes no table: payments have more states', async () => {
  expect(await tablesAt('0005_claim_states')).toEqual(await tablesAt('0004_dispute_states'))
})

test('default: the sixth version changes no table: rows of endpoints have a field more', async () => {
  expect(await tablesAt('0006_documents_unread')).toEqual(await tablesAt('0005_claim_states'))
})

test('default: the seventh version notes when a payment was sent to be settled', async () => {
  const { payment, ...others } = await tablesAt('0007_payment_sent')
  const { payment: before, ...othersBefore } = await tablesAt('0006_documents_unread')
  expect(payment).toBe(`${before} sent_at`)
  expect(others).toEqual(othersBefore)
})

test('behavior: each migration has a test above', () => {
  expect(NAMES).toEqual([
    '0001_start',
    '0002_format',
    '0003_gaps_and_standing',
    '0004_dispute_states',
    '0005_claim_states',
    '0006_documents_unread',
    '0007_payment_sent',
  ])
})
