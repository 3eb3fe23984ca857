import { BASE, DOMAIN, type Entry, exact, type FormRow, PAY_TO, USDC, usdc } from './rows.ts'

const V1 = 'specs/x402-specification-v1.md, section 5.1'
const V2 = 'specs/x402-specification-v2.md, section 5.1'
const extension = (name: string) => `specs/extensions/${name}.md`
const SCHEMA = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' }

/** A v2 challenge with an extension. */
const extended = (name: string, source: string, extensions: Entry): FormRow => ({
  name: `exact with ${name}`,
  source,
  accepts: [usdc()],
  envelope: { extensions },
})

/** Challenges as middlewares of several languages write them, and extensions of the protocol. */
export const middlewareForms: readonly FormRow[] = [
  {
    name: 'v1, null for what is absent',
    source: 'python/x402 and go/pkg of coinbase/x402: models that write every field',
    shape: 'v1',
    accepts: [{ ...usdc(), outputSchema: null, mimeType: '', description: '' }],
  },
  {
    name: 'v1, extra null on a token with a known domain',
    source: `${V1}: extra is object or null`,
    shape: 'v1',
    accepts: [{ ...exact(BASE, USDC, PAY_TO), extra: null }],
  },
  {
    name: 'v1, payer null and an error text',
    source: 'x402-rs/x402-rs, middleware for axum',
    shape: 'v1',
    accepts: [usdc()],
    envelope: { error: 'X-PAYMENT header is required', payer: null },
  },
  {
    name: 'v1 on solana beside base',
    source: V1,
    shape: 'v1',
    accepts: [
      exact(
        'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
        'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
        '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4',
        { feePayer: 'EwWqGE4ZFKLofuestmU4LDdK7XM1N4ALgdZccwYugwGd' },
      ),
      usdc(),
    ],
  },
  {
    name: 'v2, extra with the symbol, decimals and the method',
    source: 'thirdweb, x402 settlement: extra of its facilitator',
    accepts: [usdc()].map((entry) => ({
      ...entry,
      extra: { ...DOMAIN, decimals: 6, primaryType: 'TransferWithAuthorization', recipientAddress: PAY_TO },
    })),
  },
  {
    name: 'v2, an address in lower case',
    source: `${V2}: addresses are not checksummed`,
    accepts: [exact(BASE, USDC.toLowerCase(), PAY_TO.toLowerCase(), DOMAIN)],
  },
  {
    name: 'v2, the body repeats the header',
    source: 'specs/transports-v2/http.md: the body is up to the server',
    accepts: [usdc()],
    bodyRepeats: true,
  },
  {
    name: 'v2 in the body alone',
    source: 'x402-foundation/x402 issues: servers behind proxies that drop the header',
    right: ['safe', 'caution'],
    accepts: [usdc()],
    bodyRepeats: true,
    shape: 'none',
  },
  {
    name: 'v2, tiers of one receiver',
    source: 'specs/x402-specification-v2.md: several entries are alternatives',
    accepts: [exact(BASE, USDC, PAY_TO, DOMAIN, '10000'), exact(BASE, USDC, PAY_TO, DOMAIN, '20000')],
  },
  {
    name: 'v2, a timeout of an hour',
    source: V2,
    accepts: [{ ...usdc(), maxTimeoutSeconds: 3600 }],
  },
  extended('payment identifiers', extension('payment_identifier'), {
    'payment-identifier': { info: { required: false }, schema: SCHEMA },
  }),
  extended('sign-in-with-x', extension('sign-in-with-x'), {
    'sign-in-with-x': {
      info: { domain: 'api.example.com', uri: 'https://api.example.com', version: '1', nonce: 'a1b2c3d4' },
      supportedChains: [{ chainId: 'eip155:8453', type: 'eip191' }],
      schema: SCHEMA,
    },
  }),
  extended('gas sponsored by EIP-2612', extension('eip2612_gas_sponsoring'), {
    eip2612GasSponsoring: {
      info: { description: 'The facilitator pays the approval.', version: '1' },
      schema: SCHEMA,
    },
  }),
  extended('gas sponsored for any ERC-20', extension('erc20_gas_sponsoring'), {
    erc20ApprovalGasSponsoring: {
      info: { description: 'The facilitator pays the approval.', version: '1' },
      schema: SCHEMA,
    },
  }),
  extended('a builder code', extension('builder_code'), {
    'builder-code': { info: { code: 'my-app' }, schema: SCHEMA },
  }),
  extended('terms of service', extension('terms'), {
    terms: { info: { url: 'https://api.example.com/terms' }, schema: SCHEMA },
  }),
  extended('an unknown extension', `${V2}: unknown extensions are left alone`, {
    'vendor-loyalty': { info: { points: 3 } },
  }),
]
