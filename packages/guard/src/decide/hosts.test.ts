import { canonicalizeUrl } from '@touchstone402/shared'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { outcome, run } from '../testing/decisions.ts'
import { hostTerms, isInGroup } from './hosts.ts'
import { type PolicyInput, parsePolicy } from './policySchema.ts'

const termsOf = (hosts: PolicyInput['hosts'], url: string) =>
  hostTerms(parsePolicy(hosts === undefined ? {} : { hosts }), canonicalizeUrl(url))

describe('hostTerms', () => {
  const ENTRIES = {
    '*.example.com': { maxPerPaymentUsd: '1' },
    '*.api.example.com': { maxPerPaymentUsd: '2' },
    'eu.api.example.com': { maxPerPaymentUsd: '3' },
    'eu.api.example.com:8443': { maxPerPaymentUsd: '4' },
  }

  test.each([
    ['https://a.example.com/x', '1'],
    ['https://us.api.example.com/x', '2'],
    ['https://eu.api.example.com/x', '3'],
    ['https://eu.api.example.com:9000/x', '3'],
    ['https://eu.api.example.com:8443/x', '4'],
    ['https://example.com/x', '1.00'],
    ['https://badexample.com/x', '1.00'],
  ])('default: the narrowest entry that covers %s allows $%s', (url, maxPerPaymentUsd) => {
    expect(termsOf(ENTRIES, url)).toMatchObject({ maxPerPaymentUsd })
  })

  test('behavior: an entry counts its own hosts, without those of narrower entries', () => {
    const { group } = termsOf(ENTRIES, 'https://us.api.example.com/x')
    expect(group).toEqual({
      entry: '*.api.example.com',
      except: ['eu.api.example.com', 'eu.api.example.com:8443'],
    })
    const hosts = [
      'us.api.example.com',
      'us.api.example.com:8080',
      'eu.api.example.com:9000',
      'a.example.com',
    ]
    expect(hosts.map((host) => group && isInGroup(group, host))).toEqual([true, true, false, false])
  })

  test('behavior: what an entry leaves out is the general limit', () => {
    expect(termsOf({ 'a.example': {} }, 'https://a.example/x')).toEqual({
      group: { entry: 'a.example', except: [] },
      maxPerPaymentUsd: '1.00',
      maxPerDayUsd: '1.00',
      askAboveUsd: null,
      priceFactor: 3,
      furtherCallUsd: '0.10',
    })
  })

  const NAMES = ['example.com', 'a.example.com', 'b.a.example.com', 'other.example', '[::1]', '127.0.0.1']
  const PLACES = NAMES.flatMap((name) => [name, `${name}:80`, `${name}:8443`])
  const ANY = ['*.example.com', '*.a.example.com', ...PLACES]

  test('behavior: whatever entries overlap, a host counts in the sum of its own entry, and in no wider one', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(...ANY), { minLength: 1 }),
        fc.constantFrom(...PLACES),
        fc.constantFrom('http', 'https'),
        (entries, place, scheme) => {
          const hosts = Object.fromEntries(entries.map((entry) => [entry, {}]))
          const url = canonicalizeUrl(`${scheme}://${place}/x`)
          const own = termsOf(hosts, url.key).group
          if (own === null) return
          expect(isInGroup(own, url.host)).toBe(true)
          const byScheme = ['http', 'https'].map(
            (one) => termsOf(hosts, `${one}://${url.host}/x`).group?.entry,
          )
          for (const entry of entries) {
            const one = entry.replace('*', 'never')
            const { group } = termsOf(hosts, `https://${one}/x`)
            if (group === null || byScheme.includes(group.entry)) continue
            expect(isInGroup(group, url.host)).toBe(false)
          }
        },
      ),
    )
  })

  test.each([
    'A.example',
    'https://a.example',
    '*',
    'a.example/x',
    '*.127.0.0.1',
    '*.[::1]',
    '*.a.example:80',
  ])('error: refuses the host %s', (host) => {
    expect(() => parsePolicy({ hosts: { [host]: {} } })).toThrow(
      /policy\.hosts: expected a lower-case host .*, not "/,
    )
  })

  test('error: names the field of an entry that is not right', () => {
    const policy = { hosts: { 'a.example': { maxPerDayUsd: 2, maxUsd: '1', priceFactor: 0 } } }
    expect(() => parsePolicy(policy)).toThrow(
      'policy.hosts.a.example.maxUsd: unknown field; nearest: maxPerDayUsd; policy.hosts.a.example.maxPerDayUsd: expected dollars as a decimal string such as "0.50", not 2; policy.hosts.a.example.priceFactor: expected a whole number from 1 to 1000',
    )
  })
})

describe('a host with limits of its own', () => {
  const HOST = 'api.example.com'
  /** Decides without a service on an offer of $0.50. */
  const at = (policy: PolicyInput, view = {}, amount = '500000') =>
    outcome(run({ policy, state: null, view, offers: [{ amount }] }))

  test('default: is no new seller, and may cost what its entry says', () => {
    expect(at({})).toBe('block OVER_NEW_SELLER_LIMIT')
    expect(at({ hosts: { [HOST]: {} } })).toBe('allow 500000')
    expect(at({ hosts: { [HOST]: { maxPerPaymentUsd: '2.00' } } }, {}, '1500000')).toBe(
      'block OVER_HOST_DAY_LIMIT',
    )
    const raised = { maxPerPaymentUsd: '2.00', maxPerDayUsd: '2.00' }
    expect(at({ hosts: { [HOST]: raised } }, {}, '1500000')).toBe('allow 1500000')
  })

  test('behavior: an entry lowers limits too', () => {
    expect(at({ hosts: { [HOST]: { maxPerPaymentUsd: '0.40' } } })).toBe('block OVER_PAYMENT_LIMIT')
    expect(at({ hosts: { [HOST]: { maxPerDayUsd: '0.40' } } })).toBe('block OVER_HOST_DAY_LIMIT')
  })

  test('behavior: the day, the receiver, the total, and denied hosts and receivers hold as before', () => {
    const hosts = { [HOST]: { maxPerPaymentUsd: '9', maxPerDayUsd: '9' } }
    expect(at({ hosts, maxPerDayUsd: '0.40' })).toBe('block OVER_DAY_LIMIT')
    expect(at({ hosts, maxPerReceiverPerDayUsd: '0.40' })).toBe('block OVER_RECEIVER_DAY_LIMIT')
    expect(at({ hosts, maxTotalUsd: '0.40' })).toBe('block OVER_TOTAL_LIMIT')
    expect(at({ hosts, denyHosts: [HOST] })).toBe('block HOST_NOT_ALLOWED')
    expect(at({ hosts, block: ['unknown'] })).toBe('block VERDICT_UNKNOWN')
  })

  test('behavior: an entry denies no other host', () => {
    expect(at({ hosts: { 'other.example': {} } }, {}, '10000')).toBe('allow 10000')
  })

  test('behavior: its price factor and the amount to ask above hold in place of the general ones', () => {
    const view = { deliveries: 9, usual: { usdMicros: 100_000n, at: null } }
    const priced = (limits: object) => at({ hosts: { [HOST]: limits } }, view)
    expect(priced({})).toBe('ask PRICE_NOT_USUAL')
    expect(priced({ priceFactor: 5 })).toBe('allow 500000')
    expect(priced({ priceFactor: 5, askAboveUsd: '0.40' })).toBe('ask OVER_ASK_LIMIT')
    expect(at({ askAboveUsd: '0.40', hosts: { [HOST]: { askAboveUsd: '0.50' } } })).toBe('allow 500000')
  })
})

describe('an amount that a person decides about', () => {
  const at = (amount: string, policy: PolicyInput = {}) =>
    outcome(run({ policy: { askAboveUsd: '0.05', ...policy }, state: null, offers: [{ amount }] }))

  test('default: is asked about between askAboveUsd and maxPerPaymentUsd', () => {
    expect(['50000', '50001', '1000000', '1000001'].map((amount) => at(amount))).toEqual([
      'allow 50000',
      'ask OVER_ASK_LIMIT',
      'ask OVER_ASK_LIMIT',
      'block OVER_PAYMENT_LIMIT',
    ])
  })

  test('behavior: a yes lifts the limits of a new seller alone, so other limits refuse unasked', () => {
    expect(at('500000', { maxPerDayUsd: '0.40' })).toBe('block OVER_DAY_LIMIT')
    expect(at('500000', { maxPerHostPerDayUsd: '0.40' })).toBe('block OVER_HOST_DAY_LIMIT')
  })
})
