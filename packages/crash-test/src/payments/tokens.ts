import { BASE, NETWORKS, networkAddressKey } from '@touchstone402/shared'

/** EURC of Circle on Base. */
export const EURC = { network: BASE, asset: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42' } as const
/** USDC of Circle on Polygon. */
export const POLYGON_USDC = {
  network: 'eip155:137',
  asset: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
} as const

/** USDC.e on Tempo, in which MPP sessions are paid. */
export const TEMPO_USDC = {
  network: 'eip155:4217',
  asset: '0x20C000000000000000000000b9537d11c60E8b50',
} as const

/** A token that accepts transfer authorizations (EIP-3009), and is worth something. */
export type Token = {
  symbol: 'USDC' | 'EURC'
  /** EIP-712 domain of the contract. */
  domain: { name: string; version: string; chainId: number; verifyingContract: `0x${string}` }
}

const chainIdOf = (network: string) => Number(network.slice('eip155:'.length))

const TOKENS = new Map<string, Token>(
  NETWORKS.filter(({ caip2, testnet }) => caip2.startsWith('eip155:') && !testnet).map(
    ({ caip2, usdc, usdcName }) => [
      networkAddressKey(caip2, usdc),
      {
        symbol: 'USDC',
        domain: {
          name: usdcName,
          version: '2',
          chainId: chainIdOf(caip2),
          verifyingContract: usdc as `0x${string}`,
        },
      },
    ],
  ),
)
TOKENS.set(networkAddressKey(EURC.network, EURC.asset), {
  symbol: 'EURC',
  domain: { name: 'EURC', version: '2', chainId: 8453, verifyingContract: EURC.asset },
})

TOKENS.set(networkAddressKey(TEMPO_USDC.network, TEMPO_USDC.asset), {
  symbol: 'USDC',
  domain: { name: 'USDC.e', version: '1', chainId: 4217, verifyingContract: TEMPO_USDC.asset },
})

/** Looks up a token by its CAIP-2 network and its address. Test networks have none, as theirs are worth nothing. */
export function findToken(network: string, asset: string): Token | undefined {
  return TOKENS.get(networkAddressKey(network, asset))
}
