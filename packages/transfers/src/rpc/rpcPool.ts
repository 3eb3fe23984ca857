import { ChainError } from '../chainError.ts'
import type { BlockRef, ReadOptions } from '../types.ts'
import { createLesson, type Lesson } from './learnedLimits.ts'
import { createRpcEndpoint, type RpcEndpoint, RpcUnwell, readBlock } from './rpcEndpoint.ts'

/** One of the pool's RPCs, with what it has taught. */
export type Member = RpcEndpoint & {
  readonly lesson: Lesson
  /** The highest block that this RPC itself has shown to know. */
  headSeen: number
}

/** Several RPCs of one chain. */
export type RpcPool = {
  /**
   * Runs `work` with the first RPC that is well, and with the next when it fails.
   *
   * @throws ChainError the last failure, once every RPC has failed in every round
   */
  use<T>(
    work: (member: Member) => Promise<T>,
    options?: ReadOptions & { except?: Member; rounds?: number },
  ): Promise<T>
  call(method: string, params: readonly unknown[], options?: ReadOptions): Promise<unknown>
  /** Compares every other RPC's hash of this block with the given one. @throws ChainError `disagreement` */
  checkAgreement(reference: BlockRef, options?: ReadOptions): Promise<void>
  readonly size: number
  requests(): number
  close(): Promise<void>
}

const ROUNDS = 4
const FIRST_PAUSE_MS = 150
/** A pause that an RPC asks for is kept up to this; longer, and it counts as gone for now. */
const MAX_WAIT_MS = 30_000
const AGREEMENT_MS = 60_000

const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(new ChainError('deadline', 'The caller gave up'))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })

export type RpcPoolOptions = {
  readonly chainId: number
  readonly urls: readonly string[]
  readonly timeoutMs?: number
  readonly maxBodyBytes?: number
  readonly now: () => number
}

/** Whether an error ends the whole question rather than this RPC's turn. */
const isFinal = (error: unknown): boolean =>
  error instanceof ChainError && ['deadline', 'disagreement', 'too_large', 'reverted'].includes(error.code)

type Slot = { readonly member: Member; restUntil: number; chain: Promise<void> | null; agreedAt: number }

/** Creates the pool. The chain id of each RPC is checked before its first use. */
export const createRpcPool = (options: RpcPoolOptions): RpcPool => {
  const { now } = options
  const slots: Slot[] = options.urls.map((url, ordinal) => {
    const endpoint = createRpcEndpoint({ ...options, url, ordinal })
    const member: Member = { ...endpoint, lesson: createLesson(), headSeen: -1 }
    return { member, restUntil: 0, chain: null, agreedAt: Number.NEGATIVE_INFINITY }
  })

  const checkChain = async ({ member }: Slot, read?: ReadOptions): Promise<void> => {
    const answer = Number(await member.call('eth_chainId', [], read))
    if (answer === options.chainId) return
    throw new ChainError(
      'disagreement',
      `RPC ${member.ordinal} is on chain ${answer}, not ${options.chainId}`,
    )
  }
  const onChain = (slot: Slot, read?: ReadOptions): Promise<void> => {
    slot.chain ??= checkChain(slot, read).catch((error: unknown) => {
      slot.chain = null
      throw error
    })
    return slot.chain
  }

  const use: RpcPool['use'] = async (work, read = {}) => {
    let last: unknown
    for (let round = 0; round < (read.rounds ?? ROUNDS); round++) {
      const candidates = slots
        .filter(({ member }) => member !== read.except)
        .sort((a, b) => Math.max(a.restUntil, now()) - Math.max(b.restUntil, now()))
      for (const slot of candidates) {
        const rest = slot.restUntil - now()
        // The ones that rest come last: by then all others have failed.
        if (rest > 0) {
          if (rest > MAX_WAIT_MS || now() + rest >= (read.deadlineAt ?? Number.POSITIVE_INFINITY)) continue
          await sleep(rest, read.signal)
        }
        try {
          await onChain(slot, read)
          return await work(slot.member)
        } catch (error) {
          if (isFinal(error) || !(error instanceof ChainError)) throw error
          last = error
          const pause = FIRST_PAUSE_MS * 2 ** round
          slot.restUntil = now() + (error instanceof RpcUnwell ? Math.max(error.waitMs, pause) : pause)
        }
      }
    }
    throw (
      last ?? new ChainError('unreachable', 'Every RPC asked to be left alone for longer than there is time')
    )
  }

  const agree = async (slot: Slot, reference: BlockRef, read?: ReadOptions): Promise<void> => {
    if (now() - slot.agreedAt < AGREEMENT_MS) return
    const { member } = slot
    await onChain(slot, read)
    const answer = await member.call(
      'eth_getBlockByNumber',
      [`0x${reference.number.toString(16)}`, false],
      read,
    )
    // It may be behind: then it is not asked for anything above its head.
    if (answer === null) return
    if (readBlock(answer).hash !== reference.hash)
      throw new ChainError('disagreement', `RPC ${member.ordinal} has another block ${reference.number}`)
    member.headSeen = Math.max(member.headSeen, reference.number)
    slot.agreedAt = now()
  }

  return {
    size: slots.length,
    use,
    call: (method, params, read) => use((member) => member.call(method, params, read), read),
    async checkAgreement(reference, read) {
      const checks = await Promise.allSettled(slots.map((slot) => agree(slot, reference, read)))
      for (const check of checks) if (check.status === 'rejected' && isFinal(check.reason)) throw check.reason
    },
    requests: () => slots.reduce((sum, { member }) => sum + member.requests(), 0),
    close: async () => {
      await Promise.all(slots.map(({ member }) => member.close()))
    },
  }
}
