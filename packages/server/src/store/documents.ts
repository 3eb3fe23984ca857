import type { Time } from '../facts/facts.ts'
import type { McpAudit } from '../facts/mcpFacts.ts'
import { searchable } from '../facts/searchable.ts'
import type { Db } from './schema.ts'
import type { Reader, Tx } from './tx.ts'

/** A small document that nothing is derived from, dropped some time after its expiry. */
export type ExpiringDocument = {
  /** Kind of document, such as `scan`. */
  readonly kind: string
  readonly id: string
  /** Unix time in ms from which on it is not read. */
  readonly expiresAt: Time
  /** Anything that JSON can hold. */
  readonly data: unknown
}

/** Name of the signed header of the map. */
export const LATEST = 'latest'

/** Page size of lists. */
const PAGE = 200

/** Reads rows page by page. @param read reads the page behind a key */
async function* readPages<K extends string, Row extends Readonly<Record<K, string>>>(
  key: K,
  read: (after: string) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: readonly Row[] = await read(after)
    yield* rows
    after = rows.length < PAGE ? undefined : rows.at(-1)?.[key]
  }
}

/** Writes a document, or replaces the one of its kind and id. Drops some that have expired. */
export async function putDocument(
  { db }: Tx,
  { kind, id, expiresAt, data }: ExpiringDocument,
  now: number,
): Promise<void> {
  await db.deleteFrom('document').where('expires_at', '<=', now).execute()
  const row = { expires_at: expiresAt, data_json: JSON.stringify(data) }
  await db
    .insertInto('document')
    .values({ kind, id: searchable(id), ...row })
    .onConflict((on) => on.columns(['kind', 'id']).doUpdateSet(row))
    .execute()
}

/** Deletes a document. Returns whether there was one. */
export async function removeDocument({ db }: Tx, kind: string, id: string): Promise<boolean> {
  const query = db.deleteFrom('document').where('kind', '=', kind).where('id', '=', searchable(id))
  return (await query.executeTakeFirst()).numDeletedRows > 0n
}

const current = (db: Db, kind: string, now: number) =>
  db.selectFrom('document').selectAll().where('kind', '=', kind).where('expires_at', '>', now)

type DocumentRow = { kind: string; id: string; expires_at: number; data_json: string }
const toDocument = ({ kind, id, expires_at, data_json }: DocumentRow): ExpiringDocument => ({
  kind,
  id,
  expiresAt: expires_at,
  data: JSON.parse(data_json),
})

/** Reads a document that has not expired. */
export async function readDocument(
  { db }: Reader,
  kind: string,
  id: string,
  now: number,
): Promise<ExpiringDocument | undefined> {
  const row = await current(db, kind, now).where('id', '=', searchable(id)).executeTakeFirst()
  return row && toDocument(row)
}

/** Reads documents of a kind whose ids begin with a prefix and that have not expired, by id. */
export async function* readDocuments(
  { db }: Reader,
  kind: string,
  prefix: string,
  now: number,
): AsyncIterable<ExpiringDocument> {
  const listed = current(db, kind, now).where('id', '>=', prefix).orderBy('id').limit(PAGE)
  for await (const row of readPages('id', (after) => listed.where('id', '>', after).execute())) {
    if (!row.id.startsWith(prefix)) return
    yield toDocument(row)
  }
}

/** The store, which writes files of the map in a unit. */
type Publisher = Reader & {
  write(
    unit: 'putMapFiles',
    files: ReadonlyMap<string, Uint8Array>,
    latest: string,
    removed: readonly string[],
  ): Promise<void>
}

/** Writes files of the map and then `latest`, and removes others. See {@link publishMapFiles}. */
export async function putMapFiles(
  { db }: Tx,
  files: ReadonlyMap<string, Uint8Array>,
  latest: string,
  removed: readonly string[],
): Promise<void> {
  for (const [name, data] of [...files, [LATEST, Buffer.from(latest)] as const])
    await db
      .insertInto('map_file')
      .values({ name, data: Buffer.from(data) })
      .onConflict((on) => on.column('name').doUpdateSet({ data: Buffer.from(data) }))
      .execute()
  if (removed.length > 0)
    await db
      .deleteFrom('map_file')
      .where('name', 'in', [...removed])
      .execute()
}

/** Reads a file of the map: `latest`, `{version}` or `{from}-{to}`. */
export async function readMapFile({ db }: Reader, name: string): Promise<Uint8Array | undefined> {
  const row = await db.selectFrom('map_file').select('data').where('name', '=', name).executeTakeFirst()
  return row && Buffer.from(row.data)
}

/** Writes files of the map and then `latest`, and removes what is not kept. Resolves once all is durable. */
export async function publishMapFiles(
  store: Publisher,
  files: ReadonlyMap<string, Uint8Array>,
  { latest, isKept }: { latest: string; isKept: (name: string) => boolean },
): Promise<void> {
  const names = (await store.db.selectFrom('map_file').select('name').execute()).map(({ name }) => name)
  const gone = names.filter((name) => !files.has(name) && name !== LATEST && !isKept(name))
  await store.write('putMapFiles', files, latest, gone)
}

/** Writes the audit of an MCP server in place of an earlier one. */
export async function putAudit({ db }: Tx, audit: McpAudit): Promise<void> {
  const audit_json = JSON.stringify(audit)
  await db
    .insertInto('mcp_audit')
    .values({ name: searchable(audit.name), audit_json })
    .onConflict((on) => on.column('name').doUpdateSet({ audit_json }))
    .execute()
}

/** Reads the audit of an MCP server. */
export async function readAudit({ db }: Reader, name: string): Promise<McpAudit | undefined> {
  const query = db.selectFrom('mcp_audit').select('audit_json').where('name', '=', searchable(name))
  const row = await query.executeTakeFirst()
  return row && JSON.parse(row.audit_json)
}

/** Reads the audits of all MCP servers. */
export async function* listAudits({ db }: Reader): AsyncIterable<McpAudit> {
  const listed = db.selectFrom('mcp_audit').selectAll().orderBy('name').limit(PAGE)
  for await (const row of readPages('name', (after) => listed.where('name', '>', after).execute()))
    yield JSON.parse(row.audit_json)
}
