import { asObject } from '@touchstone402/shared'
import type { Address, ReadOptions } from '../types.ts'
import type { Member, RpcPool } from './rpcPool.ts'
import { parseBody } from './rpcReply.ts'
import { toRequest } from './rpcRequest.ts'

/** Looks up which addresses hold code. */
export type CodeReader = {
  isContract(address: Address, options?: ReadOptions): Promise<boolean>
  contracts(addresses: readonly Address[], options?: ReadOptions): Promise<ReadonlyMap<Address, boolean>>
}

const MAX_CACHED = 100_000
/** Lifetime of "not a contract". An account may become a contract; a contract stays one. */
const ACCOUNT_MS = 3_600_000
const BATCH = 100

/** Code of an account that delegates (EIP-7702): its owner still signs for it. */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/i

/** Whether an `eth_getCode` answer is the code of a contract. */
export function isContractCode(code: unknown): boolean {
  return typeof code === 'string' && /^0x([0-9a-f]{2})+$/i.test(code) && !DELEGATION.test(code)
}

/** Creates a code reader with a cache. Look-ups of many addresses are JSON-RPC batches. */
export function createCodeReader(pool: RpcPool, now: () => number): CodeReader {
  const cached = new Map<Address, { readonly code: boolean; readonly at: number }>()
  const recall = (address: Address): boolean | undefined => {
    const hit = cached.get(address)
    return hit !== undefined && (hit.code || now() - hit.at < ACCOUNT_MS) ? hit.code : undefined
  }
  const remember = (address: Address, code: boolean): boolean => {
    if (cached.size >= MAX_CACHED) cached.clear()
    cached.set(address, { code, at: now() })
    return code
  }

  const askBatch = async (member: Member, batch: readonly Address[], read?: ReadOptions): Promise<void> => {
    const requests = batch.map((address, i) => toRequest('eth_getCode', [address, 'latest'], i + 1))
    const reply = await member.post(requests, read)
    const answers = parseBody(await reply.readAll())
    if (!Array.isArray(answers)) return
    for (const answer of answers) {
      const { id, result } = asObject(answer) ?? {}
      const address = typeof id === 'number' ? batch[id - 1] : undefined
      if (address !== undefined && typeof result === 'string') remember(address, isContractCode(result))
    }
  }

  return {
    isContract: async (address, read) =>
      recall(address) ??
      remember(address, isContractCode(await pool.call('eth_getCode', [address, 'latest'], read))),
    async contracts(addresses, read) {
      const missing = [...new Set(addresses)].filter((address) => recall(address) === undefined)
      for (let at = 0; at < missing.length; at += BATCH) {
        const batch = missing.slice(at, at + BATCH)
        // Code is an annotation of an answer, not worth a retry.
        await pool
          .use((member) => askBatch(member, batch, read), { ...read, rounds: 1 })
          .catch(() => undefined)
      }
      const found = new Map<Address, boolean>()
      for (const address of addresses) {
        const code = recall(address)
        if (code !== undefined) found.set(address, code)
      }
      return found
    },
  }
}
