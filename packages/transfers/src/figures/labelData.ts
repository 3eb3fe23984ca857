import type { TokenAddress } from '@touchstone402/shared'

/** Addresses that one page documents. */
export type LabelPage = {
  readonly source: string
  /** Null: the same on every chain. */
  readonly chainIds: readonly number[] | null
  /** Lower-case addresses. */
  readonly addresses: readonly {
    readonly address: string
    readonly kind: TokenAddress['kind']
    readonly label: string
  }[]
}

const BASE = [8453]
const BASE_ECOSYSTEM = 'https://docs.base.org/chain/contracts'

/** Known addresses on Base, by the page that documents them. */
export const LABEL_PAGES: readonly LabelPage[] = [
  {
    source: 'https://docs.base.org/specifications/reference/base-contracts',
    chainIds: [8453, 84532],
    addresses: [
      { address: '0x4200000000000000000000000000000000000006', kind: 'contract', label: 'WETH' },
      { address: '0x4200000000000000000000000000000000000007', kind: 'bridge', label: 'Base L2 messenger' },
      {
        address: '0x4200000000000000000000000000000000000010',
        kind: 'bridge',
        label: 'Base standard bridge',
      },
      {
        address: '0x4200000000000000000000000000000000000016',
        kind: 'bridge',
        label: 'Base L2 to L1 message passer',
      },
    ],
  },
  {
    source: 'https://developers.circle.com/cctp/references/contract-addresses',
    chainIds: BASE,
    addresses: [
      {
        address: '0x28b5a0e9c621a5badaa536219b3a228c8168cf5d',
        kind: 'bridge',
        label: 'Circle CCTP V2 token messenger',
      },
    ],
  },
  {
    source: BASE_ECOSYSTEM,
    chainIds: BASE,
    addresses: [
      {
        address: '0x2626664c2603336e57b271c5c0b26f421741e481',
        kind: 'router',
        label: 'Uniswap v3 SwapRouter02',
      },
      { address: '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24', kind: 'router', label: 'Uniswap v2 router' },
      {
        address: '0x198ef79f1f515f02dfe9e3115ed9fc07183f02fc',
        kind: 'router',
        label: 'Uniswap universal router',
      },
    ],
  },
  {
    source: BASE_ECOSYSTEM,
    chainIds: null,
    addresses: [
      { address: '0x000000000022d473030f116ddee9f6b43ac78ba3', kind: 'contract', label: 'Permit2' },
    ],
  },
  {
    source: 'https://docs.uniswap.org/contracts/v4/deployments',
    chainIds: BASE,
    addresses: [
      {
        address: '0x6ff5693b99212da76ad316178a184ab56d299b43',
        kind: 'router',
        label: 'Uniswap universal router (v4)',
      },
      {
        address: '0x498581ff718922c3f8e6a244956af099b2652b2b',
        kind: 'pool',
        label: 'Uniswap v4 pool manager',
      },
    ],
  },
  {
    source: 'https://github.com/aerodrome-finance/docs/blob/main/content/security.mdx',
    chainIds: BASE,
    addresses: [
      { address: '0xcf77a3ba9a5ca399b7c97c74d54e5b1beb874e43', kind: 'router', label: 'Aerodrome router' },
    ],
  },
]
