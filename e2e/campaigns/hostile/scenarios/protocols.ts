import { USDC } from '@touchstone402/economy'
import { encodeBase64Json, writeChallenge } from '@touchstone402/shared'
import { approves, attack, eachNew, type Scenario } from '../situations.ts'
import { HONEST, THIEF } from '../world.ts'

const protocol = attack('protocol_switch')
const DEAR = '90000'
const MINUTES = 300_000

type Charge = {
  payTo?: string
  amount?: string
  details?: object
  lifeMs?: number
  header?: string
  id?: string
}

/** Writes an MPP charge by the method `evm`. Omitted parts are honest. */
export function chargeOf({
  payTo = HONEST,
  amount = '10000',
  details,
  lifeMs = MINUTES,
  header,
  id = 'a',
}: Charge) {
  const methodDetails = { chainId: 8453, credentialTypes: ['authorization'], decimals: 6, ...details }
  return writeChallenge({
    id: `${id}${Date.now()}`,
    realm: 'api.localhost',
    method: 'evm',
    intent: 'charge',
    request: encodeBase64Json({ amount, currency: USDC, recipient: payTo, methodDetails }),
    expires: new Date(Date.now() + lifeMs).toISOString(),
    ...(header !== undefined && { header }),
  })
}

/** The MPP client, with x402 beside MPP. */
const BESIDE = { lanes: [{ client: 'mppx', wire: 'v2' }] } as const
/** The MPP client, with MPP alone. */
export const ALONE = { lanes: [{ client: 'mppx', wire: 'none' }] } as const

/** A second protocol in the same 402, or another in its place. */
export const protocols: readonly Scenario[] = [
  protocol('An MPP challenge to the thief stands beside the listed offer.', 'RECEIVERS_CONFLICT', {
    ...BESIDE,
    authenticate: () => chargeOf({ payTo: THIEF, amount: DEAR }),
  }),
  protocol('An MPP challenge for nine times the price stands beside the listed offer.', null, {
    ...BESIDE,
    authenticate: () => chargeOf({ amount: DEAR }),
    approved: 1,
  }),
  protocol('The seller asks by MPP alone, and names the thief.', 'RECEIVER_NOT_CHECKED', {
    ...ALONE,
    authenticate: () => chargeOf({ payTo: THIEF }),
  }),
  protocol('The seller asks by MPP alone, for nine times the price.', 'PRICE_ABOVE_CHECKED', {
    ...ALONE,
    authenticate: () => chargeOf({ amount: DEAR }),
  }),
  protocol('An MPP challenge is to hold for a day.', 'AUTHORIZATION_TOO_LONG', {
    ...ALONE,
    authenticate: () => chargeOf({ lifeMs: 86_400_000 }),
  }),
  protocol('Of two MPP challenges in one header the first names the thief.', 'RECEIVERS_CONFLICT', {
    ...ALONE,
    authenticate: () => `${chargeOf({ payTo: THIEF, amount: DEAR })}, ${chargeOf({ id: 'b' })}`,
  }),
  protocol(
    'An MPP challenge to the thief hides behind another scheme and a quoted comma.',
    'RECEIVER_NOT_CHECKED',
    {
      ...ALONE,
      authenticate: () => `Basic realm="a, \\"Payment\\"", ${chargeOf({ payTo: THIEF })}`,
    },
  ),
  protocol('An MPP challenge wants its credential in its own header.', 'RECEIVER_NOT_CHECKED', {
    ...ALONE,
    authenticate: () => chargeOf({ payTo: THIEF, header: 'X-Credential' }),
  }),
  protocol('An MPP challenge splits the amount between the seller and the thief.', 'PROTOCOL_NOT_SUPPORTED', {
    ...ALONE,
    authenticate: () => chargeOf({ details: { splits: [{ amount: '9000', recipient: THIEF }] } }),
    notDrainable: 'the client signs no splits',
  }),
  protocol(
    'The receiver of the MPP challenge changes once the first payment has built trust.',
    'RECEIVER_NOT_CHECKED',
    {
      ...ALONE,
      authenticate: ({ challenges }) => chargeOf(challenges === 0 ? {} : { payTo: THIEF }),
      url: eachNew,
      ...approves(1, 2),
    },
  ),
  protocol('The seller asks again by MPP, for more, after it was paid.', 'OFFER_CHANGED', {
    ...ALONE,
    authenticate: () => chargeOf({}),
    onPaid: (_, response) =>
      response.writeHead(402, { 'WWW-Authenticate': chargeOf({ payTo: THIEF, amount: DEAR }) }).end(),
    approved: 1,
  }),
]
