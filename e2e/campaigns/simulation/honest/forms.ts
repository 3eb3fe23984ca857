import { LAX } from '../lax.ts'
import { honest, type Kind } from '../parts.ts'
import { MAXIMA, UNPRICED } from '../thieves/decoys.ts'
import { bodyOf, HIDES } from '../thieves/hidden.ts'
import type { Written } from '../world/types.ts'

const SPELLINGS = Object.keys(LAX)
const UNREAD = [
  'terms_unreadable',
  'payment_unsupported',
  'unpayable_by_stock',
  'unverifiable',
  'price_unknown',
]

/** Honest hosts whose challenges only lenient clients read, and hosts with further offers of their own. */
export const HONEST_FORMS: readonly Kind[] = [
  // Their only entry, in a spelling that some stock client signs.
  honest('lax-spelling', SPELLINGS.length, ({ index }) => {
    const spell = LAX[SPELLINGS[index % SPELLINGS.length] ?? ''] ?? ((one: Written) => one)
    return { wire: 'v2', phase: { writes: (accepts) => accepts.map(spell) }, knownFlags: UNREAD }
  }),
  // The same entry in a spelling that strict decoders skip, in front of the usual one.
  honest('lax-beside', SPELLINGS.length, ({ index }) => {
    const spell = LAX[SPELLINGS[index % SPELLINGS.length] ?? ''] ?? ((one: Written) => one)
    return {
      wire: 'v2',
      phase: { writes: (accepts) => [...accepts.map(spell), ...accepts] },
      knownFlags: UNREAD,
    }
  }),
  // A body for the same receiver under two codings; or one that is too long or under a coding that we lack, which cannot
  // be told from a thief's.
  honest('body-hard-to-read', HIDES.length, ({ index, host, entry }) => {
    const hard = HIDES[index % HIDES.length]?.(bodyOf(host, entry))
    const isHidden = index % 2 === 0
    return {
      isCautionByRule: isHidden,
      wire: 'v2',
      phase: {
        sends: (answer) => ({ ...answer, ...hard, headers: { ...answer.headers, ...hard?.headers } }),
      },
      knownFlags: isHidden ? [...UNREAD, 'terms_hidden'] : UNREAD,
    }
  }),
  // A page for people beside the header, longer than the prober reads.
  honest('long-page', 2, () => ({
    wire: 'v2',
    phase: {
      sends: (answer) => ({
        ...answer,
        headers: { ...answer.headers, 'content-type': 'text/html' },
        body: `<!doctype html><title>Payment required</title>${'<p>Pay</p>'.repeat(30_000)}`,
      }),
    },
    knownFlags: UNREAD,
  })),
  // A price that cannot be compared, to the same receiver.
  honest('unpriced-beside', 4, ({ index, entry }) => {
    const other = UNPRICED[index % UNPRICED.length]?.(entry) ?? entry
    return {
      wire: 'v2',
      phase: { entries: index < 2 ? [other, entry] : [entry, other] },
      knownFlags: ['price_unknown', 'payment_unsupported', 'unverifiable'],
    }
  }),
  // At most twice what a call usually costs.
  honest('modest-maximum', 3, ({ index, entry }) => {
    const most = `${2 * Number(entry.amountAtomic)}`
    return {
      wire: 'v2',
      phase: { entries: [MAXIMA[index % MAXIMA.length]?.(entry, most) ?? entry, entry] },
      knownFlags: ['payment_unsupported', 'unverifiable', 'price_drift'],
    }
  }),
]
