import { type Address, formatUnits, type Hex, type PublicClient, parseAbiItem } from 'viem'

/** A transfer of a token, as the chain itself has it. */
export type Log = {
  block: number
  logIndex: number
  txHash: Hex
  from: Address
  to: Address
  value: bigint
}

const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')

/** Returns the transfers of a token in a block range, in chain order. */
export async function readLogs(
  client: PublicClient,
  token: Address,
  { from, to }: { from: number; to: number },
): Promise<Log[]> {
  const range = { fromBlock: BigInt(from), toBlock: BigInt(to) }
  const logs = await client.getLogs({ address: token, event: TRANSFER, ...range, strict: true })
  return logs.map(({ args, blockNumber, logIndex, transactionHash }) => ({
    ...args,
    block: Number(blockNumber),
    logIndex,
    txHash: transactionHash,
  }))
}

/** Returns what is transferred in sum. */
export const sumOf = (logs: readonly Pick<Log, 'value'>[]) =>
  logs.reduce((total, { value }) => total + value, 0n)

/** Returns an amount of 6 decimals in atomic and in decimal form. */
export const amountOf = (raw: bigint) => ({ raw: String(raw), amount: formatUnits(raw, 6) })
