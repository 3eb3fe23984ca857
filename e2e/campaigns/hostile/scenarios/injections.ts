import type { Scenario } from '../types.ts'
import { HONEST, THIEF } from '../world.ts'

const category = 'challenge_injection'
const V1 = [
  { client: '@x402/fetch', wire: 'v1' },
  { client: 'x402-fetch', wire: 'v1' },
] as const
const nested = (depth: number): unknown => (depth === 0 ? {} : { next: nested(depth - 1) })
const honest = `"payTo":"${HONEST}"`
const unreadable = 'both clients refuse it too'

/** Challenges that read differently for the guard and for a client, or that are not what they seem. */
export const injections: readonly Scenario[] = [
  {
    category,
    name: 'The receiver is given again under its name in escapes, which a search of the text misses.',
    seller: { write: (json) => json.replaceAll(honest, `${honest},"pay\\u0054o":"${THIEF}"`) },
    code: 'RECEIVER_NOT_CHECKED',
  },
  {
    category,
    name: 'The prototype of each entry is given another receiver.',
    seller: { write: (json) => json.replaceAll(honest, `"__proto__":{"payTo":"${THIEF}"},${honest}`) },
    approved: 1,
    code: null,
    notDrainable: 'JSON sets no prototype',
  },
  {
    category,
    name: 'The receiver stands on the prototype of its entry alone.',
    seller: { write: (json) => json.replaceAll(honest, `"__proto__":{"payTo":"${THIEF}"}`) },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: 'JSON sets no prototype',
  },
  {
    category,
    name: 'The challenge is nested a thousand levels deep, to exhaust what reads it.',
    seller: { terms: [{ payTo: THIEF }], document: { extensions: nested(1000) } },
    code: 'CHALLENGE_MALFORMED',
  },
  {
    category,
    name: 'The challenge hides behind padding that is longer than the guard reads.',
    seller: { terms: [{ payTo: THIEF }], document: { note: 'x'.repeat(300_000) } },
    lanes: V1,
    code: 'CHALLENGE_MALFORMED',
  },
  {
    category,
    name: 'Two challenge headers, one honest, arrive as one.',
    seller: {
      before({ request }, response) {
        if (request.headers['payment-signature'] !== undefined) return false
        const one = (payTo: string) =>
          Buffer.from(JSON.stringify({ x402Version: 2, accepts: [{ payTo }] })).toString('base64')
        response.setHeader('PAYMENT-REQUIRED', [one(HONEST), one(THIEF)])
        return Boolean(response.writeHead(402).end('{}'))
      },
    },
    lanes: [{ client: '@x402/fetch', wire: 'v2' }],
    code: 'CHALLENGE_MALFORMED',
    seatCodes: { hooks: null },
    notDrainable: unreadable,
  },
  {
    category,
    name: 'The version of the challenge is one that does not exist yet.',
    seller: { terms: [{ payTo: THIEF }], document: { x402Version: 3 } },
    code: 'CHALLENGE_MALFORMED',
    seatCodes: { hooks: ['CHALLENGE_MALFORMED', 'URL_UNKNOWN'] },
  },
  {
    category,
    name: 'The list of entries is an object with numbers as names.',
    seller: {
      terms: [{ payTo: THIEF }],
      write: (json) => json.replace(/"accepts":\[(.*)\]/, '"accepts":{"0":$1}'),
    },
    code: 'CHALLENGE_MALFORMED',
    notDrainable: unreadable,
  },
  {
    category,
    name: 'The receiver is a list that reads as the thief once it becomes text.',
    seller: { terms: [{ payTo: [THIEF] }] },
    code: 'CHALLENGE_MALFORMED',
  },
  {
    category,
    name: 'A free answer carries a challenge, so that a careless client pays for what it has.',
    seller: {
      before(_, response) {
        response.setHeader('PAYMENT-REQUIRED', Buffer.from('{"x402Version":2}').toString('base64'))
        return Boolean(response.end('{"weather":"sunny"}'))
      },
    },
    code: null,
    notDrainable: 'both clients read a challenge in a 402 alone',
  },
]
