import type { PolicyInput } from '@touchstone402/guard'

/** Returns the owner's budget and, where no service is asked, what the owner knows from the listing, if anything. */
export function readPolicy(): PolicyInput {
  const { TARGET_LISTING, BUDGET_USD = '1.00', TOUCHSTONE_URL } = process.env
  if (TARGET_LISTING === undefined) return { maxTotalUsd: BUDGET_USD }
  const { url, priceUsd, payTo, network, asset } = JSON.parse(TARGET_LISTING)
  const isTempo = network === 'eip155:4217'
  const token = { network, address: asset, name: 'USDC.e', version: '1', decimals: 6 }
  const policy = { maxTotalUsd: BUDGET_USD, ...(isTempo && { networks: [network], assets: [token] }) }
  if (TOUCHSTONE_URL) return policy
  return {
    ...policy,
    // The deposit of a session is one payment.
    maxPerPaymentUsd: isTempo ? BUDGET_USD : priceUsd,
    allowHosts: [new URL(url).host],
    allowReceivers: payTo === undefined ? [] : [payTo],
  }
}
