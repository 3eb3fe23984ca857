import {
  BASE,
  decodeBase64Json,
  encodeBase64Json,
  PAID_OPERATIONS,
  TRANSFER_WITH_AUTHORIZATION,
} from '@touchstone402/shared'
import { toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { CONTRACT_PRICES } from '../config/priceSettings.ts'
import type { WantedClaim } from '../store/claims.ts'
import { readClaim, readUndelivered, readUnsettled } from '../store/claims.ts'
import type { Store } from '../store/store.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { withUnits } from '../store/testing/withFaults.ts'
import { UNCHARGED_CALLS } from './attempts.ts'
import type { Confirmation } from './createConfirmation.ts'
import { createPaywall, type PaywallParts } from './createPaywall.ts'
import { createFacilitator, FACILITATOR_LIMITS } from './facilitator.ts'
import type { Production, SaleOutcome, SaleRequest } from './paywall.ts'
import { createSignatureCheck } from './signature.ts'
import { createTerms } from './terms.ts'
import { BLIND_CONFIRMATION, createPaymentContext, owedNonces } from './testing/createPaymentContext.ts'
import { json, serve } from './testing/serveFacilitator.ts'

const NOW = 1_780_000_000_000
const TX = `0x${'a1'.repeat(32)}`
const ACCOUNT = privateKeyToAccount(toHex(1, { size: 32 }))
const SELLER = {
  network: BASE,
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  publicUrl: 'https://trust.example',
}
const TERMS = createTerms('trust', { ...SELLER, priceUsd: '0.005' })
const ANSWER: Production = { ok: true, answer: { status: 200, headers: {}, body: '{"ok":true}' } }

/** Signs a payment for the terms and encodes it as a v2 header. */
async function pay({ nonce = 1, seconds = 120 } = {}): Promise<string> {
  const message = {
    from: ACCOUNT.address,
    to: SELLER.payTo as `0x${string}`,
    value: 5000n,
    validAfter: 0n,
    validBefore: BigInt(NOW / 1000 + seconds),
    nonce: toHex(nonce, { size: 32 }),
  }
  const types = TRANSFER_WITH_AUTHORIZATION
  const primaryType = 'TransferWithAuthorization'
  const signature = await ACCOUNT.signTypedData({ domain: TERMS.domain, types, primaryType, message })
  const { value, validAfter, validBefore } = message
  const authorization = {
    ...message,
    value: `${value}`,
    validAfter: `${validAfter}`,
    validBefore: `${validBefore}`,
  }
  return encodeBase64Json({ x402Version: 2, accepted: TERMS.v2, payload: { signature, authorization } })
}

const DENIED = { settle: { success: false, errorReason: 'insufficient_funds' } }
const BINDING = 'GET https://trust.example/trust'
const KEY = { network: BASE, asset: TERMS.asset.toLowerCase(), from: ACCOUNT.address.toLowerCase() }

/** Returns a confirmation for which the chain shows the same of every payment. */
const confirming = (found: string): Confirmation => ({
  ...BLIND_CONFIRMATION,
  search: async () => found as `0x${string}`,
})

type Replies = { verify?: unknown; settle?: unknown; status?: number }

async function open(replies: Replies = {}, parts: Partial<PaywallParts> = {}, store = createMemoryStore()) {
  const asked: string[] = []
  const url = await serve((request, response) => {
    request.resume()
    asked.push(request.url ?? '')
    const { verify = { isValid: true }, settle = { success: true, transaction: TX }, status = 200 } = replies
    json(status, request.url === '/verify' ? verify : settle)(request, response)
  })
  const prices = Object.fromEntries(PAID_OPERATIONS.map((id) => [id, '0.005'])) as typeof CONTRACT_PRICES
  const { ctx, events, sales, faults } = createPaymentContext(store, { ...SELLER, prices }, () => NOW)
  const paywall = createPaywall(ctx, {
    facilitator: createFacilitator({ url, headers: {}, ...FACILITATOR_LIMITS }),
    confirmation: BLIND_CONFIRMATION,
    speaksV1: true,
    uncharged: UNCHARGED_CALLS,
    isSignedByPayer: createSignatureCheck(),
    ...parts,
  })
  const sell = (request: Partial<SaleRequest>, produce = async (): Promise<Production> => ANSWER) =>
    paywall.sell(
      {
        requestId: 'r1',
        operation: 'trust',
        binding: BINDING,
        paymentSignature: undefined,
        xPayment: undefined,
        refusal: null,
        client: '192.0.2.1',
        signal: new AbortController().signal,
        ...request,
      },
      produce,
    )
  return { sell, claims: store, asked, sales, faults, events }
}

const statesOf = async (claims: Store) => (await readUnsettled(claims)).map(({ state }) => state)

const codeOf = (outcome: SaleOutcome) => (outcome.kind === 'refused' ? outcome.refusal.code : outcome.kind)

test('default: sells once, then replays the answer to the same call', async () => {
  const { sell, sales, asked } = await open()
  const paymentSignature = await pay()
  expect(await sell({})).toMatchObject({ kind: 'challenge' })
  const sold = await sell({ paymentSignature })
  expect(sold).toMatchObject({ kind: 'delivered', replayed: false, answer: { body: '{"ok":true}' } })
  expect(await sell({ paymentSignature })).toEqual({ ...sold, replayed: true })
  expect(await sell({ paymentSignature, binding: 'GET /other' })).toMatchObject({ kind: 'challenge' })
  expect(sales).toEqual(['asked', 'sold', 'replayed', 'declined'])
  expect(asked).toEqual(['/verify', '/settle'])
})

test('behavior: of concurrent copies one is sold and the others get 409', async () => {
  const { sell, asked } = await open()
  const paymentSignature = await pay()
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => sell({ paymentSignature })))
  expect(outcomes.map(codeOf).sort()).toEqual(['delivered', ...Array(4).fill('payment_in_progress')])
  expect(asked).toEqual(['/verify', '/settle'])
})

test('behavior: a failure before the settlement releases the claim', async () => {
  const { sell, claims, faults } = await open()
  const paymentSignature = await pay()
  const refusal = { status: 404, code: 'not_found', detail: 'No such endpoint.' }
  const fails = async (): Promise<Production> => Promise.reject(new Error('broken'))
  expect(codeOf(await sell({ paymentSignature }, async () => ({ ok: false, refusal })))).toBe('not_found')
  expect(codeOf(await sell({ paymentSignature }, fails))).toBe('internal')
  expect(codeOf(await sell({ paymentSignature, signal: AbortSignal.abort() }))).toBe('abandoned')
  expect([faults, await statesOf(claims)]).toEqual([['handler'], []])
  expect(codeOf(await sell({ paymentSignature }))).toBe('delivered')
})

test('behavior: an unknown settlement keeps the claim and asks not to pay again', async () => {
  const { sell, claims, faults } = await open({ settle: { success: true, transaction: '' } })
  const paymentSignature = await pay()
  expect(codeOf(await sell({ paymentSignature }))).toBe('settlement_unknown')
  expect(codeOf(await sell({ paymentSignature }))).toBe('settlement_unknown')
  expect([faults, await statesOf(claims)]).toEqual([['settle'], ['unknown']])
})

test('behavior: a settlement that the facilitator denies and the chain does not show is declined, and watched on', async () => {
  const { sell, claims, faults } = await open(DENIED, { confirmation: confirming('unused') })
  const outcome = await sell({ paymentSignature: await pay() })
  if (outcome.kind !== 'challenge') throw new Error(outcome.kind)
  expect(JSON.parse(outcome.body).error).toBe('insufficient_funds')
  expect(Object.keys(outcome.headers)).toEqual(['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'])
  expect(decodeBase64Json(outcome.headers['PAYMENT-RESPONSE'] ?? '')).toEqual({
    success: false,
    errorReason: 'insufficient_funds',
    transaction: '',
    network: 'eip155:8453',
    payer: ACCOUNT.address,
  })
  expect([faults, await statesOf(claims)]).toEqual([['denied'], ['refused']])
})

test('behavior: a settlement that the facilitator denies and the chain shows is delivered', async () => {
  const { sell, claims, faults } = await open(DENIED, { confirmation: confirming(TX) })
  const paymentSignature = await pay()
  const sold = await sell({ paymentSignature })
  expect(sold).toMatchObject({ kind: 'delivered', replayed: false })
  if (sold.kind !== 'delivered') throw new Error(sold.kind)
  expect(decodeBase64Json(sold.answer.headers['PAYMENT-RESPONSE'] ?? '')).toMatchObject({
    success: true,
    transaction: TX,
  })
  expect([faults, await statesOf(claims)]).toEqual([['contradicted'], []])
  expect(await sell({ paymentSignature })).toEqual({ ...sold, replayed: true })
})

test('error: a denial is not believed while the chain cannot be read', async () => {
  const { sell, claims } = await open(DENIED, { confirmation: confirming('unread') })
  expect(codeOf(await sell({ paymentSignature: await pay() }))).toBe('settlement_unknown')
  expect(await statesOf(claims)).toEqual(['unknown'])
})

test('behavior: a call whose earlier payment settled late is answered without another', async () => {
  let isOnChain = false
  const confirmation = {
    ...confirming('unused'),
    peek: async () => (isOnChain ? (TX as `0x${string}`) : undefined),
  }
  const { sell, claims, asked, sales, events } = await open(DENIED, { confirmation })
  const binding = 'GET https://trust.example/trust?endpoint=other'
  for (const nonce of [1, 2])
    expect(codeOf(await sell({ paymentSignature: await pay({ nonce }), binding }))).toBe('challenge')
  isOnChain = true
  asked.length = 0
  // Another call is another purchase.
  expect(codeOf(await sell({ paymentSignature: await pay({ nonce: 3 }) }))).toBe('challenge')
  expect(asked).toEqual(['/verify', '/settle'])
  const served = await sell({ paymentSignature: await pay({ nonce: 4 }), binding })
  expect(served).toMatchObject({ kind: 'delivered', replayed: false })
  expect([asked.length, sales.at(-1)]).toEqual([2, 'sold'])
  expect(await readClaim(claims, { ...KEY, nonce: toHex(4, { size: 32 }) }, NOW)).toBeUndefined()
  // Each payment pays for one answer, and a presented one for its own.
  for (const nonce of [1, 2])
    expect(codeOf(await sell({ paymentSignature: await pay({ nonce }), binding }))).toBe('delivered')
  expect(asked).toHaveLength(2)
  expect(owedNonces(events).sort()).toEqual([1, 2].map((nonce) => toHex(nonce, { size: 32 })))
  expect(await readUndelivered(claims, KEY)).toMatchObject([{ nonce: toHex(3, { size: 32 }) }])
})

test('behavior: a payment that was once sent is watched on, whatever refuses it later', async () => {
  const replies: Replies = { ...DENIED }
  const { sell, claims } = await open(replies, { confirmation: confirming('unused') })
  const paymentSignature = await pay()
  expect(codeOf(await sell({ paymentSignature }))).toBe('challenge')
  const refusal = { status: 404, code: 'not_found', detail: 'No such endpoint.' }
  expect(codeOf(await sell({ paymentSignature }, async () => ({ ok: false, refusal })))).toBe('not_found')
  expect(await statesOf(claims)).toEqual(['refused'])
  replies.verify = { isValid: false, invalidReason: 'insufficient_funds' }
  expect(codeOf(await sell({ paymentSignature }))).toBe('challenge')
  expect(await statesOf(claims)).toEqual(['refused'])
})

/** Adds a payment that settled without an answer. */
async function addOwed(claims: Store, nonce: number, change: Partial<WantedClaim> = {}) {
  const key = { ...KEY, nonce: toHex(nonce, { size: 32 }) }
  const wanted = { binding: BINDING, payTo: SELLER.payTo, amountAtomic: '5000', validBefore: 0, claimedAt: 0 }
  await claims.write('claimPayment', { ...key, ...wanted, ...change })
  for (const state of ['settling', 'unknown', 'owed'] as const)
    await claims.write('advancePayment', key, state, { at: NOW, txHash: TX })
  return key
}

test('behavior: what is owed stays so while its answer cannot be made or its client has left, within the limit', async () => {
  const { sell, claims, sales } = await open(
    {},
    { uncharged: { ...UNCHARGED_CALLS, payer: { points: 3, windowSeconds: 60 } } },
  )
  const key = await addOwed(claims, 9)
  const refusal = { status: 404, code: 'not_found', detail: 'No such endpoint.' }
  const paymentSignature = await pay()
  expect(codeOf(await sell({ paymentSignature, signal: AbortSignal.abort() }))).toBe('abandoned')
  for (let call = 0; call < 4; call++) await sell({ paymentSignature }, async () => ({ ok: false, refusal }))
  expect(sales).toEqual(['abandoned', 'not_found', 'not_found', 'too_many_requests', 'too_many_requests'])
  expect(await readClaim(claims, key, NOW)).toMatchObject({ state: 'owed' })
})

test('behavior: what was paid at a lower price buys nothing at a higher one', async () => {
  const { sell, claims, asked } = await open()
  await addOwed(claims, 9, { amountAtomic: '4999' })
  expect(codeOf(await sell({ paymentSignature: await pay() }))).toBe('delivered')
  expect(asked).toEqual(['/verify', '/settle'])
})

test('behavior: of two calls at once that one earlier payment pays for, one is charged', async () => {
  const { sell, claims, asked } = await open()
  await addOwed(claims, 9)
  const calls = [1, 2].map(async (nonce) => sell({ paymentSignature: await pay({ nonce }) }))
  expect((await Promise.all(calls)).map(codeOf)).toEqual(['delivered', 'delivered'])
  expect(asked).toEqual(['/verify', '/settle'])
})

test('behavior: a payment in progress says how long it can stay so', async () => {
  const { sell, claims } = await open()
  const retryAfter = async () => {
    const outcome = await sell({ paymentSignature: await pay() })
    return outcome.kind === 'refused' ? outcome.refusal.retryAfterSeconds : outcome.kind
  }
  const key = { ...KEY, nonce: toHex(1, { size: 32 }) }
  const wanted = {
    binding: BINDING,
    payTo: SELLER.payTo,
    amountAtomic: '5000',
    validBefore: NOW / 1000 + 120,
  }
  await claims.write('claimPayment', { ...key, ...wanted, claimedAt: NOW - 30_000 })
  expect(await retryAfter()).toBe(150)
  await claims.write('advancePayment', key, 'settling', { at: NOW - 20_000 })
  expect(await retryAfter()).toBe(70)
  await claims.write('advancePayment', key, 'unknown', { at: NOW })
  expect(await retryAfter()).toBe(30)
})

test('error: refuses invalid, untimely and unverifiable payments without running the handler', async () => {
  let runs = 0
  const produce = async (): Promise<Production> => {
    runs += 1
    return ANSWER
  }
  const invalid = await open({ verify: { isValid: false, invalidReason: 'nonce_used' } })
  expect(codeOf(await invalid.sell({ paymentSignature: 'junk' }, produce))).toBe('challenge')
  expect(codeOf(await invalid.sell({ paymentSignature: await pay() }, produce))).toBe('challenge')
  expect(codeOf(await invalid.sell({ paymentSignature: await pay({ seconds: 5 }) }, produce))).toBe(
    'challenge',
  )
  expect(invalid.sales).toEqual(['declined', 'declined', 'declined'])
  const down = await open({ status: 500 })
  expect(codeOf(await down.sell({ paymentSignature: await pay() }, produce))).toBe('facilitator_unavailable')
  expect([down.faults, await statesOf(down.claims), runs]).toEqual([['verify'], [], 0])
})

test('error: limits uncharged calls per payer and per client', async () => {
  const verify = { isValid: false, invalidReason: 'insufficient_funds' }
  const attempts = { points: 2, windowSeconds: 60 }
  for (const limit of [{ payer: attempts }, { client: attempts }]) {
    const { sell, sales } = await open({ verify }, { uncharged: { ...UNCHARGED_CALLS, ...limit } })
    for (const nonce of [1, 2, 3]) await sell({ paymentSignature: await pay({ nonce }) })
    expect(sales).toEqual(['declined', 'declined', 'too_many_requests'])
  }
})

/** Signs by another key than the payer's. */
async function forge(nonce: number): Promise<string> {
  const [right, other] = await Promise.all([pay({ nonce }), pay({ nonce: nonce + 1_000_000 })])
  const payment = decodeBase64Json(right) as { payload: object }
  const { signature } = (decodeBase64Json(other) as { payload: { signature: string } }).payload
  return encodeBase64Json({ ...payment, payload: { ...payment.payload, signature } })
}

/** Counts signature checks. */
function countChecks() {
  const check = createSignatureCheck()
  const counted = { checks: 0 }
  const isSignedByPayer: typeof check = (payment, terms) => {
    counted.checks += 1
    return check(payment, terms)
  }
  return { counted, isSignedByPayer }
}

test('behavior: a flood of bad signatures from one client is limited before the curve work', async () => {
  const { counted, isSignedByPayer } = countChecks()
  const verify = { isValid: false, invalidReason: 'invalid_exact_evm_payload_signature' }
  const { sell, sales } = await open(
    { verify },
    { isSignedByPayer, uncharged: { ...UNCHARGED_CALLS, client: { points: 5, windowSeconds: 60 } } },
  )
  const forged = await Promise.all(Array.from({ length: 60 }, (_, nonce) => forge(nonce + 1)))
  await Promise.all(forged.map((paymentSignature) => sell({ paymentSignature })))
  expect([counted.checks, sales.filter((outcome) => outcome === 'too_many_requests').length]).toEqual([5, 55])
  // The payments of one client do not count against another.
  await sell({ paymentSignature: await pay(), client: '192.0.2.2' })
  expect([counted.checks, sales.at(-1)]).toEqual([6, 'declined'])
})

test('behavior: an expired payment is refused before its signature is checked', async () => {
  const { counted, isSignedByPayer } = countChecks()
  const { sell, asked } = await open({}, { isSignedByPayer })
  for (const seconds of [-60, 5, 7200])
    expect(codeOf(await sell({ paymentSignature: await pay({ seconds }) }))).toBe('challenge')
  expect([counted.checks, asked]).toEqual([0, []])
})

test('behavior: calls whose payers signed never count against a client, however many there are', async () => {
  const { sell, sales } = await open(
    {},
    { uncharged: { ...UNCHARGED_CALLS, client: { points: 2, windowSeconds: 60 } } },
  )
  for (let nonce = 1; nonce <= 6; nonce++) await sell({ paymentSignature: await pay({ nonce }) })
  expect(new Set(sales)).toEqual(new Set(['sold']))
})

test('error: sells nothing while claims cannot be stored', async () => {
  const store = createMemoryStore()
  const broken = withUnits(store, { claimPayment: () => Promise.reject(new Error('disk full')) })
  const { sell, faults, asked } = await open({}, {}, broken)
  expect(codeOf(await sell({ paymentSignature: await pay() }))).toBe('store_unavailable')
  expect([faults, asked]).toEqual([['claim'], []])
})
