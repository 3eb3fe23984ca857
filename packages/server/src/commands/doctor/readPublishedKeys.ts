import { resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Published } from '../../store/log.ts'
import { readBegunKeys } from '../../store/log.ts'
import { FORMAT } from '../../store/migrations.ts'
import { inspectPostgres } from '../../store/postgres.ts'
import { readFolder, readFolderFormat } from '../../store/sqliteFile.ts'

/**
 * Reads which keys a store of this version has published, and changes nothing. Returns undefined if there is no such store,
 * or it cannot be read, which another check tells.
 */
export async function readPublishedKeys({
  dataDir,
  databaseUrl,
}: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<Published | undefined> {
  const folder = resolve(dataDir)
  try {
    if (databaseUrl !== null) return (await inspectPostgres(databaseUrl)).published
    if ((await readFolderFormat(folder)) !== FORMAT) return undefined
    return await readFolder(folder, (db) => readBegunKeys({ db }))
  } catch {
    return undefined
  }
}
