import { copyStore } from '../../adapters/store/copyStore.ts'
import { migrateDatabase } from '../../adapters/store/postgres/openPostgresStore.ts'
import { type Environment, readStorageConfig } from '../../config/storageSettings.ts'
import { openFolderStore } from '../openStorage.ts'

/** Migrates the database. Returns a summary. */
export async function runMigrate(environment: Environment): Promise<string> {
  const steps = await migrateDatabase({ url: needDatabase(environment).url })
  return steps.length === 0 ? 'The database is up to date.' : `Migrated: ${steps.join(', ')}.`
}

/** Copies the data folder into an empty database. Returns a summary. */
export async function runCopy(environment: Environment): Promise<string> {
  const { url, dataDir } = needDatabase(environment)
  const store = await openFolderStore(dataDir, (_, message) =>
    process.stderr.write(`touchstone-server: ${message}\n`),
  )
  try {
    const { facts, days, documents, claims } = await copyStore(store, { url })
    return [
      `Copied ${dataDir}: ${facts} facts, ${days} days, ${documents} documents, ${claims} claims.`,
      'Not copied: signing keys, sold snapshots, MCP audits. Keep signing-keys.json.',
    ].join('\n')
  } finally {
    await store.close()
  }
}

function needDatabase(environment: Environment): { url: string; dataDir: string } {
  const { databaseUrl: url, dataDir } = readStorageConfig(environment)
  if (url === null) throw new Error('DATABASE_URL is missing: the database to migrate or copy to')
  return { url, dataDir }
}
