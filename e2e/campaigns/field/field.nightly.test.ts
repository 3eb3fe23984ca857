import { encodeBase64Json } from '@touchstone402/shared'
import { describe, expect, test } from 'vitest'
import { checksNoAnswers } from '../../contract/checksNoAnswers.ts'
import { crawlField } from './crawlField.ts'
import { LISTINGS } from './index.ts'
import { findWrongForms, measureListings } from './measure.ts'
import { OFFICIAL_FORMS } from './officialForms.ts'
import { type FieldListing, readListings } from './readListings.ts'

checksNoAnswers('it crawls, and serves no requests')

const all = await readListings(LISTINGS)

describe('field', () => {
  test('default: every eighth listing of a public directory is Safe unless a seller would accept the reason', async () => {
    const some = all.filter((_, index) => index % 8 === 0)
    const figures = measureListings(some, await crawlField(some, [], 1.2))
    const { items, safe, payable, rejectedWithAmount, notSafe } = figures
    expect({ items, rejectedWithAmount }).toEqual({ items: some.length, rejectedWithAmount: 0 })
    expect(safe).toBeGreaterThanOrEqual(0.97 * payable)
    const expected = [
      ['network_testnet', 'unverifiable'],
      ['network_testnet'],
      ['price_high', 'unproven'],
      ['flaky'],
    ]
    for (const { flags } of notSafe) expect(expected).toContainEqual(flags)
  })

  test('behavior: reads every shape of listing, and counts the others by reason', async () => {
    const [row] = all.flatMap((listing) => (listing.row.x402Version === 2 ? [listing.row] : []))
    if (row === undefined) throw new Error('a listing of v2')
    const { resource: _resource, ...rest } = row
    const listing = (resource: string, more: object): FieldListing => ({
      resource,
      row: { ...rest, ...more },
    })
    const url = (path: string) => `https://shapes.example/${path}`
    const accepts = [{ ...Object(Array.isArray(row.accepts) ? row.accepts[0] : {}), amount: 10_000 }]
    const { maxTimeoutSeconds: _seconds, ...untimed } = accepts[0]
    const shapes = [
      listing(url('object'), { resource: { url: url('object'), tags: ['data'] } }),
      listing(url('url'), { url: url('url') }),
      listing(url('number'), { resource: url('number'), accepts }),
      listing(url('untimed'), { resource: url('untimed'), accepts: [untimed] }),
      listing('monopoly://board/go', { resource: 'monopoly://board/go' }),
      listing(url('empty'), { resource: url('empty'), accepts: [] }),
      listing('', {}),
    ]
    const figures = measureListings(shapes, await crawlField(shapes, [], 0.2))
    expect(figures).toMatchObject({ items: 7, decoded: 4, safe: 4, rejected: 3, notSafe: [] })
    expect(figures.byReason).toEqual({ not_http: 1, no_offers: 1, malformed: 1 })
  })

  test('behavior: every fourth official form of the protocol gets its right verdict', async () => {
    const some = OFFICIAL_FORMS.filter((_, index) => index % 4 === 0)
    expect(findWrongForms(some, await crawlField([], some, 1.2))).toEqual([])
    expect(OFFICIAL_FORMS.length).toBeGreaterThanOrEqual(200)
  })

  test('behavior: a form with a wrong verdict is found', async () => {
    const document = { x402Version: 2, resource: { url: '/paid' }, accepts: [] }
    const headers = { 'PAYMENT-REQUIRED': encodeBase64Json(document) }
    const challenge = { status: 402 as const, headers, body: {} }
    const form = { name: 'no offers', source: 'none', right: ['safe' as const], challenge }
    const crawled = await crawlField([], [form], 0.2)
    expect(findWrongForms([form], crawled)).toMatchObject([{ resource: 'no offers', verdict: 'avoid' }])
  })
})
