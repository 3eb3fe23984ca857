import { termOf } from '../../support/signingService.ts'
import { OFFICIAL_FORMS } from '../field/officialForms.ts'
import type { Control } from './situations.ts'
import { HONEST } from './world.ts'

/** Forms from the field that hold an entry which the guard pays, and the price of that entry if it is not a cent. */
const PAYABLE: Readonly<Record<string, bigint>> = {
  'exact, EIP-3009, default method': 10_000n,
  'exact, EIP-3009, in a v1 body': 10_000n,
  'exact, EIP-3009, in both': 10_000n,
  'exact, EIP-3009, stated method and flow': 10_000n,
  'exact, Permit2 beside EIP-3009': 10_000n,
  'upto beside exact': 20_000n,
  'Circle Gateway beside exact': 10_000n,
  'MPP challenge beside x402': 10_000n,
  'MPP challenge beside a v1 body': 10_000n,
  'L402 challenge beside x402': 10_000n,
  'a test network beside Base': 10_000n,
  'exact on Solana beside Base': 10_000n,
}
/** Receiver of the forms. */
const PAY_TO = /0x209693Bc6afc0C5328bA36FaF03C514EF312287C/gi

/** Sellers whose 402 is, byte for byte except for its receiver, a form that a specification or a field report names. */
export const formControls: readonly Control[] = OFFICIAL_FORMS.filter(({ name }) => name in PAYABLE).map(
  ({ name, challenge: { headers, body } }): Control => {
    const required = headers['PAYMENT-REQUIRED']
    const text = Buffer.from(required ?? '', 'base64')
      .toString()
      .replaceAll(PAY_TO, HONEST)
    const changed = required === undefined ? {} : { 'PAYMENT-REQUIRED': Buffer.from(text).toString('base64') }
    const price = PAYABLE[name] ?? 10_000n
    return {
      name: `the official form "${name}"`,
      price,
      before({ request }, response) {
        if (request.headers['payment-signature'] ?? request.headers['x-payment']) return false
        response.writeHead(402, { ...headers, ...changed })
        return Boolean(response.end(JSON.stringify(body).replaceAll(PAY_TO, HONEST)))
      },
      ...(price > 10_000n && { verdict: { terms: [termOf(HONEST, String(price))] } }),
      // x402-fetch refuses a resource that is no whole URL, as these forms have it.
      lanes: [{ client: '@x402/fetch', wire: required === undefined ? 'v1' : 'v2' }],
    }
  },
)
