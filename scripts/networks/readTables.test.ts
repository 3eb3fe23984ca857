import { describe, expect, test } from 'vitest'
import { ASSET_SOURCES, OFFICIAL_ASSETS } from '../../packages/shared/src/tables/assets.ts'
import { NETWORK_ALIASES, OTHER_NETWORKS } from '../../packages/shared/src/tables/networks.ts'
import { OTHER_V1_NAMES, USDC_NETWORKS } from '../../packages/shared/src/tables/usdcNetworks.ts'
import { readTables } from './readTables.mjs'

describe('readTables', () => {
  test('default: the tables hold what the pinned packages and the lists know; else run npm run networks', () => {
    const { payable, names, networks, aliases, assets, sources } = readTables()
    expect(USDC_NETWORKS).toEqual(payable)
    expect(OTHER_V1_NAMES).toEqual(names)
    expect(
      OTHER_NETWORKS.map(([caip2, label, kind]) => ({ caip2, label, testnet: kind === 'test' })),
    ).toEqual(networks)
    expect(NETWORK_ALIASES).toEqual(aliases)
    expect(OFFICIAL_ASSETS).toEqual(assets)
    expect(ASSET_SOURCES).toEqual(sources)
  })

  test('behavior: states each network and each asset once', () => {
    const { payable, networks, assets } = readTables()
    const ids = [...payable, ...networks].map(({ caip2 }) => caip2)
    expect(new Set(ids).size).toBe(ids.length)
    const keys = [
      ...payable.map(({ caip2, usdc }) => `${caip2} ${usdc}`),
      ...assets.map(([network, asset]) => `${network} ${asset}`),
    ].map((key) => key.toLowerCase())
    expect(new Set(keys).size).toBe(keys.length)
    expect(assets.every(([network]) => ids.includes(network))).toBe(true)
  })

  test('behavior: only tokens of a fixed value count for dollars, euro tokens for 1.2', () => {
    const { assets } = readTables()
    const symbols = (usd: number | null) => [
      ...new Set(assets.filter((row) => row[5] === usd).map(([, , symbol]) => symbol)),
    ]
    expect(symbols(1.2).sort()).toEqual(['EURC', 'EURR'])
    expect(symbols(null).sort()).toEqual(['ADA', 'BTC', 'CC', 'CCD', 'HBAR', 'KTA', 'XRP'])
    expect(symbols(1).every((symbol) => /USD|^(CASH|SBC|USAT|U)$/.test(symbol))).toBe(true)
  })

  test('behavior: a test network is marked as one', () => {
    const { payable, networks } = readTables()
    for (const { caip2, label, testnet } of [...payable, ...networks]) {
      const isNamedTest = /test|sepolia|fuji|amoy|dev|hoodi|atlantic|apothem|preprod|preview/i.test(
        caip2 + label,
      )
      expect([caip2, testnet]).toEqual([caip2, isNamedTest])
    }
  })
})
