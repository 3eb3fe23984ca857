import { BASE, TRANSFER_WITH_AUTHORIZATION } from '@touchstone402/shared'
import { toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { Payment } from './readPayment.ts'
import { CACHED_SIGNATURES, createSignatureCheck } from './signature.ts'
import { createTerms } from './terms.ts'

const ACCOUNT = privateKeyToAccount(toHex(1, { size: 32 }))
const PAYEE = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const TERMS = createTerms('trust', {
  network: BASE,
  payTo: PAYEE,
  priceUsd: '0.005',
  publicUrl: 'https://trust.example',
})

// Refused before its signer would be recovered, which takes milliseconds.
const WRONG_SIGNATURE = `0x${'ff'.repeat(65)}` as const

async function signed(): Promise<Payment> {
  const message = { from: ACCOUNT.address, to: PAYEE, value: 5000n, nonce: toHex(7, { size: 32 }) } as const
  const signature = await ACCOUNT.signTypedData({
    domain: TERMS.domain,
    types: TRANSFER_WITH_AUTHORIZATION,
    primaryType: 'TransferWithAuthorization',
    message: { ...message, validAfter: 0n, validBefore: 100n },
  })
  const from: Payment['from'] = `0x${ACCOUNT.address.slice(2).toLowerCase()}`
  const call = { payload: { x402Version: 2 as const }, requirements: {} }
  return { version: 2, ...message, from, validAfter: 0, validBefore: 100, signature, call }
}

test('default: accepts the signature of the payer', async () => {
  const check = createSignatureCheck()
  expect(await check(await signed(), TERMS)).toBe(true)
})

test('behavior: caches the result for an equal payment only', async () => {
  const check = createSignatureCheck()
  const payment = await signed()
  const first = check(payment, TERMS)
  expect(check({ ...payment }, TERMS)).toBe(first)
  const differing: Partial<Payment>[] = [
    { from: PAYEE },
    { to: `0x${'1'.repeat(40)}` },
    { value: 5001n },
    { validAfter: 1 },
    { validBefore: 101 },
    { nonce: toHex(8, { size: 32 }) },
    { signature: `0x${'ab'.repeat(65)}` },
    { signature: `${payment.signature}00` },
  ]
  for (const change of differing) {
    expect([change, await check({ ...payment, ...change }, TERMS)]).toEqual([change, false])
  }
  const elsewhere = { ...TERMS, domain: { ...TERMS.domain, chainId: 1 } }
  expect(await check(payment, elsewhere)).toBe(false)
  expect(await first).toBe(true)
})

test('behavior: evicts the oldest result', async () => {
  const check = createSignatureCheck()
  const payment = await signed()
  const first = check(payment, TERMS)
  const others = Array.from({ length: CACHED_SIGNATURES }, (_, number) =>
    check({ ...payment, validAfter: number, signature: WRONG_SIGNATURE }, TERMS),
  )
  expect((await Promise.all(others)).includes(true)).toBe(false)
  expect(check(payment, TERMS)).not.toBe(first)
  expect(await check(payment, TERMS)).toBe(true)
})
