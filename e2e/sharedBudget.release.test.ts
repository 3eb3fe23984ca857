import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Economy, keyAt, WALLET_INDEX, walletAt } from '@touchstone402/economy'
import { verifyLedger } from '@touchstone402/guard/ledger'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { bundlePayer } from './support/bundleVictim.ts'
import { startChild } from './support/child.ts'
import { startEconomy } from './support/economy.ts'
import type { Paid, PayerSettings } from './support/payer.ts'
import { type SigningService, startSigningService, termOf } from './support/signingService.ts'

const PRICE = 10_000n

checksNoAnswers('its verdicts are signed by a service of the test')

let economy: Economy
let service: SigningService
let directory: string
let payer: string

beforeAll(async () => {
  economy = await startEconomy({ clock: 'real' })
  service = await startSigningService()
  payer = await bundlePayer()
  directory = await mkdtemp(join(tmpdir(), 'touchstone-shared-budget-'))
})
afterAll(async () => {
  await service?.stop()
  await economy?.stop()
  await rm(directory, { recursive: true, force: true })
})

/** Pays from several processes, which start at the same time. */
async function payFrom(processes: number, settings: PayerSettings, calls: number): Promise<Paid[]> {
  const children = Array.from({ length: processes }, (_, index) => {
    const queries = Array.from({ length: calls }, (_, call) => `call=${index}-${call}`)
    return startChild(payer, { settings: { ...settings, queries } })
  })
  try {
    await Promise.all(children.map((child) => child.hear()))
    return await Promise.all(children.map((child) => child.ask<Paid>('go')))
  } finally {
    for (const child of children) await child.kill()
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
    service.vouch(endpoint, termOf(seller.receiver, String(PRICE)))
    const ledger = isFile ? join(directory, `${processes}.jsonl`) : null
    const { address } = walletAt(index)
    const before = await economy.chain.usdcBalanceOf(address)
    // All calls ask for their verdict at once, and a busy machine answers late.
    const settings: PayerSettings = {
      key: keyAt(index),
      service: { url: service.url, timeoutMs: 60_000 },
      endpoint,
      integration: 'fetch',
      policy: { maxPerDayUsd: '0.10', maxPerHostPerDayUsd: '0.10' },
      ...(ledger !== null && { ledger: { file: ledger } }),
    }
    const reports = await payFrom(processes, settings, 200 / processes)
    const sum = (key: 'signatures' | 'paid') => reports.reduce((total, report) => total + report[key], 0)
    expect([sum('signatures'), sum('paid')]).toEqual([10, 10])
    expect(before - (await economy.chain.usdcBalanceOf(address))).toBe(10n * PRICE)
    const codes = reports.flatMap(({ others }) => Object.entries(others))
    expect(new Set(codes.map(([code]) => code))).toEqual(new Set(['OVER_HOST_DAY_LIMIT']))
    expect(codes.reduce((total, [, count]) => total + count, 0)).toBe(190)
    if (ledger !== null) expect(await verifyLedger(ledger)).toMatchObject({ ok: true, writers: processes })
  })
})
