import {
  encodeBase64Json,
  findNetwork,
  OPERATIONS,
  type PaidOperationId,
  usdToAtomic,
  X402_HEADERS,
} from '@touchstone402/shared'
import { getAddress } from 'viem'
import { describeForBazaar, describeForV1, describeInHeader } from './discovery.ts'

/** Validity requested of an authorization: long enough for handler and settlement, short enough to resolve an unknown settlement soon. */
export const MAX_TIMEOUT_SECONDS = 120

/** Price and payment terms of an operation in both protocol versions. */
export type Terms = Readonly<ReturnType<typeof createTerms>>

/** A challenge: v2 terms in the header, v1 terms in the body. */
export type Challenge = ReturnType<typeof challenge>

/** Options of `createTerms`. */
export type TermsOptions = {
  /** CAIP-2 of an EVM network with a known USDC. */
  network: string
  payTo: string
  publicUrl: string
  /** Dollars as a decimal string. */
  priceUsd: string
}

/** Minimum price; settling costs more than a lower one earns. */
const MIN_PRICE_ATOMIC = usdToAtomic('0.001')

/**
 * Creates the terms of an operation.
 * @throws Error that names the wrong setting
 */
export function createTerms(id: PaidOperationId, options: TermsOptions) {
  const network = findNetwork(options.network)
  const chainId = Number(/^eip155:(\d+)$/.exec(options.network)?.[1])
  if (network === undefined || !Number.isSafeInteger(chainId)) {
    throw new Error(`network: ${options.network} is not an EVM network with a known USDC`)
  }
  const amount = usdToAtomic(options.priceUsd)
  if (amount < MIN_PRICE_ATOMIC)
    throw new Error(`prices: ${id} costs ${options.priceUsd}, the minimum is 0.001`)
  const operation = OPERATIONS[id]
  const asset = getAddress(network.usdc)
  const payTo = getAddress(options.payTo)
  const amountAtomic = String(amount)
  const extra = { name: network.usdcName, version: '2' }
  const url = `${options.publicUrl}${operation.path}`
  const common = { scheme: 'exact', payTo, asset, maxTimeoutSeconds: MAX_TIMEOUT_SECONDS, extra }
  const about = { description: operation.summary, mimeType: 'application/json' }
  return {
    amountAtomic,
    network: network.caip2,
    v1Network: network.v1Name,
    asset,
    payTo,
    domain: { ...extra, chainId, verifyingContract: asset },
    resource: { url, ...about },
    /** Sent to the facilitator, which lists the operation. */
    extensions: describeForBazaar(id, url),
    headerExtensions: describeInHeader(id, url),
    v2: { ...common, network: network.caip2, amount: amountAtomic },
    v1: {
      ...common,
      network: network.v1Name,
      maxAmountRequired: amountAtomic,
      resource: url,
      ...about,
      outputSchema: describeForV1(id),
    },
  }
}

/**
 * Creates the challenge: v2 terms in the header, v1 terms in the body.
 * @param error identifier of what is wrong with the payment, `payment_required` if there is none
 * @param speaksV1 whether to offer v1
 */
export function challenge(terms: Terms, error: string, speaksV1: boolean) {
  const { resource, v2, v1, headerExtensions: extensions } = terms
  const header = { x402Version: 2, error, resource, accepts: [v2], extensions }
  return {
    kind: 'challenge' as const,
    headers: { [X402_HEADERS.required]: encodeBase64Json(header) },
    body: JSON.stringify({ x402Version: 1, error, accepts: speaksV1 ? [v1] : [] }),
  }
}
