// Writes packages/shared/src/tables from the pinned packages and the issuers' lists.
// The lists (circle.json, protocol.json, issuers.json) are kept by hand: read the source that they name, and change its date.
import { mkdirSync, writeFileSync } from 'node:fs'
import { run } from '../setup.mjs'
import { readTables } from './readTables.mjs'

const folder = new URL('../../packages/shared/src/tables/', import.meta.url)
const { payable, names, networks, aliases, assets, sources } = readTables()
const json = (value) => JSON.stringify(value)
const rows = (list) => `[\n${list.map((row) => `  ${json(row)},`).join('\n')}\n]`
const NOTE = '// Written by scripts/networks/write.mjs.\n'

mkdirSync(folder, { recursive: true })
const write = (name, text) => writeFileSync(new URL(name, folder), NOTE + text)

write(
  'usdcNetworks.ts',
  `/** Networks whose USDC takes transfer authorizations, and which x402 v1 names. Sources: ${[sources.evm, sources.v1, sources.circle].map(({ from }) => from).join('; ')}; ${sources.evm.date}. */
export const USDC_NETWORKS = ${rows(payable)} as const

/** Names in x402 v1 of other networks. Source: EVM_NETWORK_CHAIN_ID_MAP of @x402/evm/v1, and the package x402. */
export const OTHER_V1_NAMES: readonly (readonly [name: string, caip2: string])[] = ${rows(names)}
`,
)
write(
  'networks.ts',
  `/** Other networks on which an asset is known: id, display name, whether it is a test network. */
export const OTHER_NETWORKS: readonly (readonly [caip2: string, label: string, kind: 'main' | 'test'])[] = ${rows(
    networks.map(({ caip2, label, testnet }) => [caip2, label, testnet ? 'test' : 'main']),
  )}

/** Other ids of the same networks, as specifications and the field write them. */
export const NETWORK_ALIASES: readonly (readonly [alias: string, caip2: string])[] = ${rows(aliases)}
`,
)
write(
  'assets.ts',
  `/** Where rows come from, and when that was read. */
export const ASSET_SOURCES = ${json(sources)} as const

/** An asset that the protocol or its issuer names: network, address or id, symbol, source, decimals or null if not known, and the dollars that one token counts for or null without a fixed value. */
export type AssetRow = readonly [network: string, asset: string, symbol: string, source: keyof typeof ASSET_SOURCES, decimals: number | null, usd: number | null]

/** Official assets beside the USDC of \`USDC_NETWORKS\`. */
export const OFFICIAL_ASSETS: readonly AssetRow[] = ${rows(assets)}
`,
)
process.exit(await run('npx', ['biome', 'check', '--write', 'packages/shared/src/tables'], { stdout: 1 }))
