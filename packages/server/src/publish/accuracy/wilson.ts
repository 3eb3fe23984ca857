/** 97.5 % quantile of the normal distribution. */
const Z = 1.959964

/**
 * Returns the 95 % score interval of a share (Wilson 1927).
 * @param share 0 to 1
 * @param count number of observations, above 0; may be an average
 */
export function wilson(share: number, count: number): { readonly low: number; readonly high: number } {
  const square = Z ** 2 / count
  const middle = (share + square / 2) / (1 + square)
  const half = (Z / (1 + square)) * Math.sqrt((share * (1 - share)) / count + square / (4 * count))
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}
