import type { ClaimKey } from '../../ports/claims.ts'

/** The name of a payment in problems and logs: it can be looked up on chain and opens nothing. */
export function receiptOf({ network, asset, from, nonce }: ClaimKey): string {
  return `${network}/${asset}/${from}/${nonce}`
}
