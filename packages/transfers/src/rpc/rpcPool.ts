import { setTimeout as sleep } from 'node:timers/promises'
import { ChainError } from '../chainError.ts'
import type { BlockRef, ReadOptions } from '../types.ts'
import { createLearnedLimits, type LearnedLimits } from './learnedLimits.ts'
import { parseRefusal } from './refusal.ts'
import { createRpcEndpoint, type RpcEndpoint, type RpcEndpointOptions } from './rpcEndpoint.ts'
import { RpcFailure, readBlock, toQuantity } from './rpcReply.ts'

/** One RPC of the pool. */
export type Member = RpcEndpoint & {
  readonly limits: LearnedLimits
  /** Highest block that this RPC has returned. */
  headSeen: number
  /** Highest block of which it returned the logs by its hash. */
  logsSeen: number
  /** Questions for the logs of a block that are not answered yet, by its hash. */
  readonly reaching: Map<string, Promise<unknown>>
}

/** Several RPCs of one chain. */
export type RpcPool = {
  /**
   * Runs `work` with the first available RPC and falls back to the next when it fails.
   * An RPC that failed rests for its requested back-off, or for an exponential one. One that refused this request alone
   * rests for this work only, so that no other has to wait.
   *
   * @throws ChainError the last failure, after every RPC has failed in every round
   */
  use<T>(
    work: (member: Member) => Promise<T>,
    options?: ReadOptions & { except?: Member; rounds?: number },
  ): Promise<T>
  call(
    method: string,
    params: readonly unknown[],
    options?: ReadOptions & { readonly rounds?: number },
  ): Promise<unknown>
  /** Compares the hash of a block with all RPCs but the one that told it. @throws ChainError `disagreement` */
  checkAgreement(reference: BlockRef, by: Member, options?: ReadOptions): Promise<void>
  readonly size: number
  readonly members: readonly Member[]
  requests(): number
  /** Ends requests in progress with an error; no work is tried again. */
  close(): Promise<void>
}

/** Options of a pool. `urls`: the preferred RPC first. */
export type RpcPoolOptions = Omit<RpcEndpointOptions, 'url' | 'ordinal'> & {
  readonly chainId: number
  readonly urls: readonly string[]
}

const ROUNDS = 4
const FIRST_PAUSE_MS = 150
/** Longest back-off that a read waits for. An RPC that asks for more is skipped. */
const MAX_WAIT_MS = 30_000
const AGREEMENT_MS = 60_000

/** Whether an error ends the whole read: another RPC would not help. */
const isFinal = (error: unknown): boolean =>
  error instanceof ChainError && ['deadline', 'disagreement', 'too_large', 'reverted'].includes(error.code)

/** Whether an RPC that works refused what it was asked, in words that are not understood. */
function isOfRequest(error: ChainError): boolean {
  const fault = error instanceof RpcFailure ? error.fault : null
  return fault !== null && fault.status < 405 && parseRefusal(fault).kind === 'unclear'
}

type Slot = Member & { restUntil: number; chain: Promise<void> | null; agreedAt: number }

/** Creates a pool. The chain id of each RPC is checked before its first use. */
export function createRpcPool(options: RpcPoolOptions): RpcPool {
  const { now, chainId } = options
  const slots = options.urls.map(
    (url, ordinal): Slot => ({
      ...createRpcEndpoint({ ...options, url, ordinal }),
      limits: createLearnedLimits(),
      headSeen: -1,
      logsSeen: -1,
      reaching: new Map(),
      restUntil: 0,
      chain: null,
      agreedAt: Number.NEGATIVE_INFINITY,
    }),
  )

  const checkChain = async (slot: Slot, read?: ReadOptions): Promise<void> => {
    const answer = Number(await slot.call('eth_chainId', [], read))
    if (answer !== chainId)
      throw new ChainError('disagreement', `RPC ${slot.ordinal} is on chain ${answer}, not ${chainId}`)
  }
  const onChain = (slot: Slot, read?: ReadOptions): Promise<void> => {
    slot.chain ??= checkChain(slot, read).catch((error: unknown) => {
      slot.chain = null
      throw error
    })
    return slot.chain
  }

  const closing = new AbortController()
  const { signal: closed } = closing

  const use: RpcPool['use'] = async (work, read = {}) => {
    const { signal, deadlineAt = Number.POSITIVE_INFINITY, rounds = ROUNDS } = read
    let last: unknown
    const refusedUntil = new Map<Slot, number>()
    const restOf = (slot: Slot) => Math.max(slot.restUntil, refusedUntil.get(slot) ?? 0)
    for (let round = 0; round < rounds; round++) {
      // Resting RPCs come last: by then all others have failed.
      const candidates = slots
        .filter((slot) => slot !== read.except)
        .sort((a, b) => Math.max(restOf(a), now()) - Math.max(restOf(b), now()))
      for (const slot of candidates) {
        const rest = restOf(slot) - now()
        if (rest > MAX_WAIT_MS || (rest > 0 && now() + rest >= deadlineAt)) continue
        if (rest > 0)
          await sleep(rest, undefined, { signal: signal ? AbortSignal.any([signal, closed]) : closed }).catch(
            () => {
              throw new ChainError('deadline', closed.aborted ? 'The RPCs are closed' : 'The caller aborted')
            },
          )
        try {
          await onChain(slot, read)
          return await work(slot)
        } catch (error) {
          if (closed.aborted || isFinal(error) || !(error instanceof ChainError)) throw error
          last = error
          const pause = FIRST_PAUSE_MS * 2 ** round
          const until = now() + (error instanceof RpcFailure ? Math.max(error.waitMs, pause) : pause)
          if (isOfRequest(error)) refusedUntil.set(slot, until)
          else slot.restUntil = until
        }
      }
    }
    throw last ?? new ChainError('unreachable', 'Every RPC asked for a back-off longer than the time left')
  }

  const agree = async (slot: Slot, { number, hash }: BlockRef, read?: ReadOptions): Promise<void> => {
    if (now() - slot.agreedAt < AGREEMENT_MS) return
    await onChain(slot, read)
    const answer = await slot.call('eth_getBlockByNumber', [toQuantity(number), false], read)
    // An RPC that lags is not asked for blocks above its own head.
    if (answer === null) return
    if (readBlock(answer).hash !== hash)
      throw new ChainError('disagreement', `RPC ${slot.ordinal} has a different block ${number}`)
    slot.headSeen = Math.max(slot.headSeen, number)
    slot.agreedAt = now()
  }

  return {
    size: slots.length,
    members: slots,
    use,
    call: (method, params, read) => use((member) => member.call(method, params, read), read),
    async checkAgreement(reference, by, read) {
      const others = slots.filter((slot) => slot !== by)
      const checks = await Promise.allSettled(others.map((slot) => agree(slot, reference, read)))
      for (const check of checks) if (check.status === 'rejected' && isFinal(check.reason)) throw check.reason
    },
    requests: () => slots.reduce((sum, slot) => sum + slot.requests(), 0),
    close: async () => {
      closing.abort()
      await Promise.all(slots.map((slot) => slot.close()))
    },
  }
}
