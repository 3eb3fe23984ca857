type Network = { caip2: string; label: string; testnet: boolean }

/** The tables of networks and assets. */
export function readTables(): {
  payable: (Network & { v1Name: string; usdc: string; usdcName: string })[]
  names: [name: string, caip2: string][]
  networks: Network[]
  aliases: [alias: string, caip2: string][]
  assets: [
    network: string,
    asset: string,
    symbol: string,
    source: string,
    decimals: number | null,
    usd: number | null,
  ][]
  sources: Record<string, { from: string; date: string }>
}
