import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readTables } from './readTables.mjs'

describe('readTables', () => {
  test('default: the tables hold what the pinned packages and the lists know; else run npm run networks', () => {
    const folder = new URL('../../packages/shared/src/tables/', import.meta.url)
    for (const [name, table] of Object.entries(readTables()))
      expect(JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')), name).toEqual(table)
  })

  test('behavior: states each network and each asset once', () => {
    const { usdcNetworks, networks, assets } = readTables()
    const ids = [...usdcNetworks, ...networks].map(({ caip2 }) => caip2)
    expect(new Set(ids).size).toBe(ids.length)
    const keys = [
      ...usdcNetworks.map(({ caip2, usdc }) => `${caip2} ${usdc}`),
      ...assets.map(({ network, asset }) => `${network} ${asset}`),
    ].map((key) => key.toLowerCase())
    expect(new Set(keys).size).toBe(keys.length)
    expect(assets.every(({ network }) => ids.includes(network))).toBe(true)
  })

  test('behavior: only tokens of a fixed value count for dollars, euro tokens for 1.2', () => {
    const { assets } = readTables()
    const symbols = (usd: number | null) => [
      ...new Set(assets.filter((row) => row.usd === usd).map(({ symbol }) => symbol)),
    ]
    expect(symbols(1.2).sort()).toEqual(['EURC', 'EURR'])
    expect(symbols(null).sort()).toEqual(['ADA', 'BTC', 'CC', 'CCD', 'HBAR', 'KTA', 'XRP'])
    expect(symbols(1).every((symbol) => /USD|^(CASH|SBC|USAT|U)$/.test(symbol))).toBe(true)
  })

  test('behavior: a test network is marked as one', () => {
    const { usdcNetworks, networks } = readTables()
    for (const { caip2, label, testnet } of [...usdcNetworks, ...networks]) {
      const isNamedTest = /test|sepolia|fuji|amoy|dev|hoodi|atlantic|apothem|preprod|preview/i.test(
        caip2 + label,
      )
      expect([caip2, testnet]).toEqual([caip2, isNamedTest])
    }
  })
})
