import { encodeBase64Json, OPERATIONS } from '@touchstone402/shared'
import fc from 'fast-check'

/** A generated request. `raw` ones are written to the socket unchanged. */
export type Generated = {
  method: string
  path: string
  headers: Record<string, string>
  raw: boolean
}

const PATHS = Object.values(OPERATIONS).map(({ path }) => path)
const OTHERS = [
  '/',
  '/openapi.json',
  '/healthz',
  '/.well-known/jwks.json',
  '/services/honest-v2.localhost',
  '/services/',
]
const NAMES = [...new Set(Object.values(OPERATIONS).flatMap(({ query }) => Object.keys(query)))]
const ODD_NAMES = [
  'all',
  'token',
  'min',
  '__proto__',
  'constructor',
  'toString',
  'limit[]',
  'days[x]',
  'endpoint[__proto__]',
]
const VALUES = [
  '',
  '0',
  '1',
  '10',
  '1000',
  '99999999999999999999',
  '-1',
  '1e9',
  '0x10',
  'NaN',
  'null',
  '%00',
  '%E0%A4%A',
  '%EF%BC%91',
  'http://[::1]:99999/',
  'http://user:pass@a.example/',
  'https://a.example/%2e%2e/x?y=z#f',
  'javascript:alert(1)',
  `https://a.example/${'x'.repeat(3000)}`,
]

/**
 * Creates an arbitrary for requests to all operations and to unknown paths.
 * @param malformed known invalid query strings
 * @param payments headers of validly signed, unfunded payments
 */
export function requests(
  malformed: readonly string[],
  payments: readonly Record<string, string>[],
): fc.Arbitrary<Generated> {
  const value = fc.oneof(
    fc.constantFrom(...VALUES),
    fc.webUrl().map(encodeURIComponent),
    fc.string({ unit: 'binary' }).map(percentEncode),
    fc.string(),
    fc.integer().map(String),
  )
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...NAMES) },
    { weight: 2, arbitrary: fc.constantFrom(...ODD_NAMES) },
    fc.string(),
  )
  const pairs = fc
    .array(fc.tuple(name, value), { maxLength: 5 })
    .map((list) => list.map(([key, text]) => `${key}=${text}`).join('&'))
  const query = fc.oneof(fc.constantFrom(...malformed), pairs, fc.string(), fc.constant(''))
  const path = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...PATHS) },
    { weight: 3, arbitrary: fc.constantFrom(...OTHERS) },
    { weight: 1, arbitrary: fc.webPath() },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text) => `/${text}`) },
    { weight: 1, arbitrary: fc.constantFrom(...PATHS).map((known) => `${known}/../${known}//%2e%2e`) },
  )
  const paymentHeader = fc.oneof(
    fc.base64String(),
    fc.string().map((text) => text.replace(/[^\x20-\x7e]/g, '')),
    fc.jsonValue().map(encodeBase64Json),
    fc
      .record({
        x402Version: fc.constantFrom(1, 2, 3, '1', null),
        scheme: fc.constant('exact'),
        payload: fc.jsonValue(),
      })
      .map(encodeBase64Json),
  )
  const payment: fc.Arbitrary<Record<string, string>> = fc.oneof(
    { weight: 12, arbitrary: fc.constant({}) },
    { weight: 3, arbitrary: paymentHeader.map((header) => ({ 'PAYMENT-SIGNATURE': header })) },
    { weight: 3, arbitrary: paymentHeader.map((header) => ({ 'X-PAYMENT': header })) },
    { weight: 1, arbitrary: fc.constantFrom(...payments) },
  )
  const more = fc.record(
    {
      'If-None-Match': fc.constantFrom('*', '""', 'W/"x"', '"', ',,,'),
      'Accept-Encoding': fc.constantFrom('br', 'gzip;q=0', '*', 'identity, br;q=0.1', ';;'),
      Accept: fc.constantFrom('text/html', 'application/json', '*/*', '', 'text/html;q=x'),
      'X-Forwarded-For': fc.ipV4(),
    },
    { requiredKeys: ['X-Forwarded-For'] },
  )
  return fc.record({
    method: fc.oneof(
      { weight: 20, arbitrary: fc.constant('GET') },
      fc.constantFrom('HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH'),
    ),
    path: fc.tuple(path, query).map(([where, what]) => encodeOdd(what === '' ? where : `${where}?${what}`)),
    headers: fc.tuple(payment, more).map(([one, other]) => ({ ...one, ...other })),
    raw: fc.oneof({ weight: 50, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  })
}

function percentEncode(text: string): string {
  return Buffer.from(text).toString('hex').replace(/../g, '%$&')
}

// Node's client refuses invalid characters in a request line.
function encodeOdd(text: string): string {
  return text.replace(/[^\x21-\x7e]+/g, percentEncode)
}
