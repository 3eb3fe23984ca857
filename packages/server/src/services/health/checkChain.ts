import type { Rpc } from '@touchstone402/transfers'
import { messageOf } from '../../errors.ts'
import { MINUTE } from '../../facts/times.ts'
import type { Check, Finding } from './createHealth.ts'

export type ChainCheckDeps = {
  readonly rpcs: readonly Rpc[]
  readonly chainId: number
  /** Real Unix time in ms, which chains keep. */
  readonly now: () => number
}

/** Last response of one RPC. */
export type RpcState = {
  /** Host of its URL; the number of the URL too if several have it. */
  readonly name: string
  /** Null if it did not answer. */
  readonly chainId: number | null
  /** Newest block; null if it did not answer. */
  readonly head: { readonly number: number; readonly atMs: number } | null
  /** Why it did not answer. */
  readonly reason: string | null
}

const EVERY_MS = 15_000
const ANSWER_MS = 5_000
const OLD_HEAD_MS = 5 * MINUTE
/** Window over which failed calls are counted, and how many of them are too many. */
const SHARE_MS = 5 * MINUTE
const MOST_FAILED = 0.5
const FEWEST_CALLS = 20

/** Asks each RPC of the configuration for its chain and its newest block. */
export function checkChain({ rpcs, chainId, now }: ChainCheckDeps) {
  const names = rpcs.map(({ host }, index) =>
    rpcs.filter((other) => other.host === host).length > 1 ? `${host} (${index + 1})` : host,
  )
  const nameOf = (index: number) => names[index] ?? `${index + 1}`
  let states: readonly RpcState[] = []
  let shares: readonly number[] = []
  const samples: { readonly at: number; readonly counts: readonly (readonly [number, number])[] }[] = []

  /** Returns the share of failed calls of each RPC in the window. */
  const readShares = () => {
    const counts = rpcs.map((rpc) => [rpc.requests(), rpc.failures()] as const)
    while ((samples[0]?.at ?? Number.POSITIVE_INFINITY) < performance.now() - SHARE_MS) samples.shift()
    const first = samples[0]?.counts ?? counts.map(() => [0, 0] as const)
    samples.push({ at: performance.now(), counts })
    return counts.map(([requests, failures], index) => {
      const [requestsBefore, failuresBefore] = first[index] ?? [0, 0]
      const made = requests - requestsBefore
      return made < FEWEST_CALLS ? 0 : (failures - failuresBefore) / made
    })
  }
  const judge = (): Finding => {
    const bad = (status: string, sentence: string): Finding => ({ level: 'degraded', status, sentence })
    const wrong = states.find((state) => state.chainId !== null && state.chainId !== chainId)
    if (wrong !== undefined)
      return bad('wrong chain', `RPC ${wrong.name} is on chain ${wrong.chainId}, not ${chainId}`)
    const silent = states.filter(({ head }) => head === null)
    const reasons = silent.map(({ name, reason }) => `${name}: ${reason}`).join('; ')
    if (silent.length === states.length) return bad('unreachable', `no RPC answers (${reasons})`)
    if (silent.length > 0)
      return bad('partly unreachable', `${silent.length} of ${states.length} RPCs do not answer (${reasons})`)
    const heads = states.flatMap(({ head }) => (head === null ? [] : [head.atMs]))
    const ageMs = now() - Math.max(...heads)
    if (ageMs > OLD_HEAD_MS)
      return bad('head is old', `the newest block of every RPC is ${Math.round(ageMs / 1000)} s old`)
    const failing = shares.findIndex((share) => share > MOST_FAILED)
    if (failing < 0) return { level: 'ok', status: 'ok' }
    return bad(
      'calls fail',
      `${Math.round(100 * (shares[failing] ?? 0))} % of the calls to RPC ${nameOf(failing)} failed within five minutes`,
    )
  }
  const byName = (read: (index: number) => number) =>
    Object.fromEntries(rpcs.map((_, index) => [nameOf(index), read(index)]))

  return {
    name: 'chain',
    everyMs: EVERY_MS,
    patienceMs: 2 * EVERY_MS,
    unanswered: { level: 'degraded', status: 'unreachable', sentence: 'no RPC answers' },
    async run() {
      states = await Promise.all(rpcs.map((rpc, index) => askRpc(rpc, nameOf(index))))
      shares = readShares()
      return judge()
    },
    states: () => states,
    addGauges({ gaugeBy, totalBy }) {
      gaugeBy('chain_wrong', '1 if an RPC is on another chain; else 0.', 'rpc', () =>
        byName((index) => Number(![null, undefined, chainId].includes(states[index]?.chainId))),
      )
      gaugeBy('chain_head_age_seconds', 'Age of the newest block of an RPC; NaN without answer.', 'rpc', () =>
        byName((index) => (now() - (states[index]?.head?.atMs ?? Number.NaN)) / 1000),
      )
      totalBy('chain_calls_total', 'Calls to an RPC.', 'rpc', () =>
        byName((index) => rpcs[index]?.requests() ?? 0),
      )
      totalBy('chain_failed_calls_total', 'Calls to an RPC without a usable answer.', 'rpc', () =>
        byName((index) => rpcs[index]?.failures() ?? 0),
      )
    },
  } satisfies Check & { states(): readonly RpcState[] }
}

/** Asks one RPC, without a fallback to another. */
async function askRpc(rpc: Rpc, name: string): Promise<RpcState> {
  let chainId: number | null = null
  try {
    const read = { deadlineAt: Date.now() + ANSWER_MS }
    chainId = toNumber(await rpc.call('eth_chainId', [], read))
    const block = await rpc.call('eth_getBlockByNumber', ['latest', false], read)
    const { number, timestamp } = Object(block) as { number?: unknown; timestamp?: unknown }
    return {
      name,
      chainId,
      head: { number: toNumber(number), atMs: toNumber(timestamp) * 1000 },
      reason: null,
    }
  } catch (error) {
    return { name, chainId, head: null, reason: messageOf(error) }
  }
}

function toNumber(value: unknown): number {
  if (typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value)) return Number(value)
  throw new Error('its answer is not a number')
}

/**
 * Refuses an RPC on another chain at the start, whose data would read as if no receiver was ever paid. One that does not answer
 * may be back later.
 * @throws Error that names the setting
 */
export function refuseWrongChain(states: readonly RpcState[], network: string): void {
  const isOther = ({ chainId }: RpcState) => chainId !== null && `eip155:${chainId}` !== network
  const wrong = states.find(isOther)
  if (wrong !== undefined)
    throw new Error(
      `RPC_URLS: ${wrong.name} is on chain eip155:${wrong.chainId}, not on ${network} (NETWORK)`,
    )
}
