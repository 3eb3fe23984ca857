import { ADDRESS_PATTERN } from '@touchstone402/shared'
import { bytesToHex, concat, hexToBytes, keccak } from './bytes.ts'
import { chooseRecoverKey, ORDER, type RecoverKey } from './recoverKey.ts'

/** A transfer signed off chain. Source: EIP-3009; Permit2 for `upto`, whose deadline is `validBefore`. */
export type Authorization = {
  from: string
  to: string
  value: bigint
  /** Unix time in seconds. */
  validAfter: bigint
  /** Unix time in seconds. */
  validBefore: bigint
  /** 0x and 64 hexadecimal digits. */
  nonce: string
  /** Further signed fields, for `upto` only. */
  permit?: { token: string; spender: string; facilitator: string }
  /** The transfers of a Tempo transaction, for MPP only. */
  tempo?: { token: string; chainId: number }
  /** The channel that a Tempo transaction opens. */
  channel?: PaymentChannel
}

/** A payment channel of an MPP session. Source: TIP-1034. */
export type PaymentChannel = {
  id: string
  deposit: bigint
  /** Amount of the voucher that leaves with its opening; 0 before. */
  voucher: bigint
  payee: string
  token: string
  operator: string
  /** Who signs vouchers; zero is the payer. */
  signer: string
  /** CAIP-2. */
  network: string
}

/** Parses an EVM address. */
export function readAddress(value: unknown): string | undefined {
  return typeof value === 'string' && ADDRESS_PATTERN.test(value) ? value : undefined
}

/** Parses a uint256 in decimal digits without leading zeros. */
export function readDecimal(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^(0|[1-9][0-9]{0,77})$/.test(value) ? BigInt(value) : undefined
}

/** Parses a uint256 in typed data: a number, a bigint or decimal digits. */
export function readUint(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value >= 0n ? value : undefined
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined
  return readDecimal(value)
}

/** Computes the digest to sign from the hashes of a domain and a struct. Source: EIP-712. */
export function digestOf(separator: Uint8Array, struct: Uint8Array): Uint8Array {
  return keccak(concat(Uint8Array.of(0x19, 0x01), separator, struct))
}

// Half the group order. Source: SEC 2 section 2.4.1; EIP-2 requires `s` in the lower half.
const HALF_ORDER = ORDER >> 1n

/**
 * Recovers the signer of a 65-byte signature (r, s, v), in lower case; undefined if there is none.
 * Refuses high `s` values and `v` other than 27 and 28, as the token contract does.
 */
export function recoverSigner(digest: Uint8Array, signature: string): string | undefined {
  return recoverSignerBy(chooseRecoverKey(), digest, signature)
}

/** Recovers a signer as {@link recoverSigner} does, by a given recovery of keys. */
export function recoverSignerBy(
  recoverKey: RecoverKey,
  digest: Uint8Array,
  signature: string,
): string | undefined {
  const bytes = hexToBytes(signature)
  const v = bytes?.[64]
  if (bytes?.length !== 65 || (v !== 27 && v !== 28)) return undefined
  if (BigInt(bytesToHex(bytes.subarray(32, 64))) > HALF_ORDER) return undefined
  try {
    const key = recoverKey(bytes.subarray(0, 64), v - 27, digest)
    return bytesToHex(keccak(key.subarray(1)).subarray(12))
  } catch {
    return undefined
  }
}
