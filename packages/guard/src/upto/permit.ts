import { isRecord } from '@touchstone402/shared'
import { type Authorization, digestOf, readAddress } from '../paying/signatures/authorization.ts'
import { bytesToHex, concat, keccak, word } from '../paying/signatures/bytes.ts'
import { encodeType, hasFields, type TypedData } from '../paying/signatures/typedData.ts'
import type { Hex } from '../types.ts'

/** Permit2, at the same address on all chains. Source: docs.uniswap.org/contracts/v4/deployments. */
export const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
/** The x402 proxy for `upto`, at the same address on all chains. Source: `x402UptoPermit2ProxyAddress` of @x402/evm 2.27. */
export const UPTO_PROXY = '0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002'

/** An authorization with the parts that Permit2 binds. */
export type Permit = Authorization & { permit: NonNullable<Authorization['permit']> }

const PRIMARY = 'PermitWitnessTransferFrom'
// Source: Permit2's SignatureTransfer, and the witness of the x402 proxy.
const STRUCTS = {
  [PRIMARY]: [
    { name: 'permitted', type: 'TokenPermissions' },
    { name: 'spender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
    { name: 'witness', type: 'Witness' },
  ],
  TokenPermissions: [
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
  Witness: [
    { name: 'to', type: 'address' },
    { name: 'facilitator', type: 'address' },
    { name: 'validAfter', type: 'uint256' },
  ],
} as const

type ReadUint = (value: unknown) => bigint | undefined

/** Parses a permit strictly. `payer` is beside the message in typed data, and in it in a payment. */
export function readPermit(fields: unknown, payer: unknown, readUint: ReadUint): Permit | undefined {
  if (!isRecord(fields)) return undefined
  const { permitted, spender, witness } = fields
  if (!isRecord(permitted) || !isRecord(witness)) return undefined
  const [from, to, token] = [readAddress(payer), readAddress(witness.to), readAddress(permitted.token)]
  const [by, facilitator] = [readAddress(spender), readAddress(witness.facilitator)]
  if (!from || !to || !token || !by || !facilitator) return undefined
  const [value, validAfter] = [readUint(permitted.amount), readUint(witness.validAfter)]
  const [validBefore, nonce] = [readUint(fields.deadline), readUint(fields.nonce)]
  if (value === undefined || validAfter === undefined || validBefore === undefined) return undefined
  // Larger numbers would be hashed modulo 2^256.
  if (nonce === undefined || [value, validAfter, validBefore, nonce].some((one) => one >> 256n !== 0n)) {
    return undefined
  }
  const permit = { token, spender: by, facilitator }
  return { from, to, value, validAfter, validBefore, nonce: bytesToHex(word(nonce)), permit }
}

/** Whether typed data declare the structs of a permit, and no others. */
export function isPermitData({ primaryType, types }: TypedData): boolean {
  const names = Object.keys(types).filter((name) => name !== 'EIP712Domain')
  const structs = Object.entries(STRUCTS)
  return (
    primaryType === PRIMARY &&
    names.length === structs.length &&
    structs.every(([name, fields]) => hasFields(types, name, fields))
  )
}

/** Returns the domain of Permit2 on a chain. It has no version. */
export const domainOf = (chainId: number) => ({ name: 'Permit2', chainId, verifyingContract: PERMIT2 })

/** Builds the typed data of a permit. */
export function writePermit(chainId: number, given: Authorization): TypedData {
  const { to, value, validAfter, validBefore, nonce, permit } = given as Permit
  return {
    domain: domainOf(chainId),
    types: { ...STRUCTS },
    primaryType: PRIMARY,
    message: {
      permitted: { token: permit.token as Hex, amount: value },
      spender: permit.spender as Hex,
      nonce: BigInt(nonce),
      deadline: validBefore,
      witness: { to: to as Hex, facilitator: permit.facilitator as Hex, validAfter },
    },
  }
}

const TOKEN_TYPE = encodeType('TokenPermissions', STRUCTS.TokenPermissions)
const WITNESS_TYPE = encodeType('Witness', STRUCTS.Witness)
const PERMIT_TYPE = encodeType(PRIMARY, STRUCTS[PRIMARY]) + TOKEN_TYPE + WITNESS_TYPE
const DOMAIN_TYPE = 'EIP712Domain(string name,uint256 chainId,address verifyingContract)'

/** Computes the digest of a permit to sign. Source: EIP-712. */
export function hashPermit(chainId: number, given: Authorization): Uint8Array {
  const { to, value, validAfter, validBefore, nonce, permit } = given as Permit
  const address = (text: string) => word(BigInt(text))
  const struct = (type: string, ...members: Uint8Array[]) => keccak(concat(keccak(type), ...members))
  const domain = struct(DOMAIN_TYPE, keccak('Permit2'), word(BigInt(chainId)), address(PERMIT2))
  const permitted = struct(TOKEN_TYPE, address(permit.token), word(value))
  const witness = struct(WITNESS_TYPE, address(to), address(permit.facilitator), word(validAfter))
  const spender = address(permit.spender)
  return digestOf(
    domain,
    struct(PERMIT_TYPE, permitted, spender, word(BigInt(nonce)), word(validBefore), witness),
  )
}
