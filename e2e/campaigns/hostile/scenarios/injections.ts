import { attack, type Scenario, V1, V2 } from '../situations.ts'
import { HONEST, THIEF } from '../world.ts'

const inject = attack('challenge_injection')

const nested = (depth: number): unknown => (depth === 0 ? {} : { next: nested(depth - 1) })
const honest = `"payTo":"${HONEST}"`
const unreadable = 'both clients refuse it too'

/** Challenges that read differently for the guard and for a client, or that are not what they seem. */
export const injections: readonly Scenario[] = [
  inject(
    'The receiver is given again under its name in escapes, which a search of the text misses.',
    'RECEIVER_NOT_CHECKED',
    { write: (json) => json.replaceAll(honest, `${honest},"pay\\u0054o":"${THIEF}"`) },
  ),
  inject('The prototype of each entry is given another receiver.', null, {
    write: (json) => json.replaceAll(honest, `"__proto__":{"payTo":"${THIEF}"},${honest}`),
    approved: 1,
    notDrainable: 'JSON sets no prototype',
  }),
  inject('The receiver stands on the prototype of its entry alone.', 'CHALLENGE_MALFORMED', {
    write: (json) => json.replaceAll(honest, `"__proto__":{"payTo":"${THIEF}"}`),
    notDrainable: 'JSON sets no prototype',
  }),
  inject('The challenge is nested a thousand levels deep, to exhaust what reads it.', 'CHALLENGE_MALFORMED', {
    payTo: THIEF,
    document: { extensions: nested(1000) },
  }),
  inject('The challenge hides behind padding that is longer than the guard reads.', 'CHALLENGE_MALFORMED', {
    payTo: THIEF,
    document: { note: 'x'.repeat(300_000) },
    lanes: V1,
  }),
  inject('Two challenge headers, one honest, arrive as one.', 'CHALLENGE_MALFORMED', {
    before({ request }, response) {
      if (request.headers['payment-signature'] !== undefined) return false
      const one = (payTo: string) =>
        Buffer.from(JSON.stringify({ x402Version: 2, accepts: [{ payTo }] })).toString('base64')
      response.setHeader('PAYMENT-REQUIRED', [one(HONEST), one(THIEF)])
      return Boolean(response.writeHead(402).end('{}'))
    },
    lanes: V2,
    notDrainable: unreadable,
  }),
  inject('The version of the challenge is one that does not exist yet.', 'CHALLENGE_MALFORMED', {
    payTo: THIEF,
    document: { x402Version: 3 },
  }),
  inject('The list of entries is an object with numbers as names.', 'CHALLENGE_MALFORMED', {
    payTo: THIEF,
    write: (json) => json.replace(/"accepts":\[(.*)\]/, '"accepts":{"0":$1}'),
    notDrainable: unreadable,
  }),
  inject('The receiver is a list that reads as the thief once it becomes text.', 'CHALLENGE_MALFORMED', {
    payTo: [THIEF],
  }),
  inject('A free answer carries a challenge, so that a careless client pays for what it has.', null, {
    before(_, response) {
      response.setHeader('PAYMENT-REQUIRED', Buffer.from('{"x402Version":2}').toString('base64'))
      return Boolean(response.end('{"weather":"sunny"}'))
    },
    notDrainable: 'both clients read a challenge in a 402 alone',
  }),
]
