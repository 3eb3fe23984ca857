import { crawlField } from './crawlField.ts'
import { findWrongForms, measureListings } from './measure.ts'
import { OFFICIAL_FORMS } from './officialForms.ts'
import { readListings } from './readListings.ts'

/** The listings that the campaign reads by default. */
export const LISTINGS = new URL('../../fixtures/field/bazaar-listings.ndjson', import.meta.url)
const MIN_SAFE_SHARE = 0.97
const MIN_FORMS = 200
const DAYS = 3
const SHORT_DAYS = 1.5

/**
 * Listings of the field and every official or foreign form get the verdict that they deserve.
 *
 * Serves the listings of a public directory as their sellers would, and every form of payment that a public source
 * names, and crawls them over simulated days.
 *
 * The bars: every listing is decoded but those without an amount, at least 200 forms get their right verdict, and
 * 97 % of the payable listings are `safe`.
 * @param file listings to read. @default 391 listings of March 2026, from a public directory, with hosts renamed
 */
export async function run({
  short,
  file,
}: {
  short: boolean
  file?: string
}): Promise<{ ok: boolean; figures: Record<string, unknown> }> {
  const listings = await readListings(file ?? LISTINGS)
  const crawled = await crawlField(listings, OFFICIAL_FORMS, short ? SHORT_DAYS : DAYS)
  const { notSafe, ...figures } = measureListings(listings, crawled)
  const officialWrong = findWrongForms(OFFICIAL_FORMS, crawled)
  const officialAvoid = officialWrong.filter(({ verdict }) => verdict === 'avoid').length
  const ok =
    OFFICIAL_FORMS.length >= MIN_FORMS &&
    officialWrong.length === 0 &&
    figures.safe >= MIN_SAFE_SHARE * figures.payable &&
    figures.rejectedWithAmount === 0
  return {
    ok,
    figures: { ...figures, official: OFFICIAL_FORMS.length, officialAvoid, officialWrong, notSafe },
  }
}
