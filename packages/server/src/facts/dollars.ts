// Made once: making it takes far longer than a use of it.
const FORMAT = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 })

/** Formats dollars for readers with two to six decimals, such as `$0.005` and `$2.50`. */
export function formatDollars(usd: number): string {
  return usd === 0 ? '$0' : `$${FORMAT.format(usd)}`
}
