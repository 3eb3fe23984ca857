import type { BlockRef, Finality, Heads, ReadOptions } from '../types.ts'
import type { RpcPool } from './rpcPool.ts'
import { readBlock } from './rpcReply.ts'

/** Reads the heads of a chain; caches the safe and finalized ones, which only ever advance. */
export type HeadReader = {
  /** `fresh` bypasses the cache. */
  heads(options?: ReadOptions & { readonly fresh?: boolean | undefined }): Promise<Heads>
}

/** Lifetime of cached safe and finalized heads. A stale one is merely cautious. */
const SETTLED_MS = 60_000

/** Creates a head reader. All heads come from one RPC; the others must agree on the finalized block. */
export function createHeadReader(pool: RpcPool, now: () => number): HeadReader {
  let settled: { readonly safe: BlockRef; readonly finalized: BlockRef; readonly at: number } | null = null
  return {
    async heads({ fresh = false, ...limits } = {}) {
      const read = { ...limits, purpose: limits.purpose === 'health' ? limits.purpose : ('heads' as const) }
      const known = !fresh && settled !== null && now() - settled.at < SETTLED_MS ? settled : null
      const { by, ...heads } = await pool.use(async (member) => {
        const ask = async (tag: Finality) =>
          readBlock(await member.call('eth_getBlockByNumber', [tag, false], read))
        const [latest, safe, finalized] = await Promise.all([
          ask('latest'),
          known?.safe ?? ask('safe'),
          known?.finalized ?? ask('finalized'),
        ])
        member.headSeen = Math.max(member.headSeen, latest.number)
        return { by: member, latest, safe: lower(safe, latest), finalized: lower(finalized, latest) }
      }, read)
      if (known === null) {
        await pool.checkAgreement(heads.finalized, by, read)
        settled = { ...heads, at: now() }
      }
      return heads
    },
  }
}

/** A node that lags behind the cached head reports a lower one; nothing above it counts as settled. */
const lower = (settled: BlockRef, latest: BlockRef): BlockRef =>
  settled.number <= latest.number ? settled : latest
