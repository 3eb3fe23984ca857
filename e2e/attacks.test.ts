import { createGuard, isGuardError } from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { beforeAll, describe, expect, test } from 'vitest'
import { SAFE_FORMS, SIGNED_DEPOSITS, UNKNOWN_FORMS } from './attacks/honestForms.ts'
import {
  ATTACKS,
  ESCAPE,
  FARM_AND_OTHERS,
  FARM_OPENS,
  RIVAL,
  receiverOf,
  SECOND,
  THIEF,
} from './attacks/scripts.ts'
import { type MovedService, useMovedService } from './support/movedService.ts'
import type { Cast } from './support/scriptedHosts.ts'

// Each attack that bent a verdict of score 1.1.0, by real sellers against the real prober, over three days.

/** Sellers that add an offer at {@link SECOND}. */
const ADDERS = ['second', 'adds-network']
const HOUR = 3_600_000

let moved: MovedService
let hosts: Cast

beforeAll(async () => {
  moved = await useMovedService()
  hosts = await moved.open({
    ...ATTACKS,
    ...SAFE_FORMS,
    ...UNKNOWN_FORMS,
    'signed-deposits': SIGNED_DEPOSITS,
    ...FARM_AND_OTHERS,
  })
  await moved.pass(ESCAPE)
})

const verify = (name: string, path?: string) => moved.verify(hosts.url(name, path))
const incidentsOf = (name: string) => moved.incidents(hosts.url(name))

const receivers = (terms: readonly { payTo: string }[]) => new Set(terms.map(({ payTo }) => payTo))

describe('after 20 hours', () => {
  test('default: a receiver that changed without an announcement is avoid, with a critical incident', async () => {
    for (const name of ['thief', 'optout']) {
      expect(await verify(name)).toMatchObject({ verdict: 'avoid', flags: ['payto_changed'] })
      expect(await incidentsOf(name)).toMatchObject([
        { kind: 'receiver_hijack', severity: 'critical', status: 'open' },
      ])
    }
  })

  test('default: $0.001 usually and $0.50 at random is price_varies, and the terms end at three times the median', async () => {
    const verdict = await verify('random')
    expect(verdict).toMatchObject({ verdict: 'caution', riskLevel: 'medium' })
    expect(verdict.flags).toContain('price_varies')
    for (const term of verdict.terms) expect(BigInt(term.amountAtomicMax)).toBeLessThanOrEqual(3000n)
  })
})

describe('after three days', () => {
  // Probes come at drawn times.
  beforeAll(async () => {
    await moved.pass(SECOND - ESCAPE)
    const isMeasured = async (name: string) =>
      Date.parse((await verify(name)).checkedAt ?? '') > hosts.startedAt + SECOND * HOUR
    for (const name of ADDERS) while (!(await isMeasured(name))) await moved.pass(1)
  })

  test('default: a second offer on another network, to another receiver, is terms_unproven and out of the terms', async () => {
    const verdict = await verify('second')
    expect(verdict).toMatchObject({ verdict: 'caution', riskLevel: 'medium' })
    expect(verdict.flags).toContain('terms_unproven')
    expect(receivers(verdict.terms)).toEqual(new Set([receiverOf(1)]))
  })

  test('default: a thief who changed the path starts as Caution, since no purchase of ours paid it; the old path stays Avoid', async () => {
    const verdict = await verify('thief', '/v2/api')
    expect(verdict).toMatchObject({ verdict: 'caution', riskLevel: 'medium' })
    expect(verdict.flags).toContain('host_accused')
    expect(receivers(verdict.terms)).toEqual(new Set([THIEF]))
    expect(await verify('thief')).toMatchObject({ verdict: 'avoid' })
    expect(await incidentsOf('thief')).toContainEqual(
      expect.objectContaining({ kind: 'receiver_hijack', severity: 'critical', status: 'open' }),
    )
  })

  test('default: opting out lifts no hijack, and the guard refuses risk high whatever the verdict says', async () => {
    const verdict = await verify('optout')
    expect(verdict).toMatchObject({ verdict: 'unknown', riskLevel: 'high', flags: ['payto_changed'] })
    expect(await incidentsOf('optout')).toMatchObject([{ kind: 'receiver_hijack', status: 'open' }])
    const { economy, service } = moved
    const guard = createGuard({ service: { url: service.url, issuer: 'https://trust.example' } })
    const [account] = economy.wallets.bots
    if (account === undefined) throw new Error('the economy has no bot')
    const pay = createGuardedFetch({ guard, account, fetch: economy.fetch })
    const error: unknown = await pay(hosts.url('optout')).catch((thrown: unknown) => thrown)
    expect(isGuardError(error) && error.code).toBe('RISK_TOO_HIGH')
    expect(hosts.payments.filter(({ host, hours }) => host === 'optout' && hours >= ESCAPE)).toEqual([])
  })

  test("default: a rival's listing changes nothing about an honest seller", async () => {
    for (const name of ['victim', 'victim-of-input']) {
      const verdict = await verify(name)
      expect(verdict).toMatchObject({ verdict: 'safe', status: 'live' })
      expect(verdict.flags.filter((flag) => flag !== 'price_drift')).toEqual([])
      expect(receivers(verdict.terms)).not.toContain(RIVAL)
      expect(await incidentsOf(name)).toEqual([])
    }
    expect([...(hosts.methods.get('victim-of-input') ?? [])]).not.toContain('DELETE')
  })

  test.each(Object.keys(SAFE_FORMS))('default: an honest seller of the form %s is safe', async (name) => {
    expect(await verify(name)).toMatchObject({ verdict: 'safe' })
    expect(await incidentsOf(name)).toEqual([])
  })

  test.each(Object.keys(UNKNOWN_FORMS))(
    'default: an honest seller of the form %s is unknown',
    async (name) => {
      expect(await verify(name)).toMatchObject({ verdict: 'unknown' })
    },
  )

  test('default: a new receiver for each payment, signed by one key, is safe', async () => {
    const verdict = await verify('signed-deposits')
    expect(verdict).toMatchObject({ verdict: 'safe' })
    expect(verdict.flags).not.toContain('payto_rotates')
  })
})

describe('test purchases', () => {
  // Own documents are read every six hours.
  beforeAll(() => moved.pass(FARM_OPENS + 14 - SECOND, 2))

  test("default: the shopper buys what a host declares, and never a stranger's listing", () => {
    const bought = hosts.payments.filter(({ host }) => host === 'lure')
    expect(bought.map(({ method, path, query, body }) => `${method} ${path}${query} ${body}`.trim())).toEqual(
      ['GET /api?q=today'],
    )
  })

  test('default: 145 subdomains of one domain do not take the purchases', () => {
    const opened = hosts.payments.filter(({ hours }) => hours >= FARM_OPENS)
    const atFarm = opened.filter(({ host }) => host.endsWith('.farm'))
    const others = new Set(opened.map(({ host }) => host).filter((host) => host.startsWith('late-')))
    // The order is drawn by lot, and the budget of a day may end before the last one.
    expect(others.size).toBeGreaterThanOrEqual(2)
    expect(atFarm.length).toBeLessThanOrEqual(others.size)
  })
})
