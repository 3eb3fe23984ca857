import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Ledger } from '../../ledger/ledger.ts'
import { createFileLedger } from '../fileLedger.ts'
import { UsageError } from './io.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the path or URL of the ledger: the one given, that of TOUCHSTONE_LEDGER, or `.touchstone/spending.jsonl` in the home
 * directory.
 */
export function ledgerPath(given: string | undefined, env: Environment): string {
  return given ?? env.TOUCHSTONE_LEDGER ?? join(env.HOME ?? homedir(), '.touchstone', 'spending.jsonl')
}

/** A ledger of the command line. */
export type OpenedLedger = Ledger & { close(): Promise<void> }

/** Whether a ledger is a database and not a file. */
export const isDatabase = (ledger: string): boolean => /^postgres(ql)?:\/\//.test(ledger)

/**
 * Opens the ledger of {@link ledgerPath}: a PostgreSQL database for a `postgres://` URL, whose parameter `ledger` names
 * one of its ledgers, or a file, whose directory it creates, readable by its owner only.
 */
export async function openLedger(given: string | undefined, env: Environment): Promise<OpenedLedger> {
  const path = ledgerPath(given, env)
  if (isDatabase(path)) return openDatabaseLedger(path)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  return createFileLedger(path)
}

async function openDatabaseLedger(given: string): Promise<OpenedLedger> {
  if (!URL.canParse(given)) throw new UsageError('The URL of the ledger is not valid.')
  const url = new URL(given)
  const name = url.searchParams.get('ledger')
  url.searchParams.delete('ledger')
  // Imported when asked for: pg is optional.
  const { createPostgresLedger } = await import('../postgres/postgresLedger.ts')
  return createPostgresLedger({ url: url.href, ...(name !== null && { name }) })
}
