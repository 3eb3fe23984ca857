/** Returns a share in whole percents, as sentences say it; 0 of nothing. Plots and tables have a decimal. */
export const wholePct = (count: number, total: number): number =>
  total === 0 ? 0 : Math.round((100 * count) / total)
