import type { BlockRef, Finality, Heads, ReadOptions } from '../types.ts'
import { readBlock } from './rpcEndpoint.ts'
import type { RpcPool } from './rpcPool.ts'

/** Reads heads; the two settled ones are remembered for a while, since they only ever advance. */
export type HeadReader = {
  /** `fresh` asks for all three, whatever is remembered. */
  heads(options?: ReadOptions & { readonly fresh?: boolean | undefined }): Promise<Heads>
}

/**
 * How long safe and finalized heads are taken as they were: an older one is a cautious one, never a wrong one. What
 * is kept warm takes them anew more often, so that no question has to.
 */
const SETTLED_MS = 60_000

/** Creates a head reader. All heads come from one RPC; the others must agree on the finalized block. */
export const createHeadReader = (pool: RpcPool, now: () => number): HeadReader => {
  let settled: { readonly safe: BlockRef; readonly finalized: BlockRef; readonly at: number } | null = null
  return {
    async heads({ fresh = false, ...read } = {}) {
      const known = !fresh && settled !== null && now() - settled.at < SETTLED_MS ? settled : null
      const heads = await pool.use(async (member) => {
        const ask = async (tag: Finality) =>
          readBlock(await member.call('eth_getBlockByNumber', [tag, false], read))
        const [latest, safe, finalized] = await Promise.all([
          ask('latest'),
          known?.safe ?? ask('safe'),
          known?.finalized ?? ask('finalized'),
        ])
        member.headSeen = Math.max(member.headSeen, latest.number)
        return { latest, safe: lower(safe, latest), finalized: lower(finalized, latest) }
      }, read)
      if (known === null) {
        await pool.checkAgreement(heads.finalized, read)
        settled = { ...heads, at: now() }
      }
      return heads
    },
  }
}

/** A node that is behind the remembered head shows a lower one: nothing above it is settled for this read. */
const lower = (settled: BlockRef, latest: BlockRef): BlockRef =>
  settled.number <= latest.number ? settled : latest
