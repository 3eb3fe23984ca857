import { LATEST, type MapFiles } from '../../ports/mapFiles.ts'
import type { Database } from './postgres/database.ts'

/** Heap for files that never change, in bytes. */
const CACHE_BYTES = 64 * 1024 * 1024

/** Creates the map's files in the database, which all processes share. */
export function createMapTable(database: Pick<Database, 'query'>): MapFiles {
  const cache = new Map<string, Uint8Array>()
  let cached = 0
  const remember = (name: string, bytes: Uint8Array) => {
    if (bytes.length > CACHE_BYTES || cache.has(name)) return
    cache.set(name, bytes)
    cached += bytes.length
    for (const [oldest, dropped] of cache) {
      if (cached <= CACHE_BYTES) break
      cache.delete(oldest)
      cached -= dropped.length
    }
  }
  return {
    async read(name) {
      const known = cache.get(name)
      if (known !== undefined) return known
      const [row] = await database.query<{ data: Buffer }>('SELECT data FROM map_file WHERE name = $1', [
        name,
      ])
      if (row !== undefined && name !== LATEST) remember(name, row.data)
      return row?.data
    },
    async publish(files, { latest, isKept }) {
      const put = (name: string, bytes: Uint8Array) =>
        database.query(
          `INSERT INTO map_file (name, data) VALUES ($1, $2)
           ON CONFLICT (name) DO UPDATE SET data = excluded.data`,
          [name, Buffer.from(bytes)],
        )
      for (const [name, bytes] of files) await put(name, bytes)
      await put(LATEST, Buffer.from(latest))
      const names = await database.query<{ name: string }>('SELECT name FROM map_file')
      const gone = names.flatMap(({ name }) =>
        files.has(name) || name === LATEST || isKept(name) ? [] : [name],
      )
      if (gone.length > 0) await database.query('DELETE FROM map_file WHERE name = ANY($1)', [gone])
    },
  }
}
