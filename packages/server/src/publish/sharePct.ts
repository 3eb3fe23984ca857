/** Returns a share in percent with one decimal; 0 of nothing. */
export const sharePct = (count: number, total: number): number =>
  total === 0 ? 0 : Math.round((1000 * count) / total) / 10
