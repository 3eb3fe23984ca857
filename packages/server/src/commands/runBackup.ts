import { resolve } from 'node:path'
import { type Environment, readStorageConfig } from '../config/storageSettings.ts'
import { backUp } from '../store/backUp.ts'
import { copyStore } from '../store/copyStore.ts'
import { withStore } from './withStore.ts'

/**
 * Copies the store of the data folder into one file, beside a running service.
 * @returns a summary
 * @throws Error with the reason if it fails
 */
export async function runBackup(file: string, environment: Environment): Promise<string> {
  const { databaseUrl, dataDir } = readStorageConfig(environment)
  if (databaseUrl !== null) throw new Error('DATABASE_URL is set: back up the database with pg_dump')
  const target = resolve(file)
  const bytes = await backUp(dataDir, target)
  return [
    `${target}: ${(bytes / 1024 / 1024).toFixed(1)} MB.`,
    'Keep signing-keys.json of the data folder apart: who has it can sign verdicts.',
    'To restore it, run touchstone-server restore with an empty data folder.',
  ].join('\n')
}

/** Migrates the tables, as starting the service does. Returns a summary. */
export async function runMigrate(environment: Environment): Promise<string> {
  await withStore(environment, async () => {})
  return 'The tables are those of this version.'
}

/** Copies the data folder into an empty database. Returns a summary. */
export async function runCopy(environment: Environment): Promise<string> {
  const { databaseUrl, dataDir } = readStorageConfig(environment)
  if (databaseUrl === null) throw new Error('DATABASE_URL is missing: the database to copy to')
  const copied = await copyStore({ directory: dataDir }, { url: databaseUrl })
  const rows = [...copied].flatMap(([table, count]) => (count > 0 ? [`${count} ${table}`] : []))
  return [
    `Copied ${dataDir}: ${rows.length === 0 ? 'nothing is stored there' : rows.join(', ')}.`,
    'Not copied: signing keys and sold snapshots. Keep signing-keys.json.',
  ].join('\n')
}
