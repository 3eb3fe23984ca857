import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startSeller } from '@touchstone402/guard/testing'
import { median } from '../guard/takeTurns.ts'

/** Most processor time of a first paid call, as a ratio to the stock client's. */
const BAR = 1.15
const KINDS = ['stock', 'guarded', 'native'] as const
const worker = fileURLToPath(new URL('./worker.mjs', import.meta.url))
const execute = promisify(execFile)

type Kind = (typeof KINDS)[number]
/** Processor time of a process in ms: once its client is created, and in all. */
type Measured = { importedMs: number; paidMs: number }

/**
 * A program that pays once takes at most 15 % more processor time with the guard.
 *
 * Measures processes that import the built package, create a client and pay a first call, with the ledger in a file:
 * user and system time of the whole process, against the stock client. `native` has the optional `secp256k1`. The kinds
 * alternate, so that load slows all; the seller is in another process and verifies each signature.
 */
export async function run({ short }: { short: boolean }) {
  const rounds = short ? 5 : 21
  const seller = await startSeller()
  const measured: Record<Kind, Measured[]> = { stock: [], guarded: [], native: [] }
  // The first of each reads the files from the disk.
  for (const kind of KINDS) await measure(kind, seller.url)
  for (let round = 0; round < rounds; round++) {
    for (const kind of round % 2 === 0 ? KINDS : KINDS.toReversed())
      measured[kind].push(await measure(kind, seller.url))
  }
  if (seller.payments.length !== KINDS.length * (rounds + 1)) throw new Error('not every call was paid')
  await seller.close()
  const of = (kind: Kind, part: keyof Measured) => measured[kind].map((one) => one[part])
  // Of the two processes of a round: the speed of a shared machine changes from round to round.
  const ratio = (kind: Kind, part: keyof Measured) => {
    const stock = of('stock', part)
    return round(median(of(kind, part).map((ms, index) => ms / (stock[index] ?? Number.NaN))))
  }
  const figures = {
    firstPaidCallVsStock: ratio('guarded', 'paidMs'),
    importVsStock: ratio('guarded', 'importedMs'),
    nativePaidCallVsStock: ratio('native', 'paidMs'),
    stockMs: Math.round(median(of('stock', 'paidMs'))),
    guardedMs: Math.round(median(of('guarded', 'paidMs'))),
    rounds,
  }
  return { ok: figures.firstPaidCallVsStock <= BAR, figures }
}

const round = (value: number) => Math.round(value * 1000) / 1000

/** Runs one process with a new ledger. */
async function measure(kind: Kind, url: string): Promise<Measured> {
  const state = await mkdtemp(join(tmpdir(), 'touchstone-bench-cold-'))
  try {
    const env = { PATH: process.env.PATH, XDG_STATE_HOME: state }
    const { stdout } = await execute(process.execPath, [worker, kind, url], { env })
    return JSON.parse(stdout) as Measured
  } finally {
    await rm(state, { recursive: true })
  }
}
