import { isRecord, sameAddress } from '@touchstone402/shared'
import type { PaymentScheme } from '../paying/scheme.ts'
import { readDecimal, readUint } from '../paying/signatures/authorization.ts'
import { domainOf, hashPermit, isPermitData, PERMIT2, readPermit, UPTO_PROXY, writePermit } from './permit.ts'
import { readSettlement } from './readSettlement.ts'

/**
 * The `upto` scheme on EVM networks: the seller collects at most the signed amount, through Permit2.
 * @example
 * const upto: UptoScheme = createUpto()
 */
export type UptoScheme = PaymentScheme & { readonly name: 'upto' }

/**
 * Creates the option `upto` of a guard, which pays `upto` offers of the facilitators that the policy lists.
 *
 * Permit2 and the x402 proxy are pinned. The ceiling counts against all limits. `reconcileLedger` with this option reads
 * the collected amount and frees the rest. Approvals of Permit2 (`approve`, `permit`) are never signed: the owner of the
 * wallet makes them.
 * @example
 * const upto = createUpto()
 * const guard = createGuard({ upto, policy: { uptoFacilitators: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8'] } })
 */
export function createUpto(): UptoScheme {
  return {
    name: 'upto',
    readPayload({ permit2Authorization: fields, signature, ...others }) {
      if (!isRecord(fields) || typeof signature !== 'string' || Object.keys(others).length > 0)
        return undefined
      const authorization = readPermit(fields, fields.from, readDecimal)
      return authorization && { authorization, signature }
    },
    // The message does not name the payer: Permit2 takes who has signed.
    readMessage: (data, payer) =>
      isPermitData(data) ? readPermit(data.message, payer, readUint) : undefined,
    fits({ domain: { chainId }, offer, facilitator }, { permit }, domain) {
      return (
        permit !== undefined &&
        facilitator !== null &&
        sameAddress(permit.token, offer.asset) &&
        sameAddress(permit.spender, UPTO_PROXY) &&
        sameAddress(permit.facilitator, facilitator) &&
        (domain === undefined || isPermit2Domain(domain, chainId))
      )
    },
    write: ({ domain }, authorization) => writePermit(domain.chainId, authorization),
    hash: ({ domain }, authorization) => hashPermit(domain.chainId, authorization),
    readChain: readSettlement,
  }
}

function isPermit2Domain(given: Record<string, unknown>, chainId: number): boolean {
  const { name, chainId: chain, verifyingContract, ...others } = given
  return (
    name === domainOf(chainId).name &&
    readUint(chain) === BigInt(chainId) &&
    typeof verifyingContract === 'string' &&
    sameAddress(verifyingContract, PERMIT2) &&
    Object.values(others).every((value) => value === undefined)
  )
}
