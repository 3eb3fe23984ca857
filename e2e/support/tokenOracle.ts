// Reference implementation of the token responses with viem's logs, bigints and maps. Uses no code of the server.
import { type Address, formatUnits, type Hex, type PublicClient, parseAbiItem, zeroAddress } from 'viem'

export type Log = {
  block: number
  logIndex: number
  txHash: Hex
  from: Address
  to: Address
  value: bigint
}

const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
const BURNS = [
  zeroAddress,
  '0x0000000000000000000000000000000000000001',
  '0x000000000000000000000000000000000000dead',
].map((address) => address.toLowerCase())
const DECIMALS = 6

const sum = (logs: readonly Log[]) => logs.reduce((total, { value }) => total + value, 0n)
const ascending = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)
const isZero = (address: string) => address === zeroAddress
const isMint = ({ from }: Log) => isZero(from)
const isBurn = (log: Log) => !isMint(log) && BURNS.includes(log.to.toLowerCase())

/** Returns an amount in atomic and in decimal form. */
export const amountOf = (raw: bigint) => ({ raw: String(raw), amount: formatUnits(raw, DECIMALS) })

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

const percentile = (logs: readonly Log[], share: number): bigint =>
  logs.map(({ value }) => value).sort(ascending)[Math.max(0, Math.ceil(share * logs.length) - 1)] ?? 0n

/** Returns the round-trip volume of a transaction: self-transfers, and twice the smaller direction between two accounts. */
function roundTrips(logs: readonly Log[]): bigint {
  const sums = new Map<string, bigint>()
  const key = (tx: Hex, from: string, to: string) => [tx, from, to].join(' ')
  for (const { txHash, from, to, value } of logs)
    sums.set(key(txHash, from, to), (sums.get(key(txHash, from, to)) ?? 0n) + value)
  return [...sums].reduce((total, [name, there]) => {
    const [tx = '0x', from = '', to = ''] = name.split(' ')
    const back = from === to ? there : (sums.get(key(tx as Hex, to, from)) ?? 0n)
    const [returned = 0n] = [there, back].sort(ascending)
    return total + returned
  }, 0n)
}

/** Returns the figures that pulse and momentum share. */
export function figuresOf(logs: readonly Log[]) {
  const people = (addresses: Address[]) => new Set(addresses.filter((address) => !isZero(address)))
  const volume = sum(logs)
  return {
    transfers: logs.length,
    uniqueSenders: people(logs.map(({ from }) => from)).size,
    uniqueReceivers: people(logs.map(({ to }) => to)).size,
    uniqueAddresses: people(logs.flatMap(({ from, to }) => [from, to])).size,
    volume,
    volumeWithoutRoundTrips: volume - roundTrips(logs),
    mint: sum(logs.filter(isMint)),
    burn: sum(logs.filter(isBurn)),
    median: percentile(logs, 0.5),
    largest: percentile(logs, 1),
  }
}

/** Returns the expected `/pulse` response for a complete window. */
export function pulseOf(logs: readonly Log[], { from, to }: { from: number; to: number }) {
  const blocks = to - from + 1
  const { volume, volumeWithoutRoundTrips, mint, burn, median, largest, ...counts } = figuresOf(logs)
  const perBlock = new Map<number, number>()
  const gross = new Map<string, bigint>()
  for (const log of logs) {
    perBlock.set(log.block, (perBlock.get(log.block) ?? 0) + 1)
    for (const address of [log.from, log.to])
      if (!isZero(address)) gross.set(address, (gross.get(address) ?? 0n) + log.value)
  }
  const [busiest] = [...perBlock].sort(([a, x], [b, y]) => y - x || a - b)
  const top = [...gross.values()].sort(ascending).slice(-10)
  const part = (block: number) => Math.floor(((block - from) * 24) / blocks)
  return {
    ...counts,
    zeroValueTransfers: logs.filter(({ value }) => value === 0n).length,
    volume: amountOf(volume),
    volumeWithoutRoundTrips: amountOf(volumeWithoutRoundTrips),
    mint: { count: logs.filter(isMint).length, ...amountOf(mint) },
    burn: { count: logs.filter(isBurn).length, ...amountOf(burn) },
    median: amountOf(median),
    p95: amountOf(percentile(logs, 0.95)),
    largest: amountOf(largest),
    top10SharePct: Number((top.reduce((a, b) => a + b, 0n) * 1_000_000n) / (2n * volume)) / 10_000,
    transfersPerBlock: Math.round((logs.length / blocks) * 10_000) / 10_000,
    busiestBlock: busiest === undefined ? null : { block: busiest[0], transfers: busiest[1] },
    series: Array.from({ length: 24 }, (_, bucket) => {
      const inside = logs.filter(({ block }) => part(block) === bucket)
      return { transfers: inside.length, volume: amountOf(sum(inside)) }
    }),
  }
}

/** Returns the expected transfers of `/whales`, for a given or derived threshold. */
export function whalesOf(logs: readonly Log[], given?: bigint) {
  const bySize = [...logs].sort((a, b) => ascending(b.value, a.value))
  const derived = bySize[Math.min(9, bySize.length - 1)]?.value ?? 1n
  const threshold = given ?? (derived === 0n ? 1n : derived)
  const rows = bySize.filter(({ value }) => value >= threshold)
  return {
    threshold,
    rows,
    matchedVolume: sum(rows),
    mint: sum(rows.filter(isMint)),
    burn: sum(rows.filter(isBurn)),
    sharePct: (value: bigint) => Number((value * 1_000_000n) / sum(logs)) / 10_000,
  }
}

/** Returns the expected `/flow` response for each address and in total. */
export function flowOf(logs: readonly Log[]) {
  const rows = new Map<Address, { in: bigint; out: bigint; inCount: number; outCount: number }>()
  const met = new Map<Address, Set<Address>>()
  const row = (address: Address) => {
    const known = rows.get(address) ?? { in: 0n, out: 0n, inCount: 0, outCount: 0 }
    rows.set(address, known)
    return known
  }
  const meet = (one: Address, other: Address) => {
    if (one !== other) met.set(one, (met.get(one) ?? new Set()).add(other))
  }
  for (const { from, to, value } of logs) {
    const sender = row(from)
    sender.out += value
    sender.outCount++
    const recipient = row(to)
    recipient.in += value
    recipient.inCount++
    meet(from, to)
    meet(to, from)
  }
  const people = [...rows]
    .filter(([address]) => !isZero(address))
    .map(([address, found]) => ({
      address,
      ...found,
      net: found.in - found.out,
      counterparties: met.get(address)?.size ?? 0,
    }))
  const gains = people.filter(({ net }) => net > 0n).sort((a, b) => ascending(b.net, a.net))
  const losses = people.filter(({ net }) => net < 0n).sort((a, b) => ascending(a.net, b.net))
  const total = (list: typeof people) => list.reduce((all, { net }) => all + net, 0n)
  return {
    people,
    gains,
    losses,
    accumulated: total(gains),
    distributed: -total(losses),
    minted: sum(logs.filter(isMint)),
    burned: sum(logs.filter(isBurn)),
    burnedToZero: sum(logs.filter(({ to }) => isZero(to))),
  }
}

/** Returns an expected change of `/momentum`, with its percentage truncated to two decimals. */
export const changeOf = (current: bigint, previous: bigint) => ({
  delta: current - previous,
  pct: previous === 0n ? null : Number(((current - previous) * 10_000n) / previous) / 100,
})
