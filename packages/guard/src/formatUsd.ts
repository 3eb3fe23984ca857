import { formatUsdc } from '@touchstone402/shared'

/** Formats decimal dollars with at least two decimals, such as `$0.50`. */
export function formatUsd(usd: string | number): string {
  const [whole, part = ''] = String(usd).split('.')
  return `$${whole}.${part.padEnd(2, '0')}`
}

/** Formats millionths of a dollar as {@link formatUsd} does. */
export const formatMicros = (usdMicros: bigint): string => formatUsd(formatUsdc(usdMicros))
