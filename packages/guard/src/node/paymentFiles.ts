import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredPayment } from '../ledger/ledger.ts'

/**
 * Creates a store of signed payments: one file of mode 600 each, beside the ledger. They are kept apart from the ledger, since its lines can never be erased.
 * @param ledgerPath path of the ledger file
 */
export function createPaymentFiles(ledgerPath: string) {
  const folder = `${ledgerPath}.payments`
  const pathOf = (id: string) => join(folder, `${id}.json`)
  return {
    /** Writes a payment to disk. */
    async write(id: string, payment: StoredPayment): Promise<void> {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(pathOf(id), JSON.stringify(payment), { mode: 0o600, flush: true })
    },
    /** Returns a payment; null if it is missing or torn. */
    async read(id: string): Promise<StoredPayment | null> {
      try {
        return JSON.parse(await readFile(pathOf(id), 'utf8'))
      } catch {
        return null
      }
    },
    /** Erases a payment, if any. */
    erase: (id: string): Promise<void> => rm(pathOf(id), { force: true }),
  }
}
