import type { Economy } from '@touchstone402/economy'
import { type Hex, parseAbiItem } from 'viem'

const USED = parseAbiItem('event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)')
const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
const BLOCKS_AT_ONCE = 500n

/** Settlements of some payments on chain. */
export type Settlements = {
  /** Number of uses of each nonce. */
  readonly uses: ReadonlyMap<Hex, number>
  /** All transfers to the service. */
  readonly transfers: number
}

/** Counts from a block to the newest one. */
export async function countSettlements(
  { chain, wallets }: Economy,
  firstBlock: bigint,
): Promise<Settlements> {
  const { publicClient, usdc: address } = chain
  const uses = new Map<Hex, number>()
  let transfers = 0
  const head = await publicClient.getBlockNumber()
  for (let fromBlock = firstBlock; fromBlock <= head; fromBlock += BLOCKS_AT_ONCE) {
    const range = { address, fromBlock, toBlock: fromBlock + BLOCKS_AT_ONCE - 1n, strict: true } as const
    for (const { args } of await publicClient.getLogs({ ...range, event: USED })) {
      uses.set(args.nonce, (uses.get(args.nonce) ?? 0) + 1)
    }
    const paid = await publicClient.getLogs({
      ...range,
      event: TRANSFER,
      args: { to: wallets.service.address },
    })
    transfers += paid.length
  }
  return { uses, transfers }
}
