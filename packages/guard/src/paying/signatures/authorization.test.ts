import { TRANSFER_WITH_AUTHORIZATION } from '@touchstone402/shared'
import fc from 'fast-check'
import { hashTypedData, recoverAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { hashAuthorization } from '../exactScheme.ts'
import { recoverSigner } from './authorization.ts'
import { bytesToHex, hexToBytes } from './bytes.ts'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const hexOf = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => bytesToHex(value))
const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const typed = fc.record({
  domain: fc.record({
    name: fc.string({ unit: 'grapheme' }),
    // viem omits an empty version from the domain's type.
    version: fc.string({ minLength: 1 }),
    chainId: fc.integer({ min: 1, max: 2 ** 40 }),
    verifyingContract: hexOf(20),
  }),
  message: fc.record({
    from: hexOf(20),
    to: hexOf(20),
    value: uint,
    validAfter: uint,
    validBefore: uint,
    nonce: hexOf(32),
  }),
})

describe('hashAuthorization', () => {
  test("default: equals viem's digest for arbitrary domains and messages", () => {
    fc.assert(
      fc.property(typed, ({ domain, message }) => {
        const ours = bytesToHex(hashAuthorization(domain, message))
        const primaryType = 'TransferWithAuthorization'
        expect(ours).toBe(hashTypedData({ domain, types: TRANSFER_WITH_AUTHORIZATION, primaryType, message }))
      }),
    )
  })
})

describe('recoverSigner', () => {
  const digest = hexToBytes(`0x${'5a'.repeat(32)}`) ?? new Uint8Array()
  const sign = () => account.sign({ hash: bytesToHex(digest) })

  test('default: recovers the same signer as viem', async () => {
    const signature = await sign()
    expect(recoverSigner(digest, signature)).toBe(account.address.toLowerCase())
    expect(await recoverAddress({ hash: bytesToHex(digest), signature })).toBe(account.address)
  })

  test('error: recovers another signer or none from a changed signature', async () => {
    const signature = await sign()
    const bytes = hexToBytes(signature) ?? new Uint8Array()
    for (let index = 0; index < bytes.length; index++) {
      const changed = Uint8Array.from(bytes)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(recoverSigner(digest, bytesToHex(changed))).not.toBe(account.address.toLowerCase())
    }
  })

  test('error: refuses the high-s twin of a signature, as the token does', async () => {
    const signature = await sign()
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const s = order - BigInt(`0x${signature.slice(66, 130)}`)
    const v = signature.endsWith('1b') ? '1c' : '1b'
    const twin = `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}` as const
    expect(await recoverAddress({ hash: bytesToHex(digest), signature: twin as `0x${string}` })).toBe(
      account.address,
    )
    expect(recoverSigner(digest, twin)).toBeUndefined()
  })

  test('error: recovers no signer from an invalid signature', () => {
    for (const text of [
      '',
      '0x',
      '0x00',
      `0x${'00'.repeat(65)}`,
      `0x${'ff'.repeat(65)}`,
      `0x${'11'.repeat(64)}`,
    ]) {
      expect(recoverSigner(digest, text)).toBeUndefined()
    }
  })
})
