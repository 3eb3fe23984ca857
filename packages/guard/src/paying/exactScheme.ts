import { sameAddress } from '@touchstone402/shared'
import { readAuthorizationState } from '../ledger/authorizationState.ts'
import type { PaymentScheme } from './scheme.ts'
import {
  AUTHORIZATION_FIELDS,
  AUTHORIZATION_TYPE,
  hashAuthorization,
  readAuthorization,
  readDecimal,
  readUint,
} from './signatures/authorization.ts'
import { writeTypedData } from './signatures/signingAccount.ts'
import { hasFields } from './signatures/typedFields.ts'

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
    if (primaryType !== AUTHORIZATION_TYPE) return undefined
    if (!hasFields(types, AUTHORIZATION_TYPE, AUTHORIZATION_FIELDS)) return undefined
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
  write: ({ domain }, authorization) => writeTypedData(domain, authorization),
  hash: ({ domain }, authorization) => hashAuthorization(domain, authorization),
  readChain: readAuthorizationState,
}
