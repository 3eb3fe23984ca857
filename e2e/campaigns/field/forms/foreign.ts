import { BASE, DOMAIN, type Entry, exact, type FormRow, PAY_TO, spec, USDC, usdc } from './rows.ts'

const CLOUDFLARE = 'specs/schemes/batch-settlement/scheme_batch_settlement_cloudflare.md'
const BITCOIN = 'bip122:000000000019d6689c085ae165831e93'
const BITCOIN_CASH = 'bip122:000000000000000000651ef99cb9fcbe'
const TRON_USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const TRON_PAY_TO = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
const NANO_PAY_TO = 'nano_3ah94brzdm3e5nzzpstzcyxgkddt3ydgzi4478jshawrh7gtof5sb8twxqxt'
const STACKS_PAY_TO = 'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7'
const XRPL_PAY_TO = 'rN7n3473SaZBCG4dFL83w7a1RXtXtbk2D9'
const ZCASH_PAY_TO = `u1${'q'.repeat(139)}`

/** A form that nothing is known of: unknown, with the reason. */
const foreign = (name: string, source: string, ...accepts: readonly Entry[]): FormRow => ({
  name,
  source,
  right: ['unknown'],
  accepts,
})
const withScheme = (scheme: string, entry: Entry): Entry => ({ ...entry, scheme })
const cloudflare = (scheme: string) =>
  withScheme(scheme, exact('cloudflare:402', 'USD', 'merchant', { version: '1.0.0' }, '1'))

/** Forms of networks and schemes that no table names, as their own specifications write them. */
export const foreignForms: readonly FormRow[] = [
  foreign(
    'exact USDT on TRON',
    spec('exact', 'tron'),
    exact('tron:27Lqcw', TRON_USDT, TRON_PAY_TO, { name: 'USDT', decimals: 6 }),
  ),
  foreign(
    'upto on TRON',
    spec('upto', 'tron'),
    withScheme('upto', exact('tron:27Lqcw', TRON_USDT, TRON_PAY_TO)),
  ),
  foreign(
    'batch-settlement on TRON',
    spec('batch-settlement', 'tron'),
    withScheme('batch-settlement', exact('tron:27Lqcw', TRON_USDT, TRON_PAY_TO)),
  ),
  foreign(
    'exact on Nano',
    spec('exact', 'nano'),
    exact('nano:mainnet', 'XNO', NANO_PAY_TO, {}, `1${'0'.repeat(28)}`),
  ),
  foreign(
    'exact STX on Stacks, by CAIP-19',
    spec('exact', 'stacks'),
    exact('stacks:1', 'slip44:5757', STACKS_PAY_TO, { nonce: 'a1b2c3d4e5f6', tokenType: 'STX' }),
  ),
  foreign(
    'exact sBTC on Stacks, by CAIP-19',
    spec('exact', 'stacks'),
    exact(
      'stacks:1',
      'sip010:SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4.sbtc-token.sbtc-token',
      STACKS_PAY_TO,
    ),
  ),
  foreign(
    'exact USDH on Hyperliquid',
    spec('exact', 'hyperliquid'),
    exact('hyperliquid:mainnet', 'USDH:0x54e00a5988577cb0b0c9ab0cb6ef7f4b', PAY_TO, {
      destinationDex: 'spot',
    }),
  ),
  foreign(
    'exact on Bitcoin',
    spec('exact', 'bip122'),
    exact(BITCOIN, 'btc', 'bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh', { suggestedFeeRate: 10 }),
  ),
  foreign(
    'utxo on Bitcoin Cash',
    'x402-bch specification, section 5.1.1',
    withScheme(
      'utxo',
      exact(
        BITCOIN_CASH,
        '0x0000000000000000000000000000000000000001',
        'bitcoincash:qqlrzp23w08434twmvr4fxw672whkjy0py26r63g3d',
        {},
      ),
    ),
  ),
  foreign('exact on Zcash', spec('exact', 'zcash'), exact('zcash:mainnet', 'ZEC', ZCASH_PAY_TO)),
  foreign('exact on Hive', spec('exact', 'hive'), exact('hive:mainnet', 'HBD', 'api-provider', {}, '50')),
  foreign('exact on Xahau', spec('exact', 'xahau'), exact('xahau:21337', 'XAH', XRPL_PAY_TO)),
  foreign(
    'exact on Radix',
    spec('exact', 'radix'),
    exact('radix:1', `resource_rdx1${'t'.repeat(53)}`, `account_rdx1${'2'.repeat(54)}`),
  ),
  foreign('exact on GalaChain', spec('exact', 'galachain'), exact('galachain:asset', 'GALA', 'eth|6eC4fbB0')),
  foreign(
    'exact by Interledger',
    spec('exact', 'ilp'),
    exact('ilp:openpayments', 'USD', 'https://wallet.example.com/alice', { assetScale: 2 }),
  ),
  foreign('deferred on Cloudflare', CLOUDFLARE, cloudflare('deferred')),
  foreign('batch-settlement on Cloudflare', CLOUDFLARE, cloudflare('batch-settlement')),
  foreign('batch-settlement on Cloudflare, without a timeout', CLOUDFLARE, {
    ...cloudflare('batch-settlement'),
    maxTimeoutSeconds: undefined,
  }),
  foreign(
    'dhali on the XRP Ledger beside a network that no table names',
    'specs/schemes/exact/scheme_deferred_dhali.md',
    withScheme('dhali', exact('xahau:21337', 'XAH', XRPL_PAY_TO)),
  ),
  foreign(
    'exact on a long namespace',
    'CAIP-2: 3 to 8 characters; longer ones are in the field',
    exact('hyperliquid-evm:mainnet', 'USDC', PAY_TO),
  ),
  foreign(
    'exact on an EVM network with a long reference',
    'CAIP-2: up to 32 characters',
    exact(`eip155:${'9'.repeat(30)}`, USDC, PAY_TO),
  ),
  foreign(
    'v2 with the v1 name of Solana',
    'field.md, v1 names',
    exact(
      'solana',
      'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4',
    ),
  ),
  foreign(
    'v2 with the v1 name of Polygon',
    'field.md, v1 names',
    exact('polygon', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', PAY_TO, DOMAIN),
  ),
  foreign(
    'v2 with a name of the field',
    'field.md, v1 names',
    exact('bsc', '0x55d398326f99059fF775485246999027B3197955', PAY_TO),
  ),
  {
    name: 'v1 with a CAIP-2 id',
    source: 'field.md, v1 names',
    shape: 'v1',
    right: ['safe', 'unknown'],
    accepts: [usdc()],
  },
  {
    name: 'a network that no table names beside Base',
    source: spec('exact', 'tron'),
    accepts: [exact('tron:27Lqcw', TRON_USDT, TRON_PAY_TO), usdc()],
  },
  {
    name: 'deferred beside exact',
    source: 'specs/extensions/extension-auth-hints.md',
    accepts: [usdc(), withScheme('deferred', exact(BASE, USDC, PAY_TO))],
  },
  {
    name: 'Nano in the third place beside Base and Solana',
    source: spec('exact', 'nano'),
    accepts: [
      usdc(),
      exact(
        'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
        'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
        '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4',
        { feePayer: 'EwWqGE4ZFKLofuestmU4LDdK7XM1N4ALgdZccwYugwGd' },
      ),
      exact('nano:mainnet', 'XNO', NANO_PAY_TO, { work: 'required' }, '287604000000000000000000000000'),
    ],
  },
]

const issuedBy = (issuer: string, network: string, asset: string, symbol: string): FormRow => ({
  name: `exact ${symbol} on ${network}`,
  source: issuer,
  accepts: [exact(network, asset, PAY_TO, { name: symbol, version: '1' })],
})
const USDT0 = 'docs.usdt0.to/technical-documentation/developer/usdt0-deployments'
const PAXOS = 'docs.paxos.com/guides/stablecoin/usdg'
const CIRCLE_LIST = 'developers.circle.com/stablecoins/usdc-contract-addresses'

/** Tokens where their issuers list them, native coins, and other flows on networks that are known. */
export const issuerForms: readonly FormRow[] = [
  issuedBy(USDT0, 'eip155:137', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 'USDT0'),
  issuedBy(USDT0, 'eip155:10', '0x01bFF41798a0BcF287b996046Ca68b395DbC1071', 'USDT0'),
  issuedBy(USDT0, 'eip155:9745', '0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb', 'USDT0'),
  issuedBy(USDT0, 'eip155:130', '0x9151434b16b9763660705744891fA906F660EcC5', 'USDT0'),
  issuedBy(PAXOS, 'eip155:1', '0xe343167631d89B6Ffc58B88d6b7fB0228795491D', 'USDG'),
  issuedBy(PAXOS, 'eip155:57073', '0xe343167631d89B6Ffc58B88d6b7fB0228795491D', 'USDG'),
  issuedBy(CIRCLE_LIST, 'eip155:1', '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c', 'EURC'),
  issuedBy(CIRCLE_LIST, 'eip155:43114', '0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD', 'EURC'),
  ...(
    [
      '0x0000000000000000000000000000000000000000',
      '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
      'native',
      'ETH',
    ] as const
  ).map(
    (asset): FormRow => ({
      name: `exact in the coin of Base, as ${asset}`,
      source: 'ERC-7528; extension-offer-and-receipt.md, section 4.2',
      right: ['safe', 'unknown'],
      accepts: [exact(BASE, asset, PAY_TO, {}, '3000000000000')],
    }),
  ),
  {
    name: 'Circle Gateway on Polygon beside exact on Base',
    source: 'developers.circle.com/gateway/nanopayments',
    accepts: [
      exact('eip155:137', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', PAY_TO, {
        name: 'GatewayWalletBatched',
        version: '1',
        verifyingContract: '0x77777777Dcc4d5A8B6E418Fd04D8997ef11000eE',
      }),
      usdc(),
    ],
  },
]
