/** Returns a quantile of some numbers, the nearest of them; infinite ones come last. @param share 0 to 1 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** Rounds to one decimal; null for what is not finite. */
export const round = (value: number): number | null =>
  Number.isFinite(value) ? Math.round(10 * value) / 10 : null
