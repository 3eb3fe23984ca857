import { BASE, DOMAIN, type Entry, exact, type FormRow, PAY_TO, spec, USDC, usdc } from './rows.ts'

/** Drafts of schemes and networks that were proposed to the protocol in coinbase/x402. */
const draft = (path: string) => `coinbase/x402, specs/schemes/${path}.md`
const exactDraft = (family: string) => draft(`exact/scheme_exact_${family}`)

/** A form that nothing is known of: unknown, with the reason. */
const foreign = (name: string, source: string, entry: Entry, shape: FormRow['shape'] = 'v2'): FormRow => ({
  name,
  source,
  right: ['unknown'],
  accepts: [entry],
  shape,
})

const ATTO = 'atto://aaqccirdeqssmjzifevcwlbnfyxtamjsgm2dknrxha4tuoz4hu7d76lv23r6q'
const BSV = '03f8104e2b31f9c0a172f8e2f3b1204a3d21a72515b7d2a99b02c1c39fea014b26'
const ICP = '77ibd-jp5kr-moeco-kgoar-rro5v-5tng4-krif5-5h2i6-osf2f-2sjtv-kqe'
const KASPA = 'kaspa:qr0lr4ml9fn3chekrqmjdkergxl93l4wrk3dankcgvjq776s9wn9jkdskewva'
const PI_ASSET = 'CDG6ZM2SHXIHD5HZ2E62B7D76RY5DUHDNQVPSHRVDNN7W4EW47FXLEXQ'
const PI_PAY_TO = 'GDBWQYJNS6N3H6G4VFNG3GHTOGG2P24JWGPJI5HPYFKZTZQKNY5LHZGM'
const DOGE = 'bip122:1a91e3dace36e2be3bf030a65679fe8'
const LITECOIN = 'bip122:12a765e31ffd4059bada1e25190f6e98'
const TENZRO = 'tenzro:92bd27db9713293097f0e63476e3911e'
const NEAR_INTENTS = 'specs/schemes/exact/scheme_exact_near_intents.md'

/** Renames the receiver, as two drafts write it. */
const toAddress = ({ payTo, ...entry }: Entry): Entry => ({ ...entry, payToAddress: payTo })
const without = (name: string, entry: Entry): Entry => ({ ...entry, [name]: undefined })
const withScheme = (scheme: string, entry: Entry): Entry => ({ ...entry, scheme })

/** Networks that no table names. */
const networks: readonly FormRow[] = [
  foreign('exact on Atto', spec('exact', 'atto'), exact('atto:live', 'atto', ATTO, {}, '500000000')),
  foreign('exact on BSV', spec('exact', 'bsv'), exact('bsv:mainnet', 'BSV', BSV, {}, '1000')),
  foreign(
    'exact on the Internet Computer',
    exactDraft('icp'),
    exact('icp:mainnet', 'ryjl3-tyaaa-aaaaa-aaaba-cai', ICP, undefined, '100000000'),
  ),
  foreign('exact on Kaspa', exactDraft('kaspa'), exact('kaspa:mainnet', 'native', KASPA, {}, '100000000')),
  foreign(
    'exact covenant token on Kaspa',
    exactDraft('kaspa'),
    exact('kaspa:mainnet', 'a'.repeat(64), KASPA, {}),
  ),
  foreign(
    'exact on Cosmos Hub, v1 without a timeout',
    exactDraft('atom'),
    without(
      'maxTimeoutSeconds',
      exact('cosmos:cosmoshub-4', 'uatom', `cosmos1${'q'.repeat(38)}`, { name: 'a' }),
    ),
    'v1',
  ),
  foreign(
    'exact on Polkadot',
    exactDraft('dot'),
    exact('polkadot:91b171bb158e2d3848fa23a9f1c25182', 'dot', `1${'3'.repeat(47)}`, {
      name: 'DOT',
      decimals: 10,
    }),
  ),
  foreign(
    'exact on Monero, v1 with payToAddress',
    exactDraft('xmr'),
    toAddress(exact('monero:mainnet', 'XMR', `4${'A'.repeat(94)}`, undefined, '1000000000000')),
    'v1',
  ),
  foreign(
    'exact on Litecoin, v1 with payToAddress',
    exactDraft('ltc'),
    toAddress(exact(LITECOIN, 'LTC', 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9', undefined, '100000')),
    'v1',
  ),
  foreign(
    'exact on Dogecoin',
    exactDraft('doge'),
    exact(DOGE, 'doge', 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L', { suggestedFeeRate: 100 }, '500000000'),
  ),
  foreign(
    'exact in the coin of Fantom, by its symbol',
    exactDraft('ftm'),
    exact('eip155:250', 'FTM', PAY_TO, { name: 'a' }, `1${'0'.repeat(18)}`),
    'v1',
  ),
  foreign(
    'exact on Tenzro, by Canton',
    exactDraft('tenzro'),
    exact(TENZRO, 'USDC', `Bob::1220${'a'.repeat(64)}`, {
      facade: 'canton',
      templateId: 'Tenzro.Token.Cip56:Holding',
      instrument: 'USDC@tenzro-domain',
    }),
  ),
  foreign(
    'exact on Tenzro, by the EVM',
    exactDraft('tenzro'),
    exact(TENZRO, USDC, PAY_TO, { facade: 'evm' }),
  ),
  foreign(
    'exact on the test network of Pi',
    spec('exact', 'pinet'),
    exact('pinet:testnet', PI_ASSET, PI_PAY_TO, { areFeesSponsored: true }, '10000000'),
  ),
  foreign(
    'exact on Thru',
    spec('exact', 'thru'),
    exact('thru:1', `ta${'B'.repeat(44)}`, `ta${'C'.repeat(44)}`, {
      tokenProgram: `ta${'A'.repeat(42)}qq`,
      maxExpirySlots: 100,
    }),
  ),
  foreign(
    'upto on Hive, an amount with its unit and a validity in place of a timeout',
    spec('upto', 'hive'),
    {
      ...without(
        'maxTimeoutSeconds',
        withScheme('upto', exact('hive:mainnet', 'HBD', 'api-provider', {}, '5.000 HBD')),
      ),
      validAfter: '2026-02-25T11:55:00Z',
      validBefore: '2026-02-25T12:05:00Z',
      extra: { facilitatorAccount: 'x402.ecency' },
    },
    'v1',
  ),
  foreign(
    'Cashu ecash, v1',
    draft('cashu/scheme_cashu'),
    withScheme(
      'cashu-token',
      exact('bitcoin-mainnet', 'SAT', 'cashu:pubkey:nymmerchant', {
        mintUrl: 'https://mint.minibits.cash/Bitcoin',
        unit: 'sat',
      }),
    ),
    'v1',
  ),
]

/** Schemes beside the published ones, on Base: not Safe to pay by all clients, and no fault of the seller. */
const schemes: readonly FormRow[] = [
  foreign(
    'deferred on Base, vouchers at the server',
    draft('deferred/scheme_deferred_evm'),
    withScheme('deferred', {
      ...exact(BASE, USDC, PAY_TO),
      extra: {
        escrow: '0x7cB1A5A2a2C9e91B76914C0A7b7Fb3AefF3BCA27',
        name: 'USDC',
        version: '2',
        voucherStorage: 'server',
      },
    }),
  ),
  {
    name: 'deferred on Base beside exact',
    source: draft('deferred/scheme_deferred_evm'),
    accepts: [withScheme('deferred', exact(BASE, USDC, PAY_TO, DOMAIN)), usdc()],
  },
  {
    name: 'Cashu ecash beside exact',
    source: draft('cashu/scheme_cashu'),
    shape: 'v1',
    accepts: [
      withScheme('cashu-token', exact('bitcoin-mainnet', 'SAT', 'cashu:pubkey:nymmerchant', { unit: 'sat' })),
      usdc(),
    ],
  },
  {
    name: 'Kaspa beside Base',
    source: exactDraft('kaspa'),
    accepts: [usdc(), exact('kaspa:mainnet', 'native', KASPA, {}, '100000000')],
  },
  {
    name: 'Polkadot in front of Base',
    source: exactDraft('dot'),
    accepts: [
      exact('polkadot:91b171bb158e2d3848fa23a9f1c25182', 'dot', `1${'3'.repeat(47)}`, {
        name: 'DOT',
        decimals: 10,
      }),
      usdc(),
    ],
  },
  {
    name: 'Bitcoin by its BIP-122 id beside Base',
    source: spec('exact', 'bip122'),
    accepts: [
      usdc(),
      exact('bip122:000000000019d6689c085ae165831e93', 'btc', 'bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh', {
        suggestedFeeRate: 10,
      }),
    ],
  },
  {
    name: 'a swap by NEAR Intents, a new deposit address for each quote',
    source: NEAR_INTENTS,
    // A token of Arbitrum on NEAR: what is paid cannot be told from the entry, so Avoid is no mistake.
    right: ['unknown', 'caution', 'avoid'],
    accepts: [
      exact(
        'near:mainnet',
        '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
        '0x76b4c56085ED136a8744D52bE956396624a730E8',
        {
          assetTransferMethod: '1click-swap',
          originChain: 'arb',
          depositMemo: null,
          minAmountIn: '1000000',
          amountOut: '1000000',
          slippageTolerance: 100,
          timeEstimate: 120,
        },
        '1005000',
      ),
    ],
  },
]

/** Forms that were proposed and that some sellers ask by. */
export const draftForms: readonly FormRow[] = [...networks, ...schemes]
