import { sql } from '@touchstone402/server/testing'
import { type Place, withSql } from './withSql.ts'

/** How a table is copied; columns that are not named are the same in every copy. */
type Table = {
  /** Number of an endpoint. */
  readonly id?: string
  /** The host, as SQL. @default no text names it */
  readonly host?: string
  /** Texts that name the host. */
  readonly names: readonly string[]
  /** Text that is unique, and that `fact_json` repeats. */
  readonly unique?: string
}

const HOST_OF_ENDPOINT = '(select host from endpoint where id = endpoint_id)'
const FEED = { host: 'host', names: ['host', 'endpoint', 'fact_json', 'id'], unique: 'id' }
const TABLES: Readonly<Record<string, Table>> = {
  endpoint: { id: 'id', host: 'host', names: ['url', 'host', 'domain', 'row_json', 'state_json'] },
  host: { host: 'name', names: ['name', 'domain', 'control_json'] },
  look: { id: 'endpoint_id', names: [] },
  shape: { id: 'endpoint_id', host: HOST_OF_ENDPOINT, names: ['shape_json'] },
  day: { id: 'endpoint_id', names: [] },
  listing: { id: 'endpoint_id', host: HOST_OF_ENDPOINT, names: ['fact_json'] },
  change: FEED,
  incident: FEED,
}

/** Length of the part of `hostName` that differs, such as `api-000012`. */
const LABEL = 10
/** Rows that one statement writes, roughly: a connection waits for one as long as that of a service. */
const ROWS = 20_000

/**
 * Copies the hosts of a store under the names of further hosts, with all that is stored of them, by statements that make
 * many rows each. Every host must have the same number of endpoints, and none be removed before.
 * @param templates number of hosts in the store, which have the names that `hostName` gives to the first numbers
 * @param hosts number of hosts afterwards, a multiple of it
 */
export async function multiply(place: Place, templates: number, hosts: number): Promise<void> {
  const copies = hosts / templates - 1
  await withSql(place, async (db, engine) => {
    const run = (text: string) => sql.raw(text).execute(db)
    const count = async (table: string) => {
      const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db)
      return Number(rows[0]?.n ?? 0)
    }
    const endpoints = await count('endpoint')
    for (const [table, how] of Object.entries(TABLES)) {
      const rows = await count(table)
      if (rows === 0) continue
      const seed = `seed_${table}`
      const label = how.host === undefined ? 'null' : `substr(${how.host}, 1, ${LABEL})`
      await run(`create temp table ${seed} as select *, ${label} as label from ${table} order by 1, 2`)
      const columns = (await columnsOf(seed)).filter((column) => column !== 'label')
      const step = Math.max(1, Math.floor(ROWS / rows))
      for (let from = 1; from <= copies; from += step) {
        const to = Math.min(copies, from + step - 1)
        await run(`insert into ${table} (${columns.join(', ')})
          with recursive copy (c) as (select ${from} union all select c + 1 from copy where c < ${to})
          select ${columns.map((column) => expressionOf(column, how)).join(', ')} from copy cross join ${seed}`)
      }
      process.stderr.write(`${(rows * (copies + 1)).toLocaleString('en')} rows of ${table}\n`)
    }
    if (engine === 'postgres')
      await run(`select setval(pg_get_serial_sequence('endpoint', 'id'), ${endpoints * (copies + 1)})`)
    await run('analyze')

    async function columnsOf(seed: string): Promise<string[]> {
      const { rows } =
        engine === 'postgres'
          ? await sql<{ name: string }>`select attname as name from pg_attribute
              where attrelid = ${seed}::regclass and attnum > 0 order by attnum`.execute(db)
          : await sql<{ name: string }>`select name from pragma_table_info(${seed})`.execute(db)
      return rows.map(({ name }) => name)
    }
    function expressionOf(column: string, { id, names, unique }: Table): string {
      if (column === id) return `${column} + c * ${endpoints}`
      if (!names.includes(column)) return column
      const own = unique === undefined ? column : `replace(${column}, ${unique}, ${unique} || '.' || c)`
      const number = `1000000 + cast(substr(label, 5) as integer) + c * ${templates}`
      return `replace(${own}, label, 'api-' || substr(cast(${number} as text), 2))`
    }
  })
}
