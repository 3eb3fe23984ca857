import { UNPAYABLE } from '@touchstone402/shared'
import { describe, expect, test } from 'vitest'
import { OFFICIAL_FORMS, type OfficialForm } from '../../../../e2e/campaigns/field/officialForms.ts'
import type { ClientIdentity } from '../facts/clientIdentities.ts'
import { HOUR } from '../facts/times.ts'
import { ENDPOINT, judge, series, T0, up } from '../judge/testing/facts.ts'
import { describeAnswer } from './describeProbe.ts'

const CLIENT = { id: 'agent' } as ClientIdentity

/** Forms that one answer makes up; those with documents or names of their own are judged by the campaign. */
const ANSWERS = OFFICIAL_FORMS.filter(({ wellKnown, host }) => wellKnown === undefined && host === undefined)

/** Judges a seller who has answered with one challenge for two days. */
async function judgeForm({ challenge: { status, headers, body } }: Pick<OfficialForm, 'challenge'>) {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const answer = {
    status,
    headers: Object.fromEntries(lower),
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    isTooLarge: false,
    latencyMs: 40,
  }
  const target = { url: ENDPOINT, method: 'GET', body: null, declaresInput: false, client: 0 }
  const options = { maxBytes: 1024 * 1024, readDocument: async () => null }
  const found = await describeAnswer(target, CLIENT, answer, options)
  const { state } = judge(series(T0, 8, 6 * HOUR, (at, client) => up(at, { ...found, client })))
  return { found, state }
}

const byName = (name: string) => {
  const form = OFFICIAL_FORMS.find((one) => one.name === name)
  if (form === undefined) throw new Error(name)
  return form
}

describe('official forms', () => {
  test('default: there are at least 200, each with its own name', () => {
    expect(new Set(OFFICIAL_FORMS.map(({ name }) => name)).size).toBe(OFFICIAL_FORMS.length)
    expect(OFFICIAL_FORMS.length).toBeGreaterThanOrEqual(200)
  })

  test.each(ANSWERS)('behavior: $name is $right', async (form) => {
    const { found, state } = await judgeForm(form)
    expect(found.outcome).not.toBe('down')
    expect(form.right).toContain(state.verdict)
    // Only what can be read is more than unknown.
    if (state.verdict !== 'unknown') expect(found.cause).toBe('challenge')
  })

  test('behavior: a verdict that is unknown for its networks says so', async () => {
    const judged = await Promise.all(ANSWERS.map(judgeForm))
    const unknown = judged.flatMap(({ found, state }) =>
      found.outcome === 'up' && state.verdict === 'unknown' ? [state] : [],
    )
    expect(unknown.length).toBeGreaterThan(3)
    for (const { reasons } of unknown) expect(reasons.map(({ code }) => code)).toContain('network_unknown')
  })

  test.each([
    ['exact, Permit2', UNPAYABLE.method],
    ['exact, upfront', UNPAYABLE.flow],
    ['upto', UNPAYABLE.scheme],
    ['Circle Gateway alone', UNPAYABLE.gateway],
    ['exact on Solana', UNPAYABLE.network],
    ['exact EURC', UNPAYABLE.asset],
    ['exact USDT0 of its issuer on eip155:42161', UNPAYABLE.asset],
    ['exact USD1 of its issuer on eip155:56', UNPAYABLE.asset],
    ['exact BNB of its issuer on eip155:56', UNPAYABLE.asset],
    ['exact USDT by Permit2 on eip155:56', UNPAYABLE.method],
  ])('behavior: payment_unsupported of %s gives the reason', async (name, sentence) => {
    const { state } = await judgeForm(byName(name))
    const reason = state.reasons.find(({ code }) => code === 'payment_unsupported')
    expect(reason?.message).toContain(sentence)
  })

  test('behavior: an offer that the guard can pay raises no payment_unsupported', async () => {
    for (const name of ['exact, no extra', 'exact, Permit2 beside EIP-3009', 'exact on Solana beside Base']) {
      const { state } = await judgeForm(byName(name))
      expect(state.flags).not.toContain('payment_unsupported')
    }
  })
})
