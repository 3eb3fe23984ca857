import { UNPAYABLE } from '@touchstone402/shared'
import { describe, expect, test } from 'vitest'
import { OFFICIAL_FORMS, type OfficialForm } from '../../../../e2e/campaigns/field/officialForms.ts'
import { HOUR } from '../facts/times.ts'
import { judge, series, T0, up } from '../judge/testing/facts.ts'
import { classifyAnswer } from './classifyAnswer.ts'
import { observeChallenge } from './describeProbe.ts'

/** Judges a seller who has answered with one challenge for two days. */
function judgeForm({ challenge: { headers, body } }: Pick<OfficialForm, 'challenge'>) {
  const found = classifyAnswer({
    status: 402,
    header: headers['PAYMENT-REQUIRED'] ?? null,
    body: JSON.stringify(body),
    isTooLarge: false,
    isBotFilter: false,
    declaresInput: false,
  })
  const probe = {
    outcome: found.outcome,
    cause: found.cause,
    ...observeChallenge(found.challenge, found.signable),
  }
  const { state } = judge(series(T0, 8, 6 * HOUR, (at, client) => up(at, { client, ...probe })))
  return { found, state }
}

const byName = (name: string) => {
  const form = OFFICIAL_FORMS.find((one) => one.name === name)
  if (form === undefined) throw new Error(name)
  return form
}

describe('official forms', () => {
  test('default: there are at least 130, each with its own name', () => {
    expect(new Set(OFFICIAL_FORMS.map(({ name }) => name)).size).toBe(OFFICIAL_FORMS.length)
    expect(OFFICIAL_FORMS.length).toBeGreaterThanOrEqual(130)
  })

  test.each(OFFICIAL_FORMS)('behavior: $name is $right', (form) => {
    const { found, state } = judgeForm(form)
    expect(found.outcome).not.toBe('down')
    expect(form.right).toContain(state.verdict)
    // Only what can be read is more than unknown.
    if (state.verdict !== 'unknown') expect(found.cause).toBe('challenge')
  })

  test('behavior: a verdict that is unknown for its networks says so', () => {
    const unknown = OFFICIAL_FORMS.map((form) => judgeForm(form).state).filter(
      ({ verdict }) => verdict === 'unknown',
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
  ])('behavior: payment_unsupported of %s gives the reason', (name, sentence) => {
    const reason = judgeForm(byName(name)).state.reasons.find(({ code }) => code === 'payment_unsupported')
    expect(reason?.message).toContain(sentence)
  })

  test('behavior: an offer that the guard can pay raises no payment_unsupported', () => {
    for (const name of ['exact, no extra', 'exact, Permit2 beside EIP-3009', 'exact on Solana beside Base']) {
      expect(judgeForm(byName(name)).state.flags).not.toContain('payment_unsupported')
    }
  })
})
