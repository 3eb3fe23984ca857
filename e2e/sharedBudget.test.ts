import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Economy, keyAt, WALLET_INDEX, walletAt } from '@touchstone402/economy'
import { verifyLedger } from '@touchstone402/guard/ledger'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEconomy } from './support/economy.ts'
import type { PaidManyTimes, PayManyTimes } from './support/payManyTimes.ts'
import { type SigningService, startSigningService, termOf } from './support/signingService.ts'

const PRICE = 10_000n
const PAYER = fileURLToPath(new URL('./support/payManyTimes.ts', import.meta.url))

let economy: Economy
let service: SigningService
let directory: string

beforeAll(async () => {
  economy = await startEconomy({ clock: 'real' })
  service = await startSigningService()
  directory = await mkdtemp(join(tmpdir(), 'touchstone-shared-budget-'))
})
afterAll(async () => {
  await service?.stop()
  await economy?.stop()
  await rm(directory, { recursive: true, force: true })
})

/** Pays from several processes, which start at the same time. */
async function payFrom(processes: number, settings: PayManyTimes): Promise<PaidManyTimes[]> {
  const args = ['--conditions=source', '--import', 'tsx', PAYER, JSON.stringify(settings)]
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  )
  try {
    await Promise.all(children.map((child) => once(child, 'message')))
    const reports = children.map((child) => once(child, 'message'))
    for (const child of children) child.send('go')
    return (await Promise.all(reports)).map(([report]) => report as PaidManyTimes)
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
}

describe('200 concurrent calls with a budget for ten', () => {
  test.each<[string, number, boolean, number]>([
    ['one process with a ledger in memory', 1, false, WALLET_INDEX.bots[0]],
    ['one process with a ledger in a file', 1, true, WALLET_INDEX.bots[1]],
    ['two processes that share a file', 2, true, WALLET_INDEX.bots[2]],
  ])('default: %s: signs and settles exactly ten payments', async (_, processes, isFile, index) => {
    const seller = economy.sellers['honest-v2']
    if (seller === undefined) throw new Error('the economy has no honest seller')
    const endpoint = seller.url
    const terms = [termOf(seller.receiver, String(PRICE))]
    service.decisions.set(endpoint, { verdict: 'safe', receiverStability: 'stable', probes: 9, terms })
    const ledger = isFile ? join(directory, `${processes}.jsonl`) : null
    const { address } = walletAt(index)
    const before = await economy.chain.usdcBalanceOf(address)
    const reports = await payFrom(processes, {
      key: keyAt(index),
      service: service.url,
      endpoint,
      budgetUsd: '0.10',
      calls: 200 / processes,
      ledger,
    })
    const sum = (key: 'signatures' | 'paid') => reports.reduce((total, report) => total + report[key], 0)
    expect([sum('signatures'), sum('paid')]).toEqual([10, 10])
    expect(before - (await economy.chain.usdcBalanceOf(address))).toBe(10n * PRICE)
    const codes = reports.flatMap(({ refused }) => Object.entries(refused))
    expect(new Set(codes.map(([code]) => code))).toEqual(new Set(['OVER_HOST_DAY_LIMIT']))
    expect(codes.reduce((total, [, count]) => total + count, 0)).toBe(190)
    if (ledger !== null) expect(await verifyLedger(ledger)).toMatchObject({ ok: true, writers: processes })
  })
})
