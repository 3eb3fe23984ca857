import { isRecord, sameAddress, TRANSFER_WITH_AUTHORIZATION } from '@touchstone402/shared'
import type { AssetDomain } from '../types.ts'
import type { PaymentScheme } from './scheme.ts'
import {
  type Authorization,
  digestOf,
  readAddress,
  readDecimal,
  readUint,
} from './signatures/authorization.ts'
import { concat, keccak, word } from './signatures/bytes.ts'
import { encodeType, hasFields } from './signatures/typedData.ts'

const TYPE = 'TransferWithAuthorization'
const { [TYPE]: FIELDS } = TRANSFER_WITH_AUTHORIZATION
const STRUCT_HASH = keccak(encodeType(TYPE, FIELDS))
const DOMAIN_HASH = keccak(
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
)

/** The exact scheme with EIP-3009 authorizations. */
export const EXACT: PaymentScheme = {
  name: 'exact',
  readPayload({ authorization: fields, signature, ...others }) {
    const authorization = readAuthorization(fields, readDecimal)
    if (authorization === undefined || typeof signature !== 'string') return undefined
    // No honest client sends anything beside the authorization, such as a Permit2 payload.
    return Object.keys(others).length > 0 ? undefined : { authorization, signature }
  },
  readMessage({ primaryType, types, message }) {
    if (primaryType !== TYPE || !hasFields(types, TYPE, FIELDS)) return undefined
    return readAuthorization(message, readUint)
  },
  fits({ domain: wanted }, { permit }, domain) {
    if (permit !== undefined) return false
    if (domain === undefined) return true
    const { name, version, chainId, verifyingContract, salt } = domain
    return (
      name === wanted.name &&
      String(version) === wanted.version &&
      readUint(chainId) === BigInt(wanted.chainId) &&
      typeof verifyingContract === 'string' &&
      sameAddress(verifyingContract, wanted.verifyingContract) &&
      salt === undefined
    )
  },
  write: ({ domain }, authorization) => writeAuthorization(domain, authorization),
  hash: ({ domain }, authorization) => hashAuthorization(domain, authorization),
  // Loaded when a payment is unresolved, since most are answered.
  readChain: async (...asked) => (await import('../ledger/chain.ts')).readAuthorizationState(...asked),
}

/** Parses an authorization strictly. `readNumber` parses its numbers. */
function readAuthorization(
  fields: unknown,
  readNumber: (value: unknown) => bigint | undefined,
): Authorization | undefined {
  if (!isRecord(fields)) return undefined
  const { nonce } = fields
  const [from, to] = [readAddress(fields.from), readAddress(fields.to)]
  if (!from || !to) return undefined
  if (typeof nonce !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(nonce)) return undefined
  const value = readNumber(fields.value)
  const validAfter = readNumber(fields.validAfter)
  const validBefore = readNumber(fields.validBefore)
  if (value === undefined || validAfter === undefined || validBefore === undefined) return undefined
  return { from, to, value, validAfter, validBefore, nonce: nonce.toLowerCase() }
}

/** Builds the typed data of an authorization. Source: EIP-3009. */
export function writeAuthorization(domain: AssetDomain, authorization: Authorization) {
  const [types, message] = [{ ...TRANSFER_WITH_AUTHORIZATION }, { ...authorization }]
  return { domain: { ...domain }, types, primaryType: TYPE, message }
}

/** Computes the digest of an authorization to sign. Source: EIP-712. */
export function hashAuthorization(domain: AssetDomain, authorization: Authorization): Uint8Array {
  const { name, version, chainId, verifyingContract } = domain
  const contract = word(BigInt(verifyingContract))
  const separator = keccak(
    concat(DOMAIN_HASH, keccak(name), keccak(version), word(BigInt(chainId)), contract),
  )
  const members = FIELDS.map((field) => word(BigInt(authorization[field.name])))
  return digestOf(separator, keccak(concat(STRUCT_HASH, ...members)))
}
