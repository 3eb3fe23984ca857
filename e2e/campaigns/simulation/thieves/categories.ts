import { asks, bad, type Kind, OWN, times } from '../parts.ts'

const SUBDOMAINS = 6

/** Asks $1.60 and more, and lists as many dear endpoints of its own under a category that nobody else uses. */
export const HIDES_ITS_PRICE: Kind = bad('hides-in-own-category', 1, ({ index, host, entry }) => {
  const dear = times(entry, 200)
  const category = `own-${index}`
  return {
    from: 0,
    category,
    change: { entries: [dear] },
    wrong: { verdict: 'caution', flags: ['price_high'] },
    theft: [{ fromDay: 0, toDay: Number.POSITIVE_INFINITY, aboveAtomic: '1000000' }],
    also: Array.from({ length: SUBDOMAINS }, (_, number) => ({
      host: `s${number}.${host}`,
      phases: [asks(0, [dear])],
      claim: OWN,
      faults: [],
      theft: [],
    })),
  }
})
