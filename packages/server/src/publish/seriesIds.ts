/** Ids of the series of a report, in its order. */
export const SERIES_IDS = ['verdicts', 'dark', 'prices', 'receivers', 'directories', 'accuracy'] as const
