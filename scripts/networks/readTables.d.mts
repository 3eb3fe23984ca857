type Network = { caip2: string; label: string; testnet: boolean }

/** The tables of networks and assets, by the name of their file. */
export function readTables(): {
  /** Networks whose USDC takes transfer authorizations, and which x402 v1 names. */
  usdcNetworks: (Network & { v1Name: string; usdc: string; usdcName: string })[]
  /** Names in x402 v1 of other networks. */
  v1Names: Record<string, string>
  /** Other networks on which an asset is known. */
  networks: Network[]
  /** Other ids of the same networks, as specifications and the field write them. */
  aliases: Record<string, string>
  /**
   * Assets that the protocol or their issuer names, beside the USDC of `usdcNetworks`. `decimals` is null if not known, `usd`
   * without a fixed value.
   */
  assets: {
    network: string
    asset: string
    symbol: string
    source: string
    decimals: number | null
    usd: number | null
  }[]
  /** Where rows come from, and when that was read. */
  sources: Record<string, { from: string; date: string }>
}
