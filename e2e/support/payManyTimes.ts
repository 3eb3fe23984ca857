import dns from 'node:dns'
import { lookup } from '@touchstone402/economy'
import { createGuard, isGuardError } from '@touchstone402/guard'
import { createFileLedger } from '@touchstone402/guard/ledger'
import { createRecordingWallet, STOCK_CLIENTS } from './stockClients.ts'

/** Settings of a paying process. */
export type PayManyTimes = {
  key: `0x${string}`
  service: string
  endpoint: string
  budgetUsd: string
  /** Number of concurrent calls. */
  calls: number
  /** Ledger file, which processes may share. Null is a ledger in memory. */
  ledger: string | null
}

/** Report of a paying process. */
export type PaidManyTimes = { signatures: number; paid: number; refused: Record<string, number> }

// Runs as a child process that makes all its calls at once when its parent tells it to.
dns.lookup = lookup as typeof dns.lookup
const {
  key,
  service,
  endpoint,
  budgetUsd,
  calls,
  ledger: path,
} = JSON.parse(process.argv[2] ?? '') as PayManyTimes
const wallet = createRecordingWallet(key)
const ledger = path === null ? undefined : await createFileLedger(path)
const guard = createGuard({
  service: { url: service },
  policy: {
    maxPerDayUsd: budgetUsd,
    maxPerHostPerDayUsd: budgetUsd,
    velocity: { perHostPerMinute: 100_000, identicalPerMinute: 100_000 },
  },
  ...(ledger && { ledger }),
})
const pay = STOCK_CLIENTS['@x402/fetch'](guard.fetch(), wallet.account, 'none')

process.once('message', async () => {
  const report: PaidManyTimes = { signatures: 0, paid: 0, refused: {} }
  const call = async (number: number) => {
    try {
      // Equal calls of two processes would be retries of each other.
      const response = await pay(`${endpoint}?call=${process.pid}-${number}`)
      await response.arrayBuffer()
      if (response.status === 200) report.paid += 1
    } catch (error) {
      const code = isGuardError(error) ? error.code : String(error)
      report.refused[code] = (report.refused[code] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: calls }, (_, number) => call(number)))
  await ledger?.close()
  report.signatures = wallet.signed.length
  process.send?.(report, () => process.exit(0))
})
process.send?.('ready')
