import { randomBytes } from 'node:crypto'
import { decodeBase64Json, encodeBase64Json, TRANSFER_WITH_AUTHORIZATION } from '@touchstone402/shared'
import { toHex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'

/** A signed payment. */
export type SignedPayment = { headers: Record<string, string>; nonce: `0x${string}` }

type Authorization = Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>

/** Fields of a payment that override the challenge. */
export type Overrides = {
  authorization?: Partial<Authorization>
  /** Fields of the envelope around the payload. */
  document?: Record<string, unknown>
  signature?: string
}

/** Requests the challenge of a paid URL and signs a payment for it, with overrides. */
export async function signFor(
  url: string,
  account: PrivateKeyAccount,
  version: 1 | 2,
  overrides: Overrides = {},
): Promise<SignedPayment> {
  const response = await fetch(url)
  const body = (await response.json()) as { accepts: Record<string, string>[] }
  const header = decodeBase64Json(response.headers.get('PAYMENT-REQUIRED') ?? '')
  const [v2] = (header?.accepts ?? []) as Record<string, string>[]
  const [v1] = body.accepts
  const terms = version === 1 ? v1 : v2
  if (response.status !== 402 || terms === undefined) throw new Error(`no challenge: ${response.status}`)
  const now = Math.floor(Date.now() / 1000)
  const authorization: Authorization = {
    from: account.address,
    to: terms.payTo ?? '',
    value: (version === 1 ? terms.maxAmountRequired : terms.amount) ?? '',
    validAfter: String(now - 60),
    validBefore: String(now + 100),
    nonce: toHex(randomBytes(32)),
    ...overrides.authorization,
  }
  const signature =
    overrides.signature ?? (await signAuthorization(account, authorization, terms.asset ?? ''))
  const payload = { signature, authorization }
  const document =
    version === 1
      ? { x402Version: 1, scheme: 'exact', network: v1?.network, payload, ...overrides.document }
      : { x402Version: 2, accepted: v2, payload, ...overrides.document }
  const name = version === 1 ? 'X-PAYMENT' : 'PAYMENT-SIGNATURE'
  return { headers: { [name]: encodeBase64Json(document) }, nonce: authorization.nonce as `0x${string}` }
}

/** Signs an EIP-3009 transfer of Base USDC. */
export function signAuthorization(
  account: PrivateKeyAccount,
  authorization: Authorization,
  asset: string,
): Promise<`0x${string}`> {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return account.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: asset as `0x${string}` },
    types: TRANSFER_WITH_AUTHORIZATION,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: from as `0x${string}`,
      to: to as `0x${string}`,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce: nonce as `0x${string}`,
    },
  })
}
