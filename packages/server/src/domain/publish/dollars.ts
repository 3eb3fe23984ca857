/** Formats dollars for readers with two to six decimals, such as `$0.005` and `$2.50`. */
export function formatDollars(usd: number): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 6 }
  return usd === 0 ? '$0' : `$${usd.toLocaleString('en-US', digits)}`
}
