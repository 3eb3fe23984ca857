/** `$0.005`, `$2.50`: dollars for people, with two digits at least and six at most. */
export function formatDollars(usd: number): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 6 }
  return usd === 0 ? '$0' : `$${usd.toLocaleString('en-US', digits)}`
}
