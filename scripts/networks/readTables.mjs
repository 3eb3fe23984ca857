import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const guard = createRequire(new URL('../../packages/guard/package.json', import.meta.url))
// The v1 package is pinned as a dependency of its fetch client.
const v1 = createRequire(guard.resolve('x402-fetch'))
const SOLANA = new Map([
  [101, 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
  [103, 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'],
])
/** Names of networks that no pinned package labels. */
const LABELS = { 'eip155:1514': 'Story', 'eip155:36900': 'ADI Chain' }
const READ_AT = '2026-11-22'
const DOLLARS = 'USDC USDC.e USDT USDT0 USDG PYUSD CASH USDM MegaUSD mUSD SBC USAT USD1 U'.split(' ')
/**
 * Dollars for one token, by its symbol in these tables. A euro token counts as 1.2 dollars: a rate that moves would change
 * old verdicts when they are recomputed, and prices are only compared by multiples. Coins without a fixed value have none.
 */
const USD = new Map([
  ...[...DOLLARS, 'Binance-Peg USDC', 'Binance-Peg USDT'].map((symbol) => [symbol, 1]),
  ...['EURC', 'EURR'].map((symbol) => [symbol, 1.2]),
])

/**
 * Merges what the pinned packages and the issuers' lists know about networks and assets.
 * A pinned package comes before a list, so that each asset is stated once.
 */
export function readTables() {
  const lists = ['circle', 'protocol', 'issuers'].map((name) =>
    JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8')),
  )
  const pinned = readPinned()
  const names = new Map(pinned.names.map(([name, network]) => [network, name]))
  const assets = new Map()
  for (const [network, address, symbol, source, decimals, domain] of [
    ...pinned.assets,
    ...lists.flatMap((list) =>
      list.assets.map((row) => [...row.slice(0, 4), row[4] ?? list.decimals ?? null]),
    ),
  ]) {
    const key = `${network} ${address}`.toLowerCase()
    if (!assets.has(key))
      assets.set(key, { network, address: checksum(network, address), symbol, source, decimals, domain })
  }
  const listed = new Map(lists.flatMap((list) => list.networks).map(([id, ...rest]) => [id, rest]))
  const ids = new Set([
    ...listed.keys(),
    ...names.keys(),
    ...[...assets.values()].map(({ network }) => network),
  ])
  const networks = [...ids].sort(byId).map((caip2) => ({ caip2, ...describe(caip2, listed.get(caip2)) }))
  // Circle's USDC, with a domain of version 2, on a network that v1 names: payable without configuration.
  const isPayable = ({ network, symbol, domain }) =>
    symbol === 'USDC' && domain?.version === '2' && names.has(network)
  const payable = networks.flatMap((network) => {
    const usdc = [...assets.values()].find((asset) => asset.network === network.caip2 && isPayable(asset))
    if (usdc === undefined) return []
    return [{ ...network, v1Name: names.get(network.caip2), usdc: usdc.address, usdcName: usdc.domain.name }]
  })
  const isStated = ({ network, address }) =>
    payable.some(({ caip2, usdc }) => caip2 === network && usdc === address)
  const isPayableNetwork = (id) => payable.some(({ caip2 }) => caip2 === id)
  return {
    usdcNetworks: payable,
    v1Names: Object.fromEntries(
      pinned.names.filter(([, id]) => !isPayableNetwork(id)).sort((a, b) => byId(a[1], b[1])),
    ),
    networks: networks.filter(({ caip2 }) => !isPayableNetwork(caip2)),
    aliases: Object.fromEntries(lists.flatMap((list) => list.aliases)),
    assets: [...assets.values()]
      .filter((asset) => !isStated(asset))
      .sort((a, b) => byId(a.network, b.network))
      .map(({ network, address, symbol, source, decimals }) => ({
        network,
        asset: address,
        symbol,
        source,
        decimals,
        usd: USD.get(symbol) ?? null,
      })),
    sources: Object.assign({}, pinned.sources, ...lists.map((list) => list.sources)),
  }
}

function readPinned() {
  const evm = guard('@x402/evm')
  const { EVM_NETWORK_CHAIN_ID_MAP } = guard('@x402/evm/v1')
  const old = v1('x402/types')
  const toId = (chainId) => SOLANA.get(chainId) ?? `eip155:${chainId}`
  const v1Ids = [
    ...Object.entries(EVM_NETWORK_CHAIN_ID_MAP),
    ...old.EvmNetworkToChainId,
    ...old.SvmNetworkToChainId,
  ]
  return {
    sources: {
      evm: { from: `@x402/evm ${pinnedVersion('@x402/evm')}, DEFAULT_ASSETS`, date: READ_AT },
      v1: { from: `x402 ${pinnedVersion('x402-fetch')}, USDC by chain`, date: READ_AT },
    },
    names: [...new Map(v1Ids)].map(([name, chainId]) => [name, toId(chainId)]),
    assets: [
      ...Object.entries(evm.DEFAULT_ASSETS).flatMap(([network, entries]) =>
        entries.map(({ asset, symbol, name, version, decimals, assetTransferMethod }) => [
          // A token that is called USDC, but is neither Circle's nor of its contract's version, is a bridged one.
          ...[network, asset, symbol === 'USDC' && version !== '2' ? 'USDC.e' : symbol, 'evm', decimals],
          assetTransferMethod === undefined ? { name, version } : undefined,
        ]),
      ),
      ...Object.entries(old.evm.config).map(([chainId, { usdcAddress, usdcName }]) => [
        // Upstream counts six decimals for every one of them.
        ...[toId(Number(chainId)), usdcAddress, CIRCLES.has(toId(Number(chainId))) ? 'USDC' : 'USDC.e', 'v1'],
        6,
        // Upstream signs for every one of them with version 2, but only Circle's are known to have it.
        CIRCLES.has(toId(Number(chainId))) ? { name: usdcName, version: '2' } : undefined,
      ]),
    ],
  }
}

/** Networks on which Circle issues USDC. */
const CIRCLES = new Set(
  JSON.parse(readFileSync(new URL('circle.json', import.meta.url), 'utf8')).assets.map(
    ([network]) => network,
  ),
)

function describe(caip2, listed) {
  if (listed !== undefined) return { label: listed[0], testnet: listed[1] === 'test' }
  const chain = Object.values(guard('viem/chains')).find(({ id }) => `eip155:${id}` === caip2)
  if (chain === undefined) throw new Error(`${caip2}: name it in circle.json, protocol.json or issuers.json`)
  return { label: LABELS[caip2] ?? chain.name.replace(/ Mainnet$/, ''), testnet: chain.testnet === true }
}

function checksum(network, address) {
  return network.startsWith('eip155:') ? guard('viem').getAddress(address) : address
}

function pinnedVersion(name) {
  const catalog = readFileSync(new URL('../../pnpm-workspace.yaml', import.meta.url), 'utf8')
  return new RegExp(`^  "?${name}"?: (.+)$`, 'm').exec(catalog)?.[1]
}

function byId(a, b) {
  return a.localeCompare(b, 'en', { numeric: true })
}
