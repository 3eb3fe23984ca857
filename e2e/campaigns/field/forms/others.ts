import { DOMAIN, exact, type FormRow, PAY_TO, spec, USDC } from './rows.ts'

const ALGORAND_PAY_TO = 'RESOURCESERVERADDRESSAAAAAAAAAAAAAAAAAAAAAAAAAAAAAALTSRPAE'
const STELLAR_PAY_TO = 'GBHEGW3KWOY2OFH767EDALFGCUTBOEVBDQMCKU4APMDLQNBW5QV3W3KO'
const APTOS_PAY_TO = '0x1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef'
const CARDANO_PAY_TO = `addr1${'q'.repeat(98)}`
const XRPL_PAY_TO = 'rN7n3473SaZBCG4dFL83w7a1RXtXtbk2D9'
const CANTON_PAY_TO = `merchant::1220${'a'.repeat(64)}`
const LIGHTNING_PAY_TO = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
const SUI_USDC = '0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC'
const SUI_PAY_TO = '0x1eb7c57e3f2bd0fc6cb9dcffd143ea957e4d98f805c358733f76dee0667fe0b1'

const on = (name: string, family: string, entry: FormRow['accepts'][number]): FormRow => ({
  name: `exact on ${name}`,
  source: spec('exact', family),
  accepts: [entry],
})
const testnet = (...form: Parameters<typeof on>): FormRow => ({ ...on(...form), right: ['avoid'] })
const unknown = (...form: Parameters<typeof on>): FormRow => ({ ...on(...form), right: ['unknown'] })

/** Forms of networks that are not EVM, and of networks that no table names. */
export const otherForms: readonly FormRow[] = [
  on(
    'Algorand',
    'algo',
    exact('algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=', '31566704', ALGORAND_PAY_TO),
  ),
  on(
    'Algorand by the 32 characters of CAIP-2',
    'algo',
    exact('algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k', '31566704', ALGORAND_PAY_TO),
  ),
  testnet(
    'the test network of Algorand',
    'algo',
    exact('algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=', '10458941', ALGORAND_PAY_TO),
  ),
  on(
    'Stellar',
    'stellar',
    exact('stellar:pubnet', 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75', STELLAR_PAY_TO, {
      areFeesSponsored: true,
    }),
  ),
  testnet(
    'the test network of Stellar',
    'stellar',
    exact('stellar:testnet', 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA', STELLAR_PAY_TO),
  ),
  on('Sui', 'sui', exact('sui:mainnet', SUI_USDC, SUI_PAY_TO)),
  on('Sui, gasless', 'sui', exact('sui:mainnet', SUI_USDC, SUI_PAY_TO, { assetTransferMethod: 'gasless' })),
  on(
    'Sui, sponsored coin',
    'sui',
    exact('sui:mainnet', SUI_USDC, SUI_PAY_TO, {
      assetTransferMethod: 'coin',
      feePayer: SUI_PAY_TO,
      maxGasBudget: '5000000',
    }),
  ),
  on(
    'Aptos',
    'aptos',
    exact('aptos:1', '0xbae207659db88bea0cbead6da0ed00aac12edcdda169e591cd41c94180b46f3b', APTOS_PAY_TO),
  ),
  on('Hedera, HBAR', 'hedera', exact('hedera:mainnet', '0.0.0', '0.0.1234', { feePayer: '0.0.1235' })),
  on('Hedera, USDC', 'hedera', exact('hedera:mainnet', '0.0.456858', '0.0.1234', { feePayer: '0.0.1235' })),
  on(
    'Hedera, transfer executor',
    'hedera',
    exact('hedera:mainnet', '0.0.456858', '0.0.1234', { assetTransferMethod: 'transferExecutor' }),
  ),
  on(
    'NEAR',
    'near',
    exact(
      'near:mainnet',
      '17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1',
      'data_merchant.near',
    ),
  ),
  on(
    'TON',
    'ton',
    exact(
      'tvm:-239',
      '0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe',
      '0:92433a576cbe56c4dcc86d94b497a2cf18a9baa9c8283fea28ea43eb3c25cfed',
      { facilitatorUrl: 'https://facilitator.example.com' },
    ),
  ),
  on(
    'XRP Ledger, XRP',
    'xrpl',
    exact('xrpl:0', 'XRP', XRPL_PAY_TO, { areFeesSponsored: false, assetTransferMethod: 'sequence' }),
  ),
  on(
    'XRP Ledger, XRP by ticket',
    'xrpl',
    exact('xrpl:0', 'XRP', XRPL_PAY_TO, { areFeesSponsored: false, assetTransferMethod: 'ticketSequence' }),
  ),
  unknown(
    'XRP Ledger, an issued currency with a decimal amount',
    'xrpl',
    exact(
      'xrpl:0',
      '524C555344000000000000000000000000000000',
      XRPL_PAY_TO,
      { areFeesSponsored: false, issuer: 'rMwjYedjc7qqtKYVLiAccJSmCwih4LnE2q' },
      '0.01',
    ),
  ),
  on(
    'Cardano',
    'cardano',
    exact(
      'cardano:mainnet',
      'c48cbb3d5e57ed56e276bc45f99ab39abe94e6cd7ac39fb402da47ad.0014df105553444d',
      CARDANO_PAY_TO,
      { confirmationPolicy: { l1Confirmations: 1 } },
    ),
  ),
  on(
    'Cardano by its CIP-34 id',
    'cardano',
    exact('cip34:1-764824073', 'lovelace', CARDANO_PAY_TO, {}, '2000000'),
  ),
  on(
    'Starknet',
    'starknet',
    exact(
      'starknet:SN_MAIN',
      '0x033068F6539f8e6e6b131e6B2B814e6c34A5224bC66947c47DaB9dFeE93b35fb',
      '0x02dd1b492765c064eac4039e3841aa5f382773b598097a40073bd8b48170ab57',
      { areFeesSponsored: true },
    ),
  ),
  on(
    'Concordium',
    'concordium',
    exact(
      'ccd:9dd9ca4d19e9393877d2c44b70f89acb',
      'CCD',
      '4FmiTW2L4RvCsSVTjFAavYvrgnPLGNj43eiwPYmbhNqtAcMbWW',
      { feePayer: '3JzqJH2FqYk9J8HjX3rJ6cH2xw6sQJ5dXfLw2v7Uo5W8x9Qk2s' },
    ),
  ),
  on(
    'Keeta',
    'keeta',
    exact(
      'keeta:21378',
      'keeta_amnkge74xitii5dsobstldatv3irmyimujfjotftx7plaaaseam4bntb7wnna',
      'keeta_aabravistgwbrkpl4euafuiualiwcemgvv2hnu7ci66i76naj4vm6tmeahmzria',
      { external: '0123456789abcdef0123456789abcdef' },
    ),
  ),
  testnet(
    'the test network of Casper',
    'casper',
    exact(
      'casper:casper-test',
      '17be3c3dc67ddf193b8f64bfc2421826407470f88b3dab68184ebffebdd57f59',
      '007a9f9948cb7b258d18f3c5e85780372971b5b40096e724c9e596c284a01445fa',
      { name: 'Casper X402 Token', version: '1' },
    ),
  ),
  on(
    'Canton',
    'canton',
    exact('canton:mainnet', 'CC', CANTON_PAY_TO, { assetTransferMethod: 'transfer-factory' }, '100000000'),
  ),
  on(
    'Bitcoin Lightning',
    'lnbtc',
    exact('lnbtc:000000000019d6689c085ae165831e93', 'BTC', LIGHTNING_PAY_TO, {
      assetTransferMethod: 'bolt11',
      paymentFlow: 'upfront',
      invoice: 'lnbc250n1pj48ugqpp5',
    }),
  ),
  unknown(
    'an EVM network that no table names',
    'evm',
    exact(
      'eip155:987654321',
      '0x1111111111111111111111111111111111111111',
      '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    ),
  ),
  unknown('a v1 name in v2', 'evm', exact('base', USDC, PAY_TO, DOMAIN)),
  unknown('a namespace that is too long', 'evm', exact('cloudflare-402:main', USDC, PAY_TO)),
  unknown('the deferred scheme', 'evm', { ...exact('cloudflare:402', USDC, PAY_TO), scheme: 'deferred' }),
  unknown('a namespace that no table names', 'evm', exact('kaspa:mainnet', 'KAS', `kaspa:${'q'.repeat(61)}`)),
  {
    name: 'v1 on a name that no table has',
    source: 'specs/x402-specification-v1.md: any identifier of a network',
    right: ['unknown'],
    shape: 'v1',
    accepts: [exact('xlayer', '0x74b7F16337b8972027F6196A17a631aC6dE26d22', PAY_TO)],
  },
]
