import { copyToPostgres } from '../../adapters/store/copyToPostgres.ts'
import { migrateDatabase } from '../../adapters/store/postgres/openPostgresStore.ts'
import { type Environment, readStorageConfig } from '../../config/storageSettings.ts'

/** Migrates the database. Returns a summary. */
export async function runMigrate(environment: Environment): Promise<string> {
  const steps = await migrateDatabase({ url: needDatabase(environment).url })
  return steps.length === 0 ? 'The database is up to date.' : `Migrated: ${steps.join(', ')}.`
}

/** Copies the data folder into an empty database. Returns a summary. */
export async function runCopy(environment: Environment): Promise<string> {
  const { url, dataDir } = needDatabase(environment)
  const copied = await copyToPostgres(dataDir, { url })
  const lines = [
    `Copied ${dataDir}: ${copied.facts} facts, ${copied.changesAndIncidents} changes and incidents, ${copied.days} days, ` +
      `${copied.documents} documents, ${copied.claims} claims.`,
    'Not copied: signing keys, sold snapshots, MCP audits. Keep signing-keys.json.',
  ]
  if (copied.unreadableBytes > 0) lines.push(`${copied.unreadableBytes} bytes of the log are unreadable.`)
  return lines.join('\n')
}

function needDatabase(environment: Environment): { url: string; dataDir: string } {
  const { databaseUrl: url, dataDir } = readStorageConfig(environment)
  if (url === null) throw new Error('DATABASE_URL is missing: the database to migrate or copy to')
  return { url, dataDir }
}
