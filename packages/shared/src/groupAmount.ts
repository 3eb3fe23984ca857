/** Significant digits after the point. The rest is cut off. */
const FRACTION_DIGITS = 2
/** Zeros after the point from which a bound stands instead: tokens may have 255 decimals. */
const MAX_ZEROS = 40

/** Formats a decimal amount for people: groups of thousands, two significant digits after the point, never rounded up. */
export function groupAmount(amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.')
  // Below 1 the leading zeros do not count, so that no amount reads as zero.
  const zeros = /^-?0$/.test(whole) ? fraction.search(/[1-9]|$/) : 0
  if (zeros >= MAX_ZEROS) return `less than 0.${'0'.repeat(MAX_ZEROS - 1)}1`
  const shown = fraction.slice(0, zeros + FRACTION_DIGITS).replace(/0+$/, '')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${shown === '' ? '' : `.${shown}`}`
}
