import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { budgetLimits } from '../decide/budget.ts'
import { parsePolicy } from '../decide/policySchema.ts'
import type { Reservation, ReserveResult } from '../ledger/ledger.ts'
import { createFileLedger, type FileLedger } from '../node/fileLedger.ts'
import { aRequest } from './requests.ts'

/** Ten cents a day, of which each reservation takes one. */
const TEN_CENTS = budgetLimits(
  parsePolicy({ maxPerDayUsd: '0.10', maxPerHostPerDayUsd: '0.10', velocity: { perHostPerMinute: 1000 } }),
)

/** Sets up a folder with a ledger in a file for each test. */
export function useLedgerFile() {
  let folder: string
  let opened: FileLedger[]
  let call = 0
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledger-'))
    opened = []
  })
  afterEach(async () => {
    // One whose file is gone says so again.
    for (const ledger of opened) await ledger.close().catch(() => {})
    await rm(folder, { recursive: true })
  })
  const path = () => join(folder, 'spending.jsonl')
  const reserve = (ledger: FileLedger, change: Partial<Reservation> = {}): Promise<ReserveResult> => {
    call += 1
    return ledger.reserve(aRequest({ call: `GET ${call}`, ...change }), TEN_CENTS)
  }
  return {
    get folder() {
      return folder
    },
    get path() {
      return path()
    },
    /** Opens the ledger once more. It is closed after the test. */
    async open(): Promise<FileLedger> {
      const ledger = await createFileLedger(path())
      opened.push(ledger)
      return ledger
    },
    /** Reserves one cent for a new call. */
    reserve,
    /** Reserves as many cents. Returns how many were granted. */
    async spend(ledger: FileLedger, cents: number): Promise<number> {
      let granted = 0
      for (let count = 0; count < cents; count++)
        if ((await reserve(ledger).catch(() => null))?.ok) granted += 1
      return granted
    },
  }
}
