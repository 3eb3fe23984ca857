import { isRecord, sameAddress } from '@touchstone402/shared'
import { EXACT } from '../paying/exactScheme.ts'
import type { PaymentScheme } from '../paying/scheme.ts'
import { readUint } from '../paying/signatures/authorization.ts'
import { bytesToHex, hexToBytes, keccak } from '../paying/signatures/bytes.ts'
import { readTempoPayment } from './tempoTransaction.ts'

export const ZERO = `0x${'0'.repeat(40)}`

/**
 * Charges by the method `evm`: authorizations whose nonce is the hash of the challenge.
 * Source: `evm/client/Charge` and `challengeHash` of mppx 0.11.
 */
export const EVM: PaymentScheme = {
  ...EXACT,
  readPayload({ type, signature, ...authorization }) {
    return type === 'authorization' ? EXACT.readPayload({ authorization, signature }) : undefined
  },
  fits(terms, authorization, domain) {
    const { expiresAt = null, raw } = terms.offer.other ?? {}
    const { nonce, validAfter, validBefore } = authorization
    const end = expiresAt === null ? validBefore : BigInt(Math.floor(expiresAt / 1000))
    return (
      EXACT.fits(terms, authorization, domain) &&
      nonce.toLowerCase() === bytesToHex(keccak(`${raw?.params.id}${raw?.params.realm}`)) &&
      validAfter === 0n &&
      validBefore === end
    )
  },
}

/** Charges and sessions by the method `tempo`: transactions, whose digest is the nonce of the authorization. */
export const TEMPO: PaymentScheme = {
  name: 'exact',
  readPayload({ type, signature, action, transaction, channelId, cumulativeAmount }) {
    const isOpen = action === 'open'
    if (type !== 'transaction' || (action !== undefined && !isOpen)) return undefined
    const payment = readTempoPayment(isOpen ? transaction : signature)
    const channel = payment?.authorization.channel
    if (payment === undefined || payment.signature === null || (channel !== undefined) !== isOpen)
      return undefined
    if (channel === undefined) return { authorization: payment.authorization, signature: payment.signature }
    const voucher = readUint(cumulativeAmount)
    const isChannel = channel.id.toLowerCase() === String(channelId).toLowerCase()
    if (!isChannel || voucher === undefined || voucher > channel.deposit) return undefined
    const authorization = { ...payment.authorization, channel: { ...channel, voucher } }
    return { authorization, signature: payment.signature }
  },
  readMessage: () => undefined,
  fits({ offer: { network, asset, other } }, { from, tempo, channel }) {
    const details = isRecord(other?.raw.request?.methodDetails) ? other.raw.request.methodDetails : {}
    const operator = details.operator ?? ZERO
    return (
      tempo !== undefined &&
      network === `eip155:${tempo.chainId}` &&
      sameAddress(tempo.token, asset) &&
      (channel !== undefined) === (other?.intent === 'session') &&
      (channel === undefined ||
        (typeof operator === 'string' &&
          sameAddress(channel.operator, operator) &&
          [from.toLowerCase(), ZERO].includes(channel.signer.toLowerCase())))
    )
  },
  write: ({ domain }, authorization) => ({
    domain: { ...domain },
    types: {},
    primaryType: 'TempoTransaction',
    message: { ...authorization },
  }),
  hash: (_, { nonce }) => hexToBytes(nonce) ?? new Uint8Array(),
  readChain: async () => undefined,
}
