/** Amount in the smallest unit: digits only, no sign, no leading zero, at most 78 digits (uint256). */
export const ATOMIC_PATTERN = /^(0|[1-9][0-9]{0,77})$/

/** Amount in token units: `digits[.digits]`, no sign, no exponent. */
export const DECIMAL_PATTERN = /^(0|[1-9][0-9]{0,59})(\.[0-9]{1,60})?$/

/** Decimals of USDC on every network that the guard or the service pays on. */
export const USDC_DECIMALS = 6

/** Text that is not an amount. The message states the expected form. */
export class MoneyError extends Error {
  override readonly name = 'MoneyError'
}

/**
 * Parses an amount in the smallest unit.
 * @throws MoneyError for anything but a string that matches {@link ATOMIC_PATTERN}
 */
export function parseAtomic(text: unknown): bigint {
  if (typeof text !== 'string' || !ATOMIC_PATTERN.test(text)) {
    throw new MoneyError('expected a string of decimal digits in the smallest unit')
  }
  return BigInt(text)
}

/**
 * Converts a decimal string in token units to the smallest unit, exactly.
 * @param decimals 0-255
 * @throws MoneyError if the text is not a decimal, or has more fraction digits than the token
 */
export function parseUnits(text: string, decimals: number): bigint {
  if (!DECIMAL_PATTERN.test(text)) throw new MoneyError('expected a decimal number such as "1.25"')
  const [whole = '0', fraction = ''] = text.split('.')
  const significant = fraction.replace(/0+$/, '')
  if (significant.length > decimals) {
    throw new MoneyError(`expected at most ${decimals} digits after the point`)
  }
  return BigInt(whole + significant.padEnd(decimals, '0'))
}

/** Formats an amount in token units, without trailing zeros: `formatUnits(1250000n, 6)` is `"1.25"`. */
export function formatUnits(amount: bigint, decimals: number): string {
  const negative = amount < 0n
  const digits = (negative ? -amount : amount).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** Converts an amount of the smallest unit of USDC to dollars: `formatUsdc(5000n)` is `"0.005"`. */
export function formatUsdc(amount: bigint): string {
  return formatUnits(amount, USDC_DECIMALS)
}

/** Converts dollars to the smallest unit of USDC: `usdToAtomic('0.005')` is `5000n`. */
export function usdToAtomic(usd: string): bigint {
  return parseUnits(usd, USDC_DECIMALS)
}
