import { describe, expect, test } from 'vitest'
import {
  atomicToUsd,
  findKnownNetwork,
  findNetworkByName,
  findUsdc,
  isCanonicalUsdc,
  isOfficialAsset,
} from './knownNetworks.ts'
import { BASE, BASE_USDC, findNetwork, toCaip2 } from './networks.ts'

const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const ALGORAND = 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8='
const STARKNET_USDC = '0x033068F6539f8e6e6b131e6B2B814e6c34A5224bC66947c47DaB9dFeE93b35fb'

describe('findKnownNetwork', () => {
  test('default', () => {
    expect(findKnownNetwork(BASE)).toMatchObject({ label: 'Base', testnet: false })
    expect(findKnownNetwork('eip155:421614')).toMatchObject({ label: 'Arbitrum Sepolia', testnet: true })
    expect(findKnownNetwork('eip155:987654321')).toBeUndefined()
  })

  test('behavior: finds a network by its other official ids', () => {
    expect(findKnownNetwork('algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k')).toBe(findKnownNetwork(ALGORAND))
    expect(findKnownNetwork('cip34:0-2')).toMatchObject({ label: 'Cardano Preview', testnet: true })
  })
})

test('behavior: finds a network by its display name or its name in v1, in any case', () => {
  expect(findNetworkByName('base')?.caip2).toBe(BASE)
  expect(findNetworkByName('BASE SEPOLIA')?.caip2).toBe('eip155:84532')
  expect(findNetworkByName('base-sepolia')?.caip2).toBe('eip155:84532')
  expect(findNetworkByName('Flare')?.caip2).toBe('eip155:14')
  for (const name of ['', 'Lightning', BASE, '__proto__']) expect(findNetworkByName(name)).toBeUndefined()
})

test('behavior: returns the canonical USDC of a network, under each of its ids', () => {
  expect(findUsdc(BASE)).toBe(BASE_USDC)
  expect(findUsdc('algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k')).toBe(findUsdc(ALGORAND))
  expect(isCanonicalUsdc(ALGORAND, findUsdc(ALGORAND) ?? '')).toBe(true)
  expect(findUsdc('eip155:14')).toBeUndefined()
})

describe('isCanonicalUsdc', () => {
  test('default: by address, in any case of hex', () => {
    expect(isCanonicalUsdc(BASE, BASE_USDC.toLowerCase())).toBe(true)
    expect(isCanonicalUsdc('eip155:42161', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831')).toBe(true)
    expect(findNetwork(BASE)?.usdc).toBe(BASE_USDC)
  })

  test('behavior: not by the address on another network, nor by other case where case counts', () => {
    expect(isCanonicalUsdc('eip155:137', BASE_USDC)).toBe(false)
    expect(isCanonicalUsdc('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', SOLANA_USDC)).toBe(true)
    expect(isCanonicalUsdc('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', SOLANA_USDC.toLowerCase())).toBe(false)
  })

  test('behavior: hex that is padded is the same asset', () => {
    expect(isCanonicalUsdc('starknet:SN_MAIN', STARKNET_USDC)).toBe(true)
    expect(isCanonicalUsdc('starknet:SN_MAIN', STARKNET_USDC.replace('0x0', '0x'))).toBe(true)
  })

  test('behavior: a bridged or another token is official, but not USDC', () => {
    for (const [network, asset] of [
      ['eip155:8453', '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42'],
      ['eip155:36900', '0x9cb8142aEBBcdc60AF7c97Af897A67A8f3CA71C2'],
      ['eip155:38833', '0xA5b8BF902b2844dA17d4506cc827F7F1681735E7'],
      ['eip155:4689', '0xcdf79194c6c285077a58da47641d4dbe51f63542'],
    ] as const) {
      expect([isOfficialAsset(network, asset), isCanonicalUsdc(network, asset)]).toEqual([true, false])
    }
    expect(isOfficialAsset(BASE, '0x1111111111111111111111111111111111111111')).toBe(false)
  })
})

test('behavior: rule 14: the coin of a known EVM network is official, but no USDC', () => {
  for (const asset of [`0x${'0'.repeat(40)}`, '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE']) {
    expect([isOfficialAsset('eip155:56', asset), isCanonicalUsdc('eip155:56', asset)]).toEqual([true, false])
    expect(isOfficialAsset('eip155:987654321', asset)).toBe(false)
  }
})

describe('atomicToUsd', () => {
  test('default: converts USDC to dollars', () => {
    const usd = [5000n, 1n, 0n].map((amount) => atomicToUsd(BASE, BASE_USDC, amount))
    expect(usd).toEqual([0.005, 0.000001, 0])
  })

  test('behavior: by the decimals of the network', () => {
    const stellarUsdc = 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75'
    expect(atomicToUsd('stellar:pubnet', stellarUsdc, 500_000n)).toBe(0.05)
  })

  test('behavior: by the table, a dollar token counts for a dollar and a euro token for 1.2', () => {
    for (const [network, asset, amount, usd] of [
      ['eip155:42161', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', 10_000n, 0.01],
      ['eip155:4663', '0x5fc5360D0400a0Fd4f2af552ADD042D716F1d168', 10_000n, 0.01],
      ['eip155:56', '0x55d398326f99059fF775485246999027B3197955', 10n ** 16n, 0.01],
      ['eip155:4326', '0xFAfDdbb3FC7688494971a79cc65DCa3EF82079E7', 10n ** 18n, 1],
      [BASE, '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42', 1_000_000n, 1.2],
    ] as const) {
      expect(atomicToUsd(network, asset, amount)).toBe(usd)
      expect([isOfficialAsset(network, asset), isCanonicalUsdc(network, asset)]).toEqual([true, false])
    }
  })

  test('error: a coin, an unknown token, or one whose decimals are not known, has no price', () => {
    const keetaUsdc = 'keeta_amnkge74xitii5dsobstldatv3irmyimujfjotftx7plaaaseam4bntb7wnna'
    expect(isCanonicalUsdc('keeta:21378', keetaUsdc)).toBe(true)
    expect(atomicToUsd('keeta:21378', keetaUsdc, 1n)).toBeNull()
    expect(atomicToUsd('xrpl:0', 'XRP', 1n)).toBeNull()
    expect(atomicToUsd(BASE, `0x${'0'.repeat(40)}`, 10n ** 18n)).toBeNull()
    expect(atomicToUsd(BASE, '0x1111111111111111111111111111111111111111', 1n)).toBeNull()
    expect(atomicToUsd('eip155:987654321', BASE_USDC, 1n)).toBeNull()
  })
})

describe('toCaip2', () => {
  test('default', () => {
    expect(toCaip2('base', 1)).toBe(BASE)
    expect(toCaip2('iotex', 1)).toBe('eip155:4689')
    expect(toCaip2(ALGORAND, 2)).toBe(ALGORAND)
    expect(toCaip2('tvm:-239', 2)).toBe('tvm:-239')
  })

  test('behavior: a v1 name that no table has stays as it is', () => {
    expect(toCaip2('xlayer', 1)).toBe('xlayer')
  })

  test('error: a name in v2, an id in v1, and other text are no networks', () => {
    expect([toCaip2('base', 2), toCaip2(BASE, 1), toCaip2('', 1), toCaip2('a b', 1)]).toEqual(
      Array(4).fill(undefined),
    )
    expect(toCaip2(`eip155:${'1'.repeat(65)}`, 2)).toBeUndefined()
    expect(toCaip2('a-longer-namespace:main', 2)).toBeUndefined()
    expect(toCaip2('abc-1234:A_b-1', 2)).toBe('abc-1234:A_b-1')
  })
})
