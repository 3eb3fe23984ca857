import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { explain } from '../../adapters/store/backup/backupError.ts'
import { type Backup, describeBackup, makeBackup } from '../../adapters/store/backup/makeBackup.ts'
import { requestBackup } from '../../adapters/store/backup/requestBackup.ts'
import { createEmbeddedStore } from '../../adapters/store/embedded/createEmbeddedStore.ts'
import { levelFolder } from '../../adapters/store/embedded/openLevel.ts'
import { type Environment, readStorageConfig } from '../../config/storageSettings.ts'

type OnLine = (line: string) => void

/**
 * Makes a copy of the data folder in a folder to be created: by the process that has it open, or here if none has.
 * @returns a summary
 * @throws Error that says why not
 */
export async function runBackup(words: readonly string[], environment: Environment): Promise<string> {
  const [word, ...others] = words
  if (word === undefined || others.length > 0)
    throw new Error('backup takes one folder to create, such as /backups/2026-06-01')
  const { databaseUrl, dataDir } = readStorageConfig(environment)
  if (databaseUrl !== null)
    throw new Error('DATABASE_URL is set: back up the database with pg_dump, and the signing keys apart')
  const target = resolve(word)
  const onLine = (line: string) => void process.stderr.write(`touchstone-server: ${line}\n`)
  const made = (await requestBackup(dataDir, target, onLine)) ?? (await backUpHere(dataDir, target, onLine))
  return describeBackup(target, made)
}

/** Makes the copy in this process. */
async function backUpHere(directory: string, target: string, onLine: OnLine): Promise<Backup> {
  await stat(levelFolder(directory)).catch((cause: unknown) => {
    throw explain(`Cannot read the store of ${directory}`, cause)
  })
  const store = await createEmbeddedStore({ directory })
  try {
    return await makeBackup({ directory, target, copyTo: store.copyTo, onLine })
  } finally {
    await store.close()
  }
}
