import type { AssetDomain } from '../types.ts'
import { bytesToHex, concat, hexToBytes, keccak, word } from './bytes.ts'
import { chooseRecoverKey, type RecoverKey } from './recoverKey.ts'

/** A transfer that somebody signs off line. Source: EIP-3009. */
export type Authorization = {
  from: string
  to: string
  value: bigint
  /** Seconds since 1970. */
  validAfter: bigint
  /** Seconds since 1970. */
  validBefore: bigint
  /** 0x and 64 hexadecimal digits. */
  nonce: string
}

/** The members of the signed struct, in order. Source: EIP-3009. */
export const AUTHORIZATION_FIELDS = [
  ['address', 'from'],
  ['address', 'to'],
  ['uint256', 'value'],
  ['uint256', 'validAfter'],
  ['uint256', 'validBefore'],
  ['bytes32', 'nonce'],
] as const

/** Name of the signed struct. */
export const AUTHORIZATION_TYPE = 'TransferWithAuthorization'

const STRUCT_HASH = keccak(
  `${AUTHORIZATION_TYPE}(${AUTHORIZATION_FIELDS.map(([type, name]) => `${type} ${name}`).join(',')})`,
)
const DOMAIN_HASH = keccak(
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
)

/** The digest that is signed for an authorization. Source: EIP-712. */
export function hashAuthorization(domain: AssetDomain, authorization: Authorization): Uint8Array {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const separator = keccak(
    concat(
      DOMAIN_HASH,
      keccak(domain.name),
      keccak(domain.version),
      word(BigInt(domain.chainId)),
      word(BigInt(domain.verifyingContract)),
    ),
  )
  const struct = keccak(
    concat(
      STRUCT_HASH,
      word(BigInt(from)),
      word(BigInt(to)),
      word(value),
      word(validAfter),
      word(validBefore),
      word(BigInt(nonce)),
    ),
  )
  return keccak(concat(Uint8Array.of(0x19, 0x01), separator, struct))
}

// Source: SEC 2, section 2.4.1, the order of the group; EIP-2, that `s` lies in its lower half.
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * The address whose key made a 65-byte signature (r, s, v), in lower case; undefined where none did.
 * High `s` values and `v` other than 27 and 28 are refused, as the token contract refuses them.
 * @param recoverKey @default the fastest that there is here
 */
export function recoverSigner(
  digest: Uint8Array,
  signature: string,
  recoverKey: RecoverKey = chooseRecoverKey(),
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
