import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeBase64Json, encodeBase64Json } from './base64Json.ts'
import { ATOMIC_PATTERN } from './money.ts'
import { decodeChallenge } from './x402.ts'

const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const OTHER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const v2 = (change: Record<string, unknown> = {}) => ({
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '10000',
  asset: USDC,
  payTo: PAY_TO,
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
  ...change,
})
const v1 = ({ amount = '10000', ...change }: Record<string, unknown> = {}) => {
  const { amount: _, ...rest } = v2()
  return { ...rest, network: 'base', maxAmountRequired: amount, resource: 'https://a.example/x', ...change }
}
const header = (accepts: unknown, rest = {}) => encodeBase64Json({ x402Version: 2, accepts, ...rest })
const body = (accepts: unknown, rest = {}) => JSON.stringify({ x402Version: 1, accepts, ...rest })

describe('decodeChallenge', () => {
  test('default: decodes a v2 header and a v1 body with the same terms', () => {
    const challenge = decodeChallenge({
      header: header([v2()], { resource: { url: 'https://a.example/x' } }),
      body: body([v1()]),
    })
    expect(challenge).toMatchObject({
      versions: [1, 2],
      resource: 'https://a.example/x',
      problems: [],
      disagreements: [],
      authenticate: null,
    })
    expect(
      challenge.offers.map(({ source, network, amountAtomic }) => [source, network, amountAtomic]),
    ).toEqual([
      ['header', 'eip155:8453', '10000'],
      ['body', 'eip155:8453', '10000'],
    ])
  })

  test('behavior: reports entries of one asset that name different receivers or amounts', () => {
    const { disagreements } = decodeChallenge({
      header: header([v2()]),
      body: body([v1({ payTo: OTHER, amount: '20000' })]),
    })
    expect(disagreements).toMatchObject([
      { field: 'payTo', values: [PAY_TO.toLowerCase(), OTHER.toLowerCase()] },
      { field: 'amount', values: ['10000', '20000'] },
    ])
  })

  test.each([
    ['a sample of v2', { info: { input: {}, output: {} } }, undefined, [true, true]],
    ['a schema of v2', { schema: { properties: { output: {} } } }, undefined, [false, true]],
    ['v1', undefined, { input: {}, output: {} }, [true, true]],
    ['v1 without an output', undefined, { input: {}, output: null }, [true, false]],
    ['words', { info: { input: 'q', output: 'text' } }, 'json', [false, false]],
  ])('behavior: recognises declared input and output: %s', (_, bazaar, outputSchema, expected) => {
    const { declaresInput, declaresOutput } = decodeChallenge({
      header: encodeBase64Json({ x402Version: 2, accepts: [v2()], extensions: { bazaar } }),
      body: body([{ ...v1(), outputSchema }]),
    })
    expect([declaresInput, declaresOutput]).toEqual(expected)
  })

  test('behavior: amounts for one receiver are tiers, unless v1 and v2 differ in the highest', () => {
    const tiers = [v2(), v2({ amount: '20000' }), v2({ amount: '0' })]
    const read = (amount: string) =>
      decodeChallenge({ header: header(tiers), body: body([v1({ amount })]) }).disagreements
    expect(read('20000')).toEqual([])
    expect(read('10000')).toMatchObject([{ field: 'amount', values: ['20000', '10000'] }])
  })

  test('behavior: reports a challenge where stock clients do not look', () => {
    const v1Header = encodeBase64Json({ x402Version: 1, accepts: [v1()] })
    const v2Body = JSON.stringify({ x402Version: 2, accepts: [v2()] })
    for (const [response, version, source] of [
      [{ header: v1Header, body: null }, 1, 'header'],
      [{ header: null, body: v2Body }, 2, 'body'],
    ] as const) {
      const { offers, problems } = decodeChallenge(response)
      expect(offers).toMatchObject([{ x402Version: version, source, payTo: PAY_TO }])
      expect(problems).toEqual([{ code: 'challenge_misplaced', source }])
    }
    // One offer in the right place is enough.
    expect(decodeChallenge({ header: header([v2()]), body: v2Body }).problems).toEqual([])
    expect(decodeChallenge({ header: v1Header, body: body([v1()]) }).problems).toEqual([])
  })

  test('behavior: two assets, or one receiver in different case, are not a disagreement', () => {
    const entries = [v2(), v2({ payTo: PAY_TO.toLowerCase() }), v2({ asset: OTHER, payTo: OTHER })]
    expect(decodeChallenge({ header: header(entries), body: null }).disagreements).toEqual([])
  })

  test('behavior: a v2 body that names another receiver or amount than the v2 header is a disagreement', () => {
    const both = (change: Record<string, unknown>) =>
      decodeChallenge({ header: header([v2()]), body: body([v2(change)], { x402Version: 2 }) }).disagreements
    expect(both({})).toEqual([])
    expect(both({ payTo: OTHER })).toMatchObject([
      { field: 'payTo', values: [PAY_TO, OTHER].map((one) => one.toLowerCase()) },
    ])
    expect(both({ amount: '900000' })).toMatchObject([{ field: 'amount', values: [v2().amount, '900000'] }])
    // Tiers in one place are compared by their highest with another place.
    const tiers = [v2(), v2({ amount: '900000' })]
    const compare = (entries: object[]) =>
      decodeChallenge({ header: header(tiers), body: body(entries, { x402Version: 2 }) }).disagreements
    expect(compare(tiers)).toEqual([])
    expect(compare([v2()])).toHaveLength(1)
  })

  test('behavior: reports and skips a malformed entry, and keeps the others', () => {
    const { offers, problems } = decodeChallenge({ header: header([{ scheme: 1 }, v2()]), body: null })
    expect(offers).toHaveLength(1)
    expect(problems).toEqual([{ code: 'entry_malformed', source: 'header', index: 0, field: 'network' }])
  })

  test.each([
    ['a network that no table names', v2({ network: 'eip155:987654321' })],
    ['the id of Algorand', v2({ network: 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=' })],
    [
      'a party of Canton',
      v2({ network: 'canton:mainnet', asset: 'CC', payTo: `shop::1220${'a'.repeat(64)}` }),
    ],
    ['an account of NEAR', v2({ network: 'near:mainnet', asset: 'usdc.near', payTo: 'data_shop-1.near' })],
    ['a type of Sui', v2({ network: 'sui:mainnet', asset: '0xdba::usdc::USDC', payTo: '0x1eb' })],
    ['a scheme in capitals', v2({ scheme: 'authCapture' })],
    ['the upto scheme', v2({ scheme: 'upto' })],
  ])('behavior: decodes %s', (_, entry) => {
    const { offers, problems } = decodeChallenge({ header: header([entry]), body: null })
    expect(problems).toEqual([])
    const { network, asset, payTo, scheme } = entry
    expect(offers).toMatchObject([{ network, asset, payTo, scheme }])
  })

  test('behavior: decodes a v1 name that no table has', () => {
    const { offers } = decodeChallenge({ header: null, body: body([v1({ network: 'xlayer' })]) })
    expect(offers).toMatchObject([{ network: 'xlayer', x402Version: 1 }])
  })

  test('behavior: a decimal amount is unsupported on the XRP Ledger, malformed elsewhere', () => {
    const entry = v2({
      network: 'xrpl:0',
      asset: 'USD',
      payTo: 'rN7n3473SaZBCG4dFL83w7a1RXtXtbk2D9',
      amount: '0.01',
    })
    const { offers, problems } = decodeChallenge({ header: header([entry]), body: null })
    expect(offers).toEqual([])
    expect(problems).toEqual([{ code: 'entry_unsupported', source: 'header', index: 0 }])
  })

  test.each([
    ['a number as amount', { amount: 10000 }, 'entry_malformed', 'amount'],
    ['a fractional amount', { amount: '1.5' }, 'entry_malformed', 'amount'],
    ['an amount in hex', { amount: '0x10' }, 'entry_malformed', 'amount'],
    ['an amount that overflows', { amount: '9'.repeat(79) }, 'entry_malformed', 'amount'],
    ['a timeout in words', { maxTimeoutSeconds: '60' }, 'entry_malformed', 'maxTimeoutSeconds'],
    ['a negative timeout', { maxTimeoutSeconds: -1 }, 'entry_malformed', 'maxTimeoutSeconds'],
    ['a null timeout', { maxTimeoutSeconds: null }, 'entry_malformed', 'maxTimeoutSeconds'],
    ['a v1 name in v2', { network: 'base' }, 'network_unknown'],
    ['an id with a long namespace', { network: 'cloudflare-402:main' }, 'network_unknown'],
    ['an id that is a sentence', { network: 'Base Mainnet!' }, 'network_unknown'],
    [
      'an id that no table has and no timeout',
      { network: 'cloudflare:402', maxTimeoutSeconds: undefined },
      'network_unknown',
    ],
    ['a network that is an object', { network: {} }, 'entry_malformed', 'network'],
    ['an empty network', { network: '' }, 'entry_malformed', 'network'],
    ['a network of 129 characters', { network: 'a'.repeat(129) }, 'entry_malformed', 'network'],
    ['a scheme that no specification has yet', { scheme: 'deferred', asset: undefined }, 'entry_unsupported'],
    ['the word for a native coin', { asset: 'native' }, 'entry_unsupported'],
    ['the symbol of a native coin', { asset: 'ETH' }, 'entry_unsupported'],
    ['a short receiver', { payTo: '0x1234' }, 'payto_malformed', 'payTo'],
    ['a receiver list', { payTo: [PAY_TO] }, 'payto_malformed', 'payTo'],
    ['an asset by name', { asset: 'USDC' }, 'asset_malformed', 'asset'],
    ['a space in an account', { network: 'near:mainnet', payTo: 'a b' }, 'payto_malformed', 'payTo'],
    ['markup in an account', { network: 'near:mainnet', payTo: '<b>' }, 'payto_malformed', 'payTo'],
    ['extra that is text', { extra: 'USD Coin' }, 'entry_malformed', 'extra'],
  ])('error: rejects an offer with %s', (_, change, code, field?: string) => {
    const { offers, problems } = decodeChallenge({ header: header([v2(change)]), body: null })
    expect(offers).toEqual([])
    expect(problems).toEqual([{ code, source: 'header', index: 0, field }])
  })

  test.each([
    ['a header that is not base64', { header: '{}', body: null }, 'header_not_base64_json'],
    ['a header that is not JSON', { header: btoa('x402'), body: null }, 'header_not_base64_json'],
    ['a header that is too large', { header: 'A'.repeat(65_537), body: null }, 'header_too_large'],
    ['a body that is too large', { header: null, body: ' '.repeat(262_145) }, 'body_too_large'],
    ['a challenge of version 3', { header: null, body: body([v1()], { x402Version: 3 }) }, 'version_unknown'],
    ['an empty list of entries', { header: header([]), body: null }, 'accepts_missing'],
    ['entries that are not a list', { header: header({ 0: v2() }), body: null }, 'accepts_missing'],
    ['too many entries', { header: header(Array(65).fill(v2())), body: null }, 'accepts_too_many'],
  ])('error: finds no offers in %s', (_, response, code) => {
    const { offers, problems } = decodeChallenge(response)
    expect(offers).toEqual([])
    expect(problems.map((problem) => problem.code)).toEqual([code])
  })

  test('behavior: never throws on any input, and every offer is well-formed', () => {
    const fields = Object.keys({ ...v2(), ...v1() })
    const mutant = fc
      .tuple(fc.constantFrom(v1(), v2()), fc.constantFrom(...fields), fc.anything(), fc.boolean())
      .map(([honest, field, value, isHonest]) => (isHonest ? honest : { ...honest, [field]: value }))
    // Mostly what is close to a challenge; other input is refused early.
    const mostly = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 4, arbitrary }, fc.anything())
    const entry = mostly(mutant)
    const fieldsOf = {
      x402Version: mostly(fc.constantFrom(1, 2)),
      accepts: mostly(fc.array(entry, { maxLength: 5 })),
      resource: mostly(fc.constant({ url: 'https://a.example/' })),
      extensions: fc.anything(),
    }
    const document = fc.oneof(fc.record(fieldsOf), fc.record(fieldsOf, { requiredKeys: [] }))
    const json = fc
      .oneof({ weight: 4, arbitrary: document }, fc.jsonValue(), entry)
      .map((value) => stringify(value))
    const text = fc.oneof({ weight: 4, arbitrary: json }, fc.string())
    const encoded = fc.oneof(
      { weight: 4, arbitrary: json.map((value) => btoa(unescape(encodeURIComponent(value)))) },
      fc.string(),
    )
    let found = 0
    fc.assert(
      fc.property(fc.option(encoded), fc.option(text), (headerText, bodyText) => {
        const challenge = decodeChallenge({ header: headerText, body: bodyText })
        found += challenge.offers.length
        for (const offer of challenge.offers) {
          expect(offer.amountAtomic).toMatch(ATOMIC_PATTERN)
          expect(offer.maxTimeoutSeconds).toBeGreaterThan(0)
          expect(typeof offer.payTo).toBe('string')
          if (offer.network.startsWith('eip155:')) expect(offer.payTo).toMatch(/^0x[0-9a-fA-F]{40}$/)
        }
        expect(challenge.resource === null || typeof challenge.resource === 'string').toBe(true)
      }),
    )
    expect(found).toBeGreaterThan(0)
  })
})

describe('encodeBase64Json', () => {
  test('default: decodeBase64Json reverses it, for any Unicode text', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (value) => {
        const plain = JSON.parse(JSON.stringify(value))
        expect(decodeBase64Json(encodeBase64Json(value))).toEqual(plain)
      }),
    )
  })

  test('error: returns undefined for anything but a JSON object', () => {
    for (const text of ['', '!', btoa('[]'), btoa('null'), btoa('1'), btoa('{'), '/w==', 'e30 ']) {
      expect(decodeBase64Json(text)).toBeUndefined()
    }
  })
})

function stringify(value: unknown): string {
  try {
    return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? ''
  } catch {
    return ''
  }
}
