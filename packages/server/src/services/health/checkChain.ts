import type { Chain, ChainCounts } from '@touchstone402/transfers'
import { listRpcs } from '../../chain/listRpcs.ts'
import { MINUTE } from '../../facts/times.ts'
import { orElse } from '../../lib/metrics.ts'
import { STALE_BLOCK_MS } from '../../payments/createConfirmation.ts'
import type { Check, Finding } from './createHealth.ts'
import { type RpcHead, type RpcState, readRpc } from './readRpc.ts'
import { createRecentCalls } from './recentCalls.ts'

export type ChainCheckDeps = {
  readonly chain: Pick<Chain, 'chainId' | 'hosts' | 'requestOf' | 'counts'>
  /** Real Unix time in ms, which chains keep. */
  readonly now: () => number
}

const EVERY_MS = 15_000
/** Interval at which an RPC is asked for its chain, and at which a fallback is asked that is not in use: each call costs quota. */
const RARELY_MS = 10 * MINUTE
/** Window over which failed calls are counted, and how many of them are too many. */
const SHARE_MS = 5 * MINUTE
const MOST_FAILED = 0.5
const FEWEST_CALLS = 20

const NO_CALLS: ChainCounts['rpcs'][number] = { requests: 0, failures: 0 }
const UNASKED: RpcState = { chainId: null, head: null, reason: null }

/** Checks that the chain can be read: asks the preferred RPC for its newest block, and the others rarely or if that fails. */
export function checkChain({ chain, now }: ChainCheckDeps) {
  const { chainId } = chain
  const rpcs = listRpcs(chain, 'health')
  /** Host of the URL; its number too if several have it. */
  const names = rpcs.map(({ host }, index) =>
    rpcs.filter((other) => other.host === host).length > 1 ? `${host} (${index + 1})` : host,
  )
  const own = rpcs.map((rpc, index) => ({
    rpc,
    name: names[index] ?? '',
    state: UNASKED,
    askedAt: Number.NEGATIVE_INFINITY,
    chainAt: Number.NEGATIVE_INFINITY,
    /** Calls to it, as they were last read. */
    calls: NO_CALLS,
    recent: createRecentCalls(SHARE_MS),
  }))
  type Own = (typeof own)[number]
  /** Share of failed calls of each RPC in the window. */
  let shares: readonly number[] = []

  const isAnswering = ({ state }: Own) => state.head !== null && state.chainId === chainId
  const ageOf = ({ state: { head } }: Own) => (head === null ? Number.NaN : head.readAtMs - head.atMs)
  /** Whether it can be read as it should; our clock may be wrong too, so that the others are worth a question. */
  const isUsable = (one: Own) => isAnswering(one) && Math.abs(ageOf(one)) <= STALE_BLOCK_MS

  const readCalls = async () => {
    const { rpcs: counts } = await chain.counts({})
    for (const [index, one] of own.entries()) one.calls = counts[index] ?? NO_CALLS
  }
  const ask = async (one: Own) => {
    one.askedAt = performance.now()
    const isKnown = one.askedAt - one.chainAt < RARELY_MS
    one.state = await readRpc(one.rpc, now, isKnown ? one.state.chainId : null)
    if (!isKnown && one.state.chainId !== null) one.chainAt = one.askedAt
  }
  const shareOf = ({ calls: { requests, failures }, recent }: Own) => {
    const { calls, failed } = recent({ calls: requests, failed: failures })
    return calls < FEWEST_CALLS ? 0 : failed / calls
  }
  const judge = (): Finding => {
    const bad = (status: string, sentence: string): Finding => ({ level: 'degraded', status, sentence })
    const wrong = own.find(({ state }) => state.chainId !== null && state.chainId !== chainId)
    if (wrong !== undefined)
      return bad('wrong chain', `RPC ${wrong.name} is on chain ${wrong.state.chainId}, not ${chainId}`)
    const silent = own.filter(({ state }) => state.head === null)
    const reasons = silent.map(({ name, state }) => `${name}: ${state.reason}`).join('; ')
    // The one that is read: the others are asked only if it does not answer.
    const used = own.find(isAnswering)
    if (used === undefined) return bad('unreachable', `no RPC answers (${reasons})`)
    if (ageOf(used) > STALE_BLOCK_MS)
      return bad(
        'head is old',
        `the newest block of RPC ${used.name} is ${Math.round(ageOf(used) / 1000)} s old: it is behind, or this machine's clock is ahead; paid calls that wait for the chain are refused`,
      )
    if (silent.length > 0)
      return {
        ...bad('partly unreachable', `${silent.length} of ${own.length} RPCs do not answer (${reasons})`),
        level: 'impaired',
      }
    const failing = shares.findIndex((share) => share > MOST_FAILED)
    if (failing < 0) return { level: 'ok', status: 'ok' }
    const percent = Math.round(100 * (shares[failing] ?? 0))
    return {
      ...bad('calls fail', `${percent} % of the calls to RPC ${names[failing]} failed within five minutes`),
      level: own.length > 1 ? 'impaired' : 'degraded',
    }
  }
  const byName = (read: (one: Own) => number) => Object.fromEntries(own.map((one) => [one.name, read(one)]))

  return {
    name: 'chain',
    everyMs: EVERY_MS,
    patienceMs: 2 * EVERY_MS,
    unanswered: { level: 'degraded', status: 'unreachable', sentence: 'no RPC answers' },
    async run() {
      const isDue = (one: Own) => one === own[0] || performance.now() - one.askedAt >= RARELY_MS
      const due = own.filter(isDue)
      await Promise.all(due.map(ask))
      if (!due.some(isUsable)) await Promise.all(own.filter((one) => !due.includes(one)).map(ask))
      await readCalls()
      shares = own.map(shareOf)
      return judge()
    },
    /**
     * Refuses an RPC on another chain at the start, since every receiver would seem unpaid there. One that does not
     * answer may be back later.
     * @throws Error that names the setting
     */
    refuseWrongChain(): void {
      const wrong = own.find(({ state }) => state.chainId !== null && state.chainId !== chainId)
      if (wrong === undefined) return
      const { name, state } = wrong
      throw new Error(
        `RPC_URLS: ${name} is on chain eip155:${state.chainId}, not on eip155:${chainId} (NETWORK)`,
      )
    },
    /** Returns the newest block of each RPC that answered and is on the right chain. */
    heads: (): readonly RpcHead[] =>
      own.flatMap((one) => (isAnswering(one) && one.state.head !== null ? [one.state.head] : [])),
    addGauges({ gaugeBy, totalBy }) {
      gaugeBy('chain_wrong', '1 if an RPC is on another chain; else 0.', 'rpc', () =>
        byName(({ state }) => Number(![null, chainId].includes(state.chainId))),
      )
      gaugeBy(
        'chain_head_age_seconds',
        'Age of the newest block of an RPC as it was last asked; NaN without answer.',
        'rpc',
        () => byName((one) => ageOf(one) / 1000),
      )
      const readBy = (read: (one: Own) => number) =>
        orElse<Readonly<Record<string, number>>>(
          readCalls().then(() => byName(read)),
          {},
        )
      totalBy('chain_calls_total', 'Calls to an RPC.', 'rpc', () => readBy(({ calls }) => calls.requests))
      totalBy('chain_failed_calls_total', 'Calls to an RPC without a usable answer.', 'rpc', () =>
        readBy(({ calls }) => calls.failures),
      )
    },
  } satisfies Check & { refuseWrongChain(): void; heads(): readonly RpcHead[] }
}
