import { encodeBase64Json } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { type AnswerFacts, classifyAnswer } from './classifyAnswer.ts'
import { challengeV1, challengeV2 } from './testing/harness.ts'

const header = encodeBase64Json(challengeV2())
const json = JSON.stringify

function classify(status: number, facts: Partial<AnswerFacts> = {}): string {
  const { outcome, cause } = classifyAnswer({
    status,
    header: null,
    body: '',
    isTooLarge: false,
    isBotFilter: false,
    declaresInput: false,
    ...facts,
  })
  return `${outcome}/${cause}`
}

test('default', () => {
  expect(classify(402, { header })).toBe('up/challenge')
  expect(classify(402, { body: json(challengeV1()) })).toBe('up/challenge')
})

test('behavior: a valid v1 body is enough beside a malformed v2 header', () => {
  expect(classify(402, { header: 'not base64!', body: json(challengeV1()) })).toBe('up/challenge')
})

test('behavior: a 402 without an offer is down', () => {
  expect(classify(402, { header: 'not base64!' })).toBe('down/challenge_malformed')
  expect(classify(402, { body: json({ ...challengeV1(), x402Version: 9 }) })).toBe('down/challenge_malformed')
  expect(classify(402, { body: json({ x402Version: 1, accepts: [{}] }) })).toBe('down/challenge_malformed')
  expect(classify(402, { body: json({ x402Version: 1, accepts: [] }) })).toBe('down/no_terms')
  expect(classify(402, { body: 'Payment required\n\nDEPLOYMENT_DISABLED' })).toBe('down/no_terms')
  expect(classify(402, { body: null })).toBe('down/no_terms')
  expect(classify(402, { body: null, isTooLarge: true })).toBe('down/too_large')
})

test('behavior: a challenge is up on a network that no table names', () => {
  expect(classify(402, { body: json(challengeV1('xlayer')) })).toBe('up/challenge')
})

test('behavior: entries that are valid, but cannot be judged, are not measured', () => {
  expect(classify(402, { body: json(challengeV1('eip155:8453')) })).toBe('not_measured/unsupported')
  const { accepts, ...rest } = challengeV2()
  const issued = accepts.map((entry) => ({ ...entry, network: 'xrpl:0', asset: 'USD', amount: '0.01' }))
  expect(classify(402, { header: encodeBase64Json({ ...rest, accepts: issued }) })).toBe(
    'not_measured/unsupported',
  )
})

test('behavior: an entry that only lenient clients read is up, since they sign it', () => {
  const { accepts, ...rest } = challengeV2()
  const lenient = accepts.map((entry) => ({ ...entry, amount: 10_000 }))
  expect(classify(402, { header: encodeBase64Json({ ...rest, accepts: lenient }) })).toBe('up/challenge')
})

test('behavior: rule 14: foreign networks, forms and schemes are unknown, never malformed', () => {
  const { accepts, ...rest } = challengeV2()
  const withEntry = (change: object) =>
    classify(402, {
      header: encodeBase64Json({ ...rest, accepts: accepts.map((entry) => ({ ...entry, ...change })) }),
    })
  for (const change of [
    { network: 'base' },
    { network: 'cloudflare-402:main' },
    { network: 'Base Mainnet' },
    { scheme: 'deferred', network: 'cloudflare', asset: undefined },
    { asset: 'native' },
  ])
    expect([change, withEntry(change)]).toEqual([change, 'not_measured/unsupported'])
  expect(withEntry({ network: 'cosmos:cosmoshub-4', asset: 'uatom', payTo: 'cosmos1abc' })).toBe(
    'up/challenge',
  )
  // The abuse: one foreign entry hides no malformed one, and a word is no receiver.
  expect(withEntry({ amount: '0.01' })).toBe('down/challenge_malformed')
  expect(withEntry({ network: 7 })).toBe('down/challenge_malformed')
  expect(withEntry({ asset: 'USDC' })).toBe('down/challenge_malformed')
})

test('behavior: a 402 of another payment protocol alone is not measured', () => {
  for (const authenticate of [
    'Payment id="x7Tg2pLq", realm="api.example", method="tempo", intent="charge", request="eyJ9"',
    'Basic realm="x", L402 macaroon="AGIAJEem", invoice="lnbc20m1"',
    'LSAT macaroon="AGIAJEem", invoice="lnbc20m1"',
  ]) {
    expect(classify(402, { authenticate })).toBe('not_measured/unsupported')
    expect(classify(402, { authenticate, body: '{"title":"Payment Required"}' })).toBe(
      'not_measured/unsupported',
    )
    // An x402 part is judged, whatever stands beside it.
    expect(classify(402, { authenticate, header })).toBe('up/challenge')
    expect(classify(402, { authenticate, header: 'not base64!' })).toBe('down/challenge_malformed')
    expect(classify(402, { authenticate, body: json({ x402Version: 1, accepts: [] }) })).toBe('down/no_terms')
  }
  for (const authenticate of ['Basic realm="payment page"', 'Bearer', 'X-Payment id="1"'])
    expect(classify(402, { authenticate })).toBe('down/no_terms')
})

test('behavior: another receiver or amount by another protocol is a problem of the challenge, equal terms are none', () => {
  const [offer] = challengeV2().accepts
  const problemsOf = (change: object) => {
    const { amount, asset: currency, payTo: recipient } = { ...offer, ...change }
    const chainId = Number(String(offer?.network).slice('eip155:'.length))
    const request = encodeBase64Json({ amount, currency, recipient, methodDetails: { chainId } })
    const authenticate = `Payment id="a", realm="b", method="evm", intent="charge", request="${request}"`
    const facts = { isTooLarge: false, isBotFilter: false, declaresInput: false }
    const { outcome, challenge } = classifyAnswer({ ...facts, status: 402, header, body: '', authenticate })
    expect(outcome).toBe('up')
    return challenge?.problems
  }
  expect(problemsOf({})).toEqual([])
  for (const change of [{ amount: '900000' }, { payTo: `0x${'66'.repeat(20)}` }])
    expect(problemsOf(change)).toEqual([{ code: 'protocols_disagree', source: 'header' }])
})

test('behavior: a 2xx answer is down even with a challenge header', () => {
  expect([200, 201, 204].map((status) => classify(status, { header }))).toEqual(
    Array(3).fill('down/not_paid'),
  )
})

test('behavior: a refused input is not measured, and a 404 neither unless the listing declares the input', () => {
  const statuses = [400, 404, 405, 415, 422]
  expect(statuses.map((status) => classify(status))).toEqual(Array(5).fill('not_measured/input_needed'))
  const declared = statuses.map((status) => classify(status, { declaresInput: true }))
  expect(declared.toSpliced(1, 1)).toEqual(Array(4).fill('not_measured/input_needed'))
  expect(declared[1]).toBe('down/not_found')
  expect(classify(410)).toBe('down/not_found')
})

test('behavior: 401, 403, 429, 451 and bot filters are not measured', () => {
  const blocked = [401, 403, 429, 451].map((status) => classify(status, { declaresInput: true }))
  expect(blocked).toEqual(Array(4).fill('not_measured/blocked'))
  expect(classify(503, { isBotFilter: true })).toBe('not_measured/blocked')
})

test('behavior: a 5xx answer is down', () => {
  expect([500, 502, 503].map((status) => classify(status))).toEqual(Array(3).fill('down/server_error'))
})
