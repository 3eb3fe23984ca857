import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import type { Db } from '../../schema.ts'
import { STORE_FILE } from '../../sqliteFile.ts'

/** A statement as a program sent it to PostgreSQL, with its parameters. */
export type Statement = readonly [sql: string, parameters: readonly unknown[]]

const place = (name: string) => new URL(`../../formats/${name}.gz`, import.meta.url)

/** Writes the fixture of a format, made by the program of that format. */
export async function writeFormat(format: number, file: Uint8Array, statements: readonly Statement[]) {
  await writeFile(place(`${format}.db`), gzipSync(file, { level: 9 }))
  const lines = statements.map((statement) => `${JSON.stringify(statement, packBytes)}\n`)
  await writeFile(place(`${format}.postgres`), gzipSync(lines.join(''), { level: 9 }))
}

/** Returns the path of the store in a data folder. */
export const formatFile = (directory: string) => join(directory, STORE_FILE)

/** Puts the store of a format into a data folder, in place of what it holds. */
export async function layFormat(format: number, directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory)
  await writeFile(formatFile(directory), gunzipSync(await readFile(place(`${format}.db`))))
}

/** Sends what the program of a format sent to PostgreSQL into an empty schema. */
export async function replayFormat(format: number, url: string, schema: string): Promise<void> {
  const lines = gunzipSync(await readFile(place(`${format}.postgres`)))
    .toString()
    .trim()
    .split('\n')
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(`create schema ${schema}; set search_path = ${schema}`)
    for (const line of lines) {
      const [sql, parameters] = JSON.parse(line, unpackBytes) as Statement
      await client.query(sql.replaceAll(`"${RECORDED_SCHEMA}"`, schema), [...parameters])
    }
  } finally {
    await client.end()
  }
}

/** Schema in which the statements of a fixture were recorded. */
export const RECORDED_SCHEMA = 'recorded'

const packBytes = (_key: string, value: unknown) =>
  isBuffer(value) ? { bytes: Buffer.from(value.data).toString('base64') } : value
const unpackBytes = (_key: string, value: unknown) =>
  typeof value === 'object' && value !== null && 'bytes' in value
    ? Buffer.from(String(value.bytes), 'base64')
    : value
/** Whether a value is a buffer as `JSON.stringify` passes it to a replacer. */
const isBuffer = (value: unknown): value is { readonly data: readonly number[] } =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer'

/** Makes a store look as a program of a later format leaves it. */
export async function makeNewer(db: Db, format: number): Promise<void> {
  await db.updateTable('meta').set({ format }).execute()
  const row = { name: `${format}_later`, timestamp: '2027-01-01T00:00:00.000Z' }
  await db
    .insertInto('kysely_migration' as 'lease')
    .values(row as never)
    .execute()
}

/** Objects whose fields are named by data. */
const OPEN = /\.(flagCounts|headers)$/

/**
 * Returns the shape of all rows: each column, with the paths and kinds of what its JSON holds, such as
 * `endpoint.state_json.flags[] string`.
 * @param schema of the tables, on PostgreSQL
 */
export async function shapeOf(db: Db, schema?: string): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const { name, columns, schema: home } of await db.introspection.getTables()) {
    if (name.startsWith('kysely_') || home !== schema) continue
    const rows = await db
      .selectFrom(name as 'document')
      .selectAll()
      .execute()
    for (const column of columns) {
      const path = `${name}.${column.name}`
      found.add(path)
      for (const row of rows) {
        const value = row[column.name as 'data_json']
        if (/_json$|^opening$|^leaf$/.test(column.name) && value !== null)
          addShape(JSON.parse(value), name === 'document' ? `${path}(${row.kind})` : path, found)
      }
    }
  }
  return [...found].sort()
}

/** Fields and kinds of documents that records have since a format, in the paths of a shape. */
const ADDED: Readonly<Record<number, RegExp>> = {
  3: /^\.?standing(\.terms_json)?\[|^announcement\S*\.claimedAt|\b(delivery|shopping|lookalike|addedReceivers|accuracy|funded-purchase|shopper-day)\b|\.(samples|generated|gapMs|input|lenient|mostAtomic|protocol|isPaid|payerSources|hasInput|isFunded|shownFrom)\b/,
  4: /\b(reply|hostsByVerdict)\b|\bdispute\b\S*\.(answer string|decidedAt number)|^log_leaf\.opening\.(endpoint null|incident|text)\b/,
  6: /\bdocumentsUnread\b/,
}

/** Returns the paths of a shape that records of a format have, without the fields of later formats: a record stays as it was made. */
export function withoutLater(format: number, paths: readonly string[]): readonly string[] {
  const later = Object.entries(ADDED).flatMap(([since, fields]) => (format < Number(since) ? [fields] : []))
  return paths.filter((path) => !later.some((fields) => fields.test(path)))
}

/** Returns the paths and kinds of what a value holds. */
export function shapeOfValue(value: unknown): readonly string[] {
  const found = new Set<string>()
  addShape(value, '', found)
  return [...found].sort()
}

function addShape(value: unknown, path: string, found: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) addShape(item, `${path}[]`, found)
  else if (typeof value === 'object' && value !== null)
    for (const [key, field] of Object.entries(value))
      addShape(field, `${path}.${OPEN.test(path) ? '*' : key}`, found)
  else found.add(`${path} ${value === null ? 'null' : typeof value}`)
}
