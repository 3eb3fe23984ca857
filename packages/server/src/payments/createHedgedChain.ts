import { createPublicClient, custom } from 'viem'
import { MINUTE } from '../facts/times.ts'
import { messageOf } from '../lib/errors.ts'
import type { UseReader } from './findUse.ts'

/** An RPC of the chain that payments settle on. */
export type HedgedRpc = {
  /** Host of its URL. */
  readonly host: string
  call(method: string, params: readonly unknown[]): Promise<unknown>
}

/** Options of `createHedge`. `rpcs`: the preferred one first. */
export type HedgeOptions = {
  readonly rpcs: readonly HedgedRpc[]
  readonly chainId: number
  /** Time in ms that an RPC is given before the next is asked beside it. */
  readonly patienceMs: number
}

/** Reads the chain while a buyer waits. */
export type HedgedRequest = (method: string, params: readonly unknown[]) => Promise<unknown>

/** How long a slow or failing RPC comes after the others. */
const DEMOTED_MS = MINUTE

type Asked = { readonly rpc: HedgedRpc; chain: Promise<void> | null; demotedUntil: number }

/**
 * Creates a reader that falls back to the next RPC when one fails, and races it with the next when it is slow.
 * "Not found" may come from a node that is behind, so it is returned only after the others had their time.
 *
 * The reader rejects if every RPC fails.
 */
export function createHedge({ rpcs, chainId, patienceMs }: HedgeOptions): HedgedRequest {
  const all = rpcs.map((rpc): Asked => ({ rpc, chain: null, demotedUntil: 0 }))

  const checkChain = async ({ rpc }: Asked): Promise<void> => {
    const answer = Number(await rpc.call('eth_chainId', []))
    if (answer !== chainId) throw new Error(`RPC ${rpc.host} is on chain ${answer}, not ${chainId}`)
  }
  const ask = async (asked: Asked, method: string, params: readonly unknown[]): Promise<unknown> => {
    const late = setTimeout(() => demote(asked), patienceMs)
    try {
      asked.chain ??= checkChain(asked).catch((error: unknown) => {
        asked.chain = null
        throw error
      })
      await asked.chain
      return await asked.rpc.call(method, params)
    } catch (error) {
      demote(asked)
      throw error
    } finally {
      clearTimeout(late)
    }
  }
  const demote = (asked: Asked): void => {
    asked.demotedUntil = performance.now() + DEMOTED_MS
  }

  return (method, params) => {
    const now = performance.now()
    const rank = ({ demotedUntil }: Asked) => (demotedUntil > now ? demotedUntil : 0)
    const queue = [...all].sort((a, b) => rank(a) - rank(b))
    return new Promise((resolve, reject) => {
      const failures: string[] = []
      let open = 0
      let isDone = false
      let nothing: { readonly answer: unknown } | undefined
      let timer: NodeJS.Timeout | undefined
      const end = () => {
        isDone = true
        clearTimeout(timer)
        if (nothing !== undefined) resolve(nothing.answer)
        else reject(new Error(failures.join('; ') || 'No RPC is configured'))
      }
      const next = (): void => {
        clearTimeout(timer)
        if (isDone) return
        const asked = queue.shift()
        if (asked === undefined) {
          if (open === 0) end()
          else if (nothing !== undefined) timer = setTimeout(end, patienceMs)
          return
        }
        open++
        timer = setTimeout(next, patienceMs)
        ask(asked, method, params).then(
          (answer) => {
            open--
            if (hasSomething(answer)) {
              isDone = true
              clearTimeout(timer)
              resolve(answer)
            } else {
              nothing ??= { answer }
              next()
            }
          },
          (error: unknown) => {
            open--
            failures.push(`${asked.rpc.host}: ${messageOf(error)}`)
            next()
          },
        )
      }
      next()
    })
  }
}

/** Creates a client of the chain over {@link createHedge}, which does not wait for a slow RPC. */
export function createHedgedChain(options: HedgeOptions): UseReader {
  const ask = createHedge(options)
  const request = ({ method, params }: { method: string; params?: readonly unknown[] }) =>
    ask(method, params ?? [])
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
}

/** Returns whether an answer is more than "not found": no block, no receipt, no logs. */
function hasSomething(answer: unknown): boolean {
  return answer !== null && answer !== undefined && !(Array.isArray(answer) && answer.length === 0)
}
