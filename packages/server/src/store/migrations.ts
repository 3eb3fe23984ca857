import { type ColumnDataType, type Kysely, type Migration, Migrator, type RawBuilder, sql } from 'kysely'
import { StoreOpenError } from '../facts/storeError.ts'
import { DAY } from '../facts/times.ts'
import { messageOf } from '../lib/errors.ts'
import { type Column, type Db, META, STANDING, START, type Table } from './schema.ts'
import type { Dialect } from './tx.ts'

/**
 * Migrates the tables to this version, and notes their format.
 * @param options.schema of the tables, for PostgreSQL
 * @param options.place how errors name the store. @default 'The store'
 * @throws StoreOpenError if a newer version made them
 */
export async function migrate(
  db: Db,
  dialect: Dialect,
  { schema, place = 'The store' }: { readonly schema?: string; readonly place?: string } = {},
): Promise<void> {
  await refuseNewer(db, place)
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => createMigrations(dialect) },
    ...(schema !== undefined && { migrationTableSchema: schema }),
  })
  const { error } = await migrator.migrateToLatest()
  if (error === undefined) return
  // Kysely names what was run before and is not known here.
  if (!/is missing/.test(messageOf(error))) throw error
  const format = await readFormat(db)
  throw new StoreOpenError(
    `${place} has changes of another version of this program, in format ${format ?? 'unknown'}, which this version does not know: use that version, or a back-up from before it`,
    { cause: error },
  )
}

/** @throws StoreOpenError if a newer version made a store. @param place how the error names it */
export async function refuseNewer(db: Db, place: string): Promise<void> {
  const format = await readFormat(db)
  if (format !== null && format > FORMAT) throw new StoreOpenError(describeNewer(place, format))
}

/** Describes a store that a newer version made. */
export const describeNewer = (place: string, format: number) =>
  `${place} was made by a newer version of this program, in format ${format}; this version reads formats up to ${FORMAT}: start the newer version again, or restore a back-up from before the upgrade`

type Step = readonly [name: string, up: (db: Kysely<unknown>, dialect: Dialect) => Promise<void>]

/**
 * All migrations in their order. A released one is never changed. Whatever changes a stored shape adds one, also if it
 * leaves the tables as they are: the number of the last one is the format, and an older program refuses it.
 */
const STEPS: readonly Step[] = [
  [
    '0001_start',
    async (db, dialect) => {
      for (const [name, table] of Object.entries(START)) await createTable(db, dialect, name, table)
    },
  ],
  ['0002_format', (db, dialect) => createTable(db, dialect, 'meta', META)],
  [
    '0003_gaps_and_standing',
    async (db, dialect) => {
      const kinds = kindsOf(dialect)
      await db.schema.alterTable('look').addColumn('gap_ms', kinds.big).execute()
      await createTable(db, dialect, 'standing', STANDING)
      await db.schema.alterTable('endpoint').addColumn('terms_json', kinds.text).execute()
      await writeTerms(db)
    },
  ],
  // With the documents of replies; reports count hosts by verdict.
  ['0004_dispute_states', (db) => writeDisputeStates(db)],
  // Payments may be refused, or owed.
  ['0005_claim_states', async () => {}],
  // Rows of endpoints say that the documents of their host were not read.
  ['0006_documents_unread', async () => {}],
  [
    '0007_payment_sent',
    async (db, dialect) => {
      await db.schema.alterTable('payment').addColumn('sent_at', kindsOf(dialect).big).execute()
      await (db as Db)
        .updateTable('payment')
        .set((eb) => ({ sent_at: eb.ref('updated_at') }))
        .where('state', 'not in', ['claimed', 'released'])
        .execute()
    },
  ],
]

/** Number of the format that this version writes. */
export const FORMAT = STEPS.length

/** The first format that a store states. */
const STATED_FROM = 2

/** Returns all migrations by name. */
export function createMigrations(dialect: Dialect): Record<string, Migration> {
  const migrations = STEPS.map(([name, change], place): [string, Migration] => [
    name,
    {
      async up(db) {
        await change(db, dialect)
        const format = place + 1
        if (format >= STATED_FROM) await stateFormat(db, format)
      },
    },
  ])
  return Object.fromEntries(migrations)
}

async function stateFormat(db: Db, format: number): Promise<void> {
  await db
    .insertInto('meta')
    .values({ id: 1, format })
    .onConflict((on) => on.column('id').doUpdateSet({ format }))
    .execute()
}

/** Returns the number of a store's format; null if it states none, as before the second. */
export async function readFormat(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom('meta')
    .select('format')
    .executeTakeFirst()
    .catch(() => undefined)
  return row?.format ?? null
}

type Kinds = Readonly<Record<Column['kind'], ColumnDataType | RawBuilder<unknown>>>

const SQLITE_KINDS: Kinds = {
  number: 'integer',
  text: 'text',
  integer: 'integer',
  big: 'integer',
  real: 'real',
  blob: 'blob',
}
const POSTGRES_KINDS: Kinds = {
  number: 'bigint',
  integer: 'integer',
  big: 'bigint',
  real: 'double precision',
  blob: 'bytea',
  // Texts are ordered by their bytes, as SQLite does.
  text: sql`text collate "C"`,
}

const kindsOf = ({ name }: Dialect): Kinds => (name === 'sqlite' ? SQLITE_KINDS : POSTGRES_KINDS)

/** Endpoints that are read at once. */
const PAGE = 100

/** Copies the terms of each endpoint out of its state. */
async function writeTerms(db: Db): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('endpoint')
      .select(['id', 'state_json'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE)
      .execute()
    for (const { id, state_json } of rows) {
      if (state_json === null) continue
      const terms_json = JSON.stringify(JSON.parse(state_json).terms ?? [])
      await db.updateTable('endpoint').set({ terms_json }).where('id', '=', id).execute()
    }
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

/** Promise that is stated with disputes from before promises. */
const PROMISED_MS = 7 * DAY

/** Gives disputes the states that are public, and removes the rejected ones, which were to be shown nowhere. */
async function writeDisputeStates(db: Db): Promise<void> {
  const ofDisputes = db.selectFrom('document').select(['id', 'data_json']).where('kind', '=', 'dispute')
  for (const { id, data_json } of await ofDisputes.execute()) {
    const { state, at, ...dispute } = JSON.parse(data_json)
    const changed = {
      ...dispute,
      at,
      state: state === 'waiting' ? 'open' : 'answered',
      promisedBy: at + PROMISED_MS,
    }
    if (state === 'rejected')
      await db.deleteFrom('document').where('kind', '=', 'dispute').where('id', '=', id).execute()
    else
      await db
        .updateTable('document')
        .set({ data_json: JSON.stringify(changed) })
        .where('kind', '=', 'dispute')
        .where('id', '=', id)
        .execute()
  }
}

async function createTable(db: Kysely<unknown>, dialect: Dialect, name: string, table: Table) {
  const engine = dialect.name
  const kinds = kindsOf(dialect)
  const isNumbered = table.columns.id?.kind === 'number'
  const hasBlobs = Object.values(table.columns).some(({ kind }) => kind === 'blob')
  let builder = db.schema.createTable(name)
  for (const [column, { kind, isNullable }] of Object.entries(table.columns))
    builder = builder.addColumn(column, kinds[kind], (made) => {
      if (kind !== 'number') return isNullable ? made : made.notNull()
      return engine === 'sqlite'
        ? made.primaryKey().autoIncrement()
        : made.primaryKey().generatedByDefaultAsIdentity()
    })
  if (!isNumbered) builder = builder.addPrimaryKeyConstraint(`${name}_key`, [...table.key] as never[])
  for (const columns of table.unique ?? [])
    builder = builder.addUniqueConstraint(`${name}_by_${columns.join('_')}`, [...columns] as never[])
  // Rows that are found by their key alone stand in its order.
  const isClustered = engine === 'sqlite' && !isNumbered && !hasBlobs
  await (isClustered ? builder.modifyEnd(sql`without rowid`) : builder).execute()
  for (const columns of table.indexes ?? [])
    await db.schema
      .createIndex(`${name}_by_${columns.join('_')}`)
      .on(name)
      .columns([...columns])
      .execute()
}
