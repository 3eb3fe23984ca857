/** Every reason to skip a row, with its meaning. */
export const SKIP_REASONS = {
  malformed: 'No entry with a URL',
  url_invalid: 'Invalid URL',
  not_http: 'No HTTP endpoint',
  no_offers: 'Empty list of offers',
  free: 'Free of charge',
  other_protocol: 'Another payment protocol',
  other_host: 'Entry of another host',
  inactive: 'Inactive according to the directory',
  template: 'URL template without a sample',
  over_limit: 'Beyond the limit of one document, host or registrable domain',
  unread: 'Details could not be read',
} as const

/** Why a row is skipped. */
export type SkipReason = keyof typeof SKIP_REASONS

/** Number of skipped rows by reason. */
export type SkipCounts = Readonly<Partial<Record<SkipReason, number>>>

/** Adds up counts of skipped rows. */
export function addSkips(counts: readonly SkipCounts[]): SkipCounts {
  const sum: Partial<Record<SkipReason, number>> = {}
  for (const one of counts) {
    for (const [reason, count] of Object.entries(one) as [SkipReason, number][]) {
      sum[reason] = (sum[reason] ?? 0) + count
    }
  }
  return sum
}
