import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ledger } from '@touchstone402/guard'
import { createFileLedger, type FileLedger } from '@touchstone402/guard/ledger'

const DAY_MS = 86_400_000
const BATCH = 5000
const BOUNDLESS = 10n ** 18n
const limits: Parameters<Ledger['reserve']>[1] = {
  perCall: null,
  newSeller: null,
  perPayment: BOUNDLESS,
  perTask: null,
  perHostDay: BOUNDLESS,
  perReceiverDay: null,
  perDay: BOUNDLESS,
  total: null,
  unknownPerDomainDay: BOUNDLESS,
  unknownPerDay: BOUNDLESS,
  perHostPerMinute: 1e9,
  identicalPerMinute: 1e9,
  maxStrikes: 0,
  strikeMs: DAY_MS,
}

/** Measures how long a file ledger with many settled payments of the last hundred days takes to open, in ms. */
export async function measureOpening(short: boolean): Promise<{ payments: number; openMs: number }> {
  const payments = short ? 20_000 : 1_000_000
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-bench-ledger-'))
  const path = join(folder, 'ledger.jsonl')
  try {
    const ledger = await createFileLedger(path)
    const from = Date.now() - 101 * DAY_MS
    for (let done = 0; done < payments; done += BATCH) {
      const at = (index: number) => from + Math.floor(((done + index) / payments) * 100 * DAY_MS)
      await Promise.all(Array.from({ length: BATCH }, (_, index) => settle(ledger, at(index))))
    }
    await ledger.close()
    const start = performance.now()
    const opened = await createFileLedger(path)
    const openMs = performance.now() - start
    const { usdMicros } = opened.totals()
    await opened.close()
    if (usdMicros !== BigInt(payments) * 1000n) throw new Error(`the ledger knows ${usdMicros} only`)
    return { payments, openMs }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function settle(ledger: FileLedger, at: number): Promise<void> {
  const host = `h${at % 1000}.example`
  const endpoint = `https://${host}/x`
  const place = {
    host,
    domain: host,
    endpoint,
    call: `GET ${endpoint}`,
    network: 'eip155:8453',
    asset: '0xaa',
  }
  const money = {
    payTo: '0x01',
    amountAtomic: '1000',
    usdMicros: 1000n,
    task: null,
    agent: null,
    isVouched: true,
  }
  const reserved = await ledger.reserve({ at, ...place, ...money }, limits)
  if (!reserved.ok) throw new Error(reserved.code)
  await ledger.update(reserved.id, { state: 'settled', by: 'seller', transaction: null })
}
