import { resolve } from 'node:path'
import { describeRestored, restoreBackup } from '../../adapters/store/backup/restoreBackup.ts'
import { createEmbeddedStore } from '../../adapters/store/embedded/createEmbeddedStore.ts'
import { type Environment, readStorageConfig } from '../../config/storageSettings.ts'

/**
 * Copies a back-up into the data folder, which must be empty, once its store opens.
 * @returns a summary
 * @throws Error that says why not
 */
export async function runRestore(words: readonly string[], environment: Environment): Promise<string> {
  const [word, ...others] = words
  if (word === undefined || others.length > 0)
    throw new Error('restore takes one folder that backup made, such as /backups/2026-06-01')
  const { databaseUrl, dataDir } = readStorageConfig(environment)
  if (databaseUrl !== null) throw new Error('DATABASE_URL is set: restore the database with pg_restore')
  const restored = await restoreBackup({ directory: dataDir, source: resolve(word), check })
  return describeRestored(dataDir, restored)
}

async function check(directory: string): Promise<void> {
  const store = await createEmbeddedStore({ directory })
  await store.close()
}
