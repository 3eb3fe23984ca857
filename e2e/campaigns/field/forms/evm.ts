import { CIRCLE, exact, type FormRow, PAY_TO, usdc } from './rows.ts'

const DEFAULTS = '@x402/evm 2.27.0, DEFAULT_ASSETS'
const V1_NAMES = 'npm x402 1.2.0, network names and USDC by chain'

/** Default assets of mainnets: network, token, decimals, symbol, whether by Permit2. */
const mainnets: readonly [string, string, number, string, boolean?][] = [
  ['eip155:1', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6, 'USDC'],
  ['eip155:43114', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', 6, 'USDC'],
  ['eip155:4326', '0xFAfDdbb3FC7688494971a79cc65DCa3EF82079E7', 18, 'MegaUSD', true],
  ['eip155:143', '0x754704Bc059F8C67012fEd69BC8A327a5aafb603', 6, 'USDC'],
  ['eip155:988', '0x779Ded0c9e1022225f8E0630b35a9b54bE713736', 6, 'USDT0'],
  ['eip155:137', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 6, 'USDC'],
  ['eip155:42161', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 6, 'USDC'],
  ['eip155:31612', '0xdD468A1DDc392dcdbEf6db6e34E89AA338F9F186', 18, 'mUSD', true],
  ['eip155:723487', '0x33ad9e4BD16B69B5BFdED37D8B5D9fF9aba014Fb', 6, 'SBC', true],
  ['eip155:36900', '0x9cb8142aEBBcdc60AF7c97Af897A67A8f3CA71C2', 6, 'USDC.e'],
  ['eip155:190415', '0x401eCb1D350407f13ba348573E5630B83638E30D', 6, 'USDC.e'],
  ['eip155:50', '0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1', 6, 'USDC'],
  ['eip155:38833', '0xA5b8BF902b2844dA17d4506cc827F7F1681735E7', 6, 'USDC', true],
  ['eip155:14', '0xe7cd86e13AC4309349F30B3435a9d337750fC82D', 6, 'USDT0'],
  ['eip155:42220', '0xcebA9300f2b948710d2653dD7B07f33A8B32118C', 6, 'USDC'],
  ['eip155:42220', '0xD2ab3C9A02DBBAB236BfEC45D1d755DF4267F771', 6, 'USAT'],
  ['eip155:1329', '0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392', 6, 'USDC'],
]

/** Mainnets on which only the issuer names the token. */
const issued: readonly [string, string][] = [
  ['eip155:10', '0x0b2c639c533813f4aa9d7837caf62653d097ff85'],
  ['eip155:130', '0x078D782b760474a361dDA0AF3839290b0EF57AD6'],
  ['eip155:59144', '0x176211869ca2b568f2a7d4ee941e073a821ee1ff'],
  ['eip155:146', '0x29219dd400f2Bf60E5a23d13Be72B486D4038894'],
  ['eip155:480', '0x79A02482A880bCE3F13e09Da970dC34db4CD24d1'],
  ['eip155:999', '0xb88339CB7199b77E23DB6E890353E22632Ba630f'],
]

/** Tokens of issuers beside Circle: network, token, decimals, symbol, the issuer's list. */
const others: readonly [string, string, number, string, string][] = [
  ['eip155:42161', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', 6, 'USDT0', 'docs.usdt0.to'],
  ['eip155:196', '0x779Ded0c9e1022225f8E0630b35a9b54bE713736', 6, 'USDT0', 'docs.usdt0.to'],
  ['eip155:43114', '0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7', 6, 'USDT', 'tether.to'],
  ['eip155:4663', '0x5fc5360D0400a0Fd4f2af552ADD042D716F1d168', 6, 'USDG', 'docs.paxos.com'],
  ['eip155:56', '0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d', 18, 'USD1', 'developers.binance.com'],
  ['eip155:56', '0x55d398326f99059fF775485246999027B3197955', 18, 'USDT', 'developers.binance.com'],
  ['eip155:56', `0x${'0'.repeat(40)}`, 18, 'BNB', 'the zero address for the coin of the network'],
]

/** Names of v1 and the token that upstream pairs with them. */
const named: readonly [string, string][] = [
  ['avalanche', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'],
  ['polygon', '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359'],
  ['sei', '0xe15fc38f6d8c56af07bbcbe3baf5708a2bf42392'],
  ['iotex', '0xcdf79194c6c285077a58da47641d4dbe51f63542'],
  ['peaq', '0xbbA60da06c2c5424f03f7434542280FCAd453d10'],
  ['abstract', '0x84a71ccd554cc1b02749b35d22f684cc8ec987e1'],
  ['story', '0xF1815bd50389c46847f0Bda824eC8da914045D14'],
  ['educhain', '0x12a272A581feE5577A5dFa371afEB4b2F3a8C2F8'],
]

const testnets: readonly [string, string][] = [
  ['eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e'],
  ['eip155:421614', '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d'],
  ['eip155:2201', '0x78Cf24370174180738C5B8E352B6D14c83a6c9A9'],
  ['eip155:31611', '0x118917a40FAF1CD7a13dB0Ef56C86De7973Ac503'],
]

const usdcForm = (name: string, source: string, network: string, asset: string): FormRow => ({
  name,
  source,
  accepts: [usdc(network, asset)],
})

/** Forms of EVM networks. */
export const evmForms: readonly FormRow[] = [
  ...mainnets.map(([network, asset, decimals, symbol, byPermit2]) => {
    const amount = `1${'0'.repeat(decimals - 2)}`
    const extra = byPermit2 ? { assetTransferMethod: 'permit2' } : { name: symbol, version: '2' }
    const accepts = [exact(network, asset, PAY_TO, extra, amount)]
    return { name: `exact ${symbol} on ${network}`, source: DEFAULTS, accepts }
  }),
  ...issued.map(([network, asset]) => usdcForm(`exact USDC on ${network}`, CIRCLE, network, asset)),
  ...others.map(([network, asset, decimals, symbol, source]) => {
    const accepts = [
      exact(network, asset, PAY_TO, { name: symbol, version: '1' }, `1${'0'.repeat(decimals - 2)}`),
    ]
    return { name: `exact ${symbol} of its issuer on ${network}`, source, accepts }
  }),
  {
    name: 'exact USDT by Permit2 on eip155:56',
    source: 'developers.binance.com, onchainpay-x402',
    accepts: [
      exact(
        'eip155:56',
        '0x55d398326f99059fF775485246999027B3197955',
        PAY_TO,
        { name: 'USDT', version: '1', assetTransferMethod: 'permit2-exact' },
        `1${'0'.repeat(16)}`,
      ),
    ],
  },
  ...named.map(([network, asset]): FormRow => {
    return { ...usdcForm(`v1 on ${network}`, V1_NAMES, network, asset), shape: 'v1' }
  }),
  ...testnets.map(([network, asset]): FormRow => {
    return { ...usdcForm(`exact on the test network ${network}`, DEFAULTS, network, asset), right: ['avoid'] }
  }),
  {
    name: 'a test network beside Base',
    source: DEFAULTS,
    accepts: [usdc('eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e'), usdc()],
  },
]
