/** The owner's budget and, where no service is asked, what the owner knows from the listing. */
export function ownerPolicy() {
  const { BUDGET_USD = '1.00', TARGET_LISTING = '{}', TOUCHSTONE_URL } = process.env
  const budget = { maxTotalUsd: BUDGET_USD }
  if (TOUCHSTONE_URL) return budget
  const { url, priceUsd, payTo } = JSON.parse(TARGET_LISTING)
  return {
    ...budget,
    maxPerPaymentUsd: priceUsd,
    allowHosts: [new URL(url).host],
    allowReceivers: payTo === undefined ? [] : [payTo],
  }
}
