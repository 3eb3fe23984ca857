import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { createFileLedger, type FileLedger } from '../fileLedger.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the path of the ledger: the one given, that of TOUCHSTONE_LEDGER, or `.touchstone/spending.jsonl` in the home
 * directory.
 */
export function ledgerPath(given: string | undefined, env: Environment): string {
  return given ?? env.TOUCHSTONE_LEDGER ?? join(env.HOME ?? homedir(), '.touchstone', 'spending.jsonl')
}

/** Opens the ledger of {@link ledgerPath}; creates its directory, readable by its owner only. */
export async function openLedger(given: string | undefined, env: Environment): Promise<FileLedger> {
  const path = ledgerPath(given, env)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  return createFileLedger(path)
}
