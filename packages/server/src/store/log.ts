import { type LeafText, readLeaf } from '@touchstone402/shared/leaves'
import { hashLeaf } from '@touchstone402/transparency'
import { growTree, type LogHead, type TilePlace } from '@touchstone402/transparency/publisher'
import { type NewLeaf, signingKeyKey } from '../facts/leaves.ts'
import type { Db } from './schema.ts'
import type { Reader, Tx } from './tx.ts'

/** Whether a key of each use has ever begun to sign, so that others may know it. */
export type Published = { readonly decisions: boolean; readonly log: boolean }

/** Writes leaves that wait for their place. */
export async function addLeaves({ db }: Tx, leaves: readonly NewLeaf[]): Promise<void> {
  for (const { key, leaf, opening, about, once } of leaves) {
    if (once === true && (await findLeaf({ db }, key)) !== undefined) continue
    const about_json = about === undefined ? null : JSON.stringify(about)
    await db.insertInto('log_leaf').values({ key, leaf, opening, about_json }).execute()
  }
}

/** Gives waiting leaves their places, oldest first, with all tiles that follow. Returns their number. */
export async function sequenceLeaves(tx: Tx, limit: number): Promise<number> {
  const { db, dialect } = tx
  const leaves = await db
    .selectFrom('log_leaf')
    .select(['id', 'leaf', 'about_json'])
    .where('place', 'is', null)
    .orderBy('id')
    .limit(limit)
    // A process that was suspended while it led may do the same now: it waits, and finds them placed.
    .$if(dialect.name === 'postgres', (query) => query.forUpdate())
    .execute()
  if (leaves.length === 0) return 0
  const size = await readLogSize({ db })
  for (const [index, { id, about_json }] of leaves.entries()) {
    await db
      .updateTable('log_leaf')
      .set({ place: size + index })
      .where('id', '=', id)
      .execute()
    if (about_json !== null) tx.changed({ ...JSON.parse(about_json), hasNews: false })
  }
  const hashes = leaves.map(({ leaf }) => hashLeaf(Buffer.from(leaf)))
  const readTile = async (place: TilePlace) => (await readTiles({ db }, [place]))[0]
  for (const { level, index, hashes: own } of await growTree(size, hashes, readTile))
    await db
      .insertInto('log_tile')
      .values({ level, place: index, hashes: own })
      .onConflict((on) => on.columns(['level', 'place']).doUpdateSet({ hashes: own }))
      .execute()
  return leaves.length
}

/** Deletes the opening of a leaf. Returns false if it has none. */
export async function forgetOpening({ db }: Tx, index: number): Promise<boolean> {
  const forgotten = await db
    .updateTable('log_leaf')
    .set({ opening: null })
    .where('place', '=', index)
    .where('opening', 'is not', null)
    .executeTakeFirst()
  return forgotten.numUpdatedRows > 0n
}

/** Replaces the newest published checkpoint, unless the new one is smaller. */
export async function putHead({ db, dialect }: Tx, head: LogHead): Promise<void> {
  const row = await selectHead(db)
    .$if(dialect.name === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
  if (row !== undefined && parseHead(row).size > head.size) return
  const head_json = JSON.stringify(head)
  await db
    .insertInto('log_head')
    .values({ id: 1, head_json })
    .onConflict((on) => on.column('id').doUpdateSet({ head_json }))
    .execute()
}

/** Leaves that one statement deletes; a database limits the time of each. */
const DELETED_AT_ONCE = 50_000

/** Removes the leaves under the newest checkpoint with the tree, and gives the first place of another one to a leaf. */
export async function beginLog({ db }: Tx, { key, leaf, opening }: NewLeaf): Promise<void> {
  const size = (await readHead({ db }))?.size ?? 0
  for (let from = 0; from < size; from += DELETED_AT_ONCE)
    await db
      .deleteFrom('log_leaf')
      .where('place', '>=', from)
      .where('place', '<', Math.min(size, from + DELETED_AT_ONCE))
      .execute()
  await db.deleteFrom('log_tile').execute()
  await db.deleteFrom('log_head').execute()
  await db.updateTable('log_leaf').set({ place: null }).where('place', 'is not', null).execute()
  await db.insertInto('log_leaf').values({ key, leaf, opening, about_json: null, place: 0 }).execute()
  const hashes = Buffer.from(hashLeaf(Buffer.from(leaf)))
  await db.insertInto('log_tile').values({ level: 0, place: 0, hashes }).execute()
}

/** Reads the number of leaves that have a place. */
export async function readLogSize({ db }: Reader): Promise<number> {
  const { last } = await db
    .selectFrom('log_leaf')
    .select(({ fn, lit }) => fn.coalesce(fn.max('place'), lit(-1)).as('last'))
    .executeTakeFirstOrThrow()
  return last + 1
}

/** Counts the leaves that wait. */
export async function countWaiting({ db }: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('log_leaf')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('place', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Reads the place of a key's newest leaf; null while it waits. */
export async function findLeaf({ db }: Reader, key: string): Promise<number | null | undefined> {
  const query = db.selectFrom('log_leaf').select('place').where('key', '=', key)
  return (await query.orderBy('id', 'desc').limit(1).executeTakeFirst())?.place
}

const FIRST_KEY = signingKeyKey('')
/** Greater than the key of each leaf that begins a key. */
const AFTER_KEYS = 'key!'

/** Reads which keys have begun to sign, in this log or one before. */
export async function readBegunKeys({ db }: Reader): Promise<Published> {
  const begun = db.selectFrom('log_leaf').select('key').where('key', '>=', FIRST_KEY)
  const [rows, head, [first]] = await Promise.all([
    begun.where('key', '<', AFTER_KEYS).execute(),
    readHead({ db }),
    readLeaves({ db }, 0, 1),
  ])
  // A verifier key has plus signs, a thumbprint has none.
  const isOfLog = ({ key }: { readonly key: string }) => key.includes('+')
  // The leaves of a log that was ended are gone, with those of its keys.
  const isNext = first !== undefined && typeof readLeaf(Buffer.from(first.leaf)).previous === 'string'
  return {
    decisions: isNext || !rows.every(isOfLog),
    log: head !== null || rows.some(isOfLog),
  }
}

/** Reads tiles as they are now. */
export async function readTiles(
  { db }: Reader,
  places: readonly TilePlace[],
): Promise<(Uint8Array | undefined)[]> {
  if (places.length === 0) return []
  const rows = await db
    .selectFrom('log_tile')
    .selectAll()
    .where((eb) => eb.or(places.map(({ level, index }) => eb.and({ level, place: index }))))
    .execute()
  const found = new Map(rows.map(({ level, place, hashes }) => [`${level} ${place}`, Buffer.from(hashes)]))
  return places.map(({ level, index }) => found.get(`${level} ${index}`))
}

/** Reads leaves from one place up to, not including, another. */
export async function readLeaves({ db }: Reader, from: number, to: number): Promise<LeafText[]> {
  const leaves = db.selectFrom('log_leaf').select(['leaf', 'opening'])
  return leaves.where('place', '>=', from).where('place', '<', to).orderBy('place').execute()
}

/** Reads the newest published checkpoint. */
export async function readHead({ db }: Reader): Promise<LogHead | null> {
  const row = await selectHead(db).executeTakeFirst()
  return row === undefined ? null : parseHead(row)
}

const selectHead = (db: Db) => db.selectFrom('log_head').select('head_json')
const parseHead = ({ head_json }: { readonly head_json: string }): LogHead => JSON.parse(head_json)
