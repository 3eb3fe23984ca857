import { isRecord, sameAddress } from '@touchstone402/shared'
import { Channel, Transaction } from 'viem/tempo'
import type { Authorization, PaymentChannel } from '../paying/signatures/authorization.ts'
import { bytesToHex, concat, hexToBytes, keccak } from '../paying/signatures/bytes.ts'
import type { Hex } from '../types.ts'

const { z_TxEnvelopeTempo: Envelope } = Transaction
type Envelope = ReturnType<typeof Envelope.deserialize>

/** A Tempo transaction that is one payment. */
export type TempoPayment = {
  /** Its nonce is the digest that the account signs. */
  authorization: Authorization
  /** The unsigned transaction, rebuilt from its bytes. */
  unsigned: Record<string, unknown>
  /** Signature of 65 bytes; null if it is not signed. */
  signature: string | null
}

// In 10^-18 dollars. Source: Tempo's fees, which are paid in a dollar token of the sender.
const MAX_FEE = 5n * 10n ** 16n

/**
 * Parses a serialized Tempo transaction strictly; undefined unless its one call is a transfer of a TIP-20 token or opens
 * a payment channel, and nothing in it does more.
 * @param payer sender of an unsigned transaction
 */
export function readTempoPayment(serialized: unknown, payer?: string): TempoPayment | undefined {
  if (typeof serialized !== 'string' || !/^0x7[68]([0-9a-fA-F]{2}){1,8192}$/.test(serialized))
    return undefined
  try {
    return toPayment(Envelope.deserialize(serialized as `0x76${string}`), payer)
  } catch {
    return undefined
  }
}

function toPayment(envelope: Envelope, payer: string | undefined): TempoPayment | undefined {
  const { calls, signature, validBefore, validAfter = 0, chainId, feePayerSignature, from } = envelope
  const [call, ...others] = calls
  const sender = payer ?? from
  if (call?.to === undefined || others.length > 0 || call.value || sender === undefined) return undefined
  // Both would give rights beyond the payment.
  if (envelope.keyAuthorization || envelope.authorizationList?.length || validBefore === undefined)
    return undefined
  const fee = (envelope.gas ?? 0n) * (envelope.maxFeePerGas ?? 0n)
  if (feePayerSignature === undefined && fee > MAX_FEE) return undefined
  if (signature !== undefined && signature.type !== 'secp256k1') return undefined
  const sent = readCall(String(call.to), String(call.data))
  if (sent === undefined) return undefined
  const { token, to, value, channel } = sent
  const nonce = Envelope.getSignPayload(envelope)
  const bytes = Envelope.encodeForSigning(envelope) as `0x76${string}`
  const unsigned = { ...Envelope.deserialize(bytes) }
  return {
    authorization: {
      from: sender,
      to,
      value,
      nonce,
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      tempo: { token, chainId },
      ...(channel && { channel: toChannel(envelope, sender, sent) }),
    },
    // The mark of a fee payer, by which the sender leaves the fee's token open.
    unsigned: unsigned.feePayerSignature === null ? { ...unsigned, feePayer: true } : unsigned,
    signature: signature === undefined ? null : toHex(signature.signature),
  }
}

function toHex({ r, s, yParity }: { r: bigint; s: bigint; yParity: number }): string {
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  return `0x${word(r)}${word(s)}${(27 + yParity).toString(16)}`
}

type Opening = { operator: string; salt: Hex; signer: string }
type Sent = { token: string; to: string; value: bigint; channel?: Opening }

const selectorOf = (signature: string) => bytesToHex(keccak(signature)).slice(0, 10)
const TRANSFER = selectorOf('transfer(address,uint256)')
const WITH_MEMO = selectorOf('transferWithMemo(address,uint256,bytes32)')
// Source: TIP-1034.
const OPEN = selectorOf('open(address,address,address,uint96,bytes32,address)')

function readCall(target: string, data: string): Sent | undefined {
  const selector = data.slice(0, 10)
  const words = data.slice(10).match(/.{64}/g) ?? []
  if (data.length !== 10 + 64 * words.length) return undefined
  const [first, second, third, fourth, salt, signer] = words
  const to = readAddress(first)
  if (selector === TRANSFER || selector === WITH_MEMO) {
    const isWhole = words.length === (selector === TRANSFER ? 2 : 3)
    return isWhole && to !== undefined ? { token: target, to, value: BigInt(`0x${second}`) } : undefined
  }
  const [operator, token, by] = [readAddress(second), readAddress(third), readAddress(signer)]
  if (selector !== OPEN || words.length !== 6 || !sameAddress(target, Channel.address)) return undefined
  if (!to || !operator || !token || !by) return undefined
  const channel = { operator, salt: `0x${salt}` as const, signer: by }
  return { token, to, value: BigInt(`0x${fourth}`), channel }
}

function readAddress(word: string | undefined): string | undefined {
  return word !== undefined && /^0{24}[0-9a-f]{40}$/i.test(word) ? `0x${word.slice(24)}` : undefined
}

function toChannel(envelope: Envelope, payer: string, { token, to, value, channel }: Sent): PaymentChannel {
  const body = hexToBytes(Envelope.encodeForSigning(envelope)) ?? new Uint8Array()
  const { operator = '', salt = '0x', signer = '' } = channel ?? {}
  const id = Channel.computeId(
    {
      payer: payer as Hex,
      payee: to as Hex,
      token: token as Hex,
      operator: operator as Hex,
      salt: salt as Hex,
      authorizedSigner: signer as Hex,
      expiringNonceHash: bytesToHex(keccak(concat(body, hexToBytes(payer) ?? new Uint8Array()))),
    },
    { chainId: envelope.chainId },
  )
  const network = `eip155:${envelope.chainId}`
  return { id, deposit: value, voucher: 0n, operator, signer, payee: to, token, network }
}

/** Whether a value is an unsigned Tempo transaction as viem prepares it; returns its bytes. */
export async function serializeUnsigned(transaction: unknown): Promise<string | undefined> {
  if (!isRecord(transaction)) return undefined
  try {
    const { signature: _, feePayerSignature: __, account: ___, ...rest } = transaction
    return await Transaction.serialize(rest as never)
  } catch {
    return undefined
  }
}
