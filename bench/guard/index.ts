import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { measureFreeCalls } from './freeCalls.ts'
import { measureOpening } from './openLedger.ts'
import type { measurePaidCalls } from './paidCalls.ts'

const BARS = {
  freeCallVsFetch: 1.02,
  addedUs: 1.5,
  paidCallVsUnguarded: 1.15,
  gzipKb: 42,
  openLedgerMs: 2000,
}
const execute = promisify(execFile)

/**
 * The guard costs at most 2 % of a free call and 15 % of a paid one, 40 kB, and two seconds to open a long ledger.
 *
 * Measures the cost of the guard: a free call against bare `fetch`, a paid call against the same client without a guard
 * (with native and with JavaScript signature checks), the bundle size, and the time to open a ledger of 1,000,000 old
 * payments. Both sides of a pair alternate, so that load slows both.
 */
export async function run({ short }: { short: boolean }) {
  const free = await measureFreeCalls(short)
  const native = await measurePaid('native', short)
  const script = await measurePaid('script', short)
  const ledger = await measureOpening(short)
  const figures = {
    freeCallVsFetch: round(free.ratio),
    addedUs: round(free.addedUs),
    paidCallVsUnguarded: round(native.settled.warm),
    gzipKb: round(await measureBundle()),
    openLedgerMs: round(ledger.openMs),
    ledgerPayments: ledger.payments,
    paidCallMs: round(native.settled.guardedMs),
    coldCallVsUnguarded: round(native.settled.cold),
    unsettledCallVsUnguarded: round(native.unsettled.warm),
    unsettledCallMs: round(native.unsettled.guardedMs),
    inScript: {
      paidCallVsUnguarded: round(script.settled.warm),
      coldCallVsUnguarded: round(script.settled.cold),
      unsettledCallVsUnguarded: round(script.unsettled.warm),
      unsettledCallMs: round(script.unsettled.guardedMs),
    },
  }
  const ok = (Object.keys(BARS) as (keyof typeof BARS)[]).every((key) => figures[key] <= BARS[key])
  return { ok, figures }
}

const round = (value: number) => Math.round(value * 1000) / 1000

async function measurePaid(kind: 'native' | 'script', short: boolean) {
  const worker = fileURLToPath(new URL('./worker.ts', import.meta.url))
  const args = [...process.execArgv, worker, kind, short ? 'short' : 'long']
  const { stdout } = await execute(process.execPath, args)
  return JSON.parse(stdout) as Awaited<ReturnType<typeof measurePaidCalls>>
}

/** Measures the gzipped bundle of the guard in kB, as the size budget of its package does. */
async function measureBundle(): Promise<number> {
  const cwd = fileURLToPath(new URL('../../packages/guard/', import.meta.url))
  const { stdout } = await execute('npx', ['size-limit', '--json'], { cwd }).catch(
    // Fails above the budget, but still prints the figures.
    (error: { stdout: string }) => error,
  )
  const rows: { name: string; size: number }[] = JSON.parse(stdout)
  const row = rows.find(({ name }) => name.includes('everything'))
  if (row === undefined) throw new Error('the size budget has no row for everything')
  return row.size / 1000
}
