import type { Address, ReadOptions } from '../types.ts'
import { parseBody } from './rpcEndpoint.ts'
import type { Member, RpcPool } from './rpcPool.ts'
import { isContractCode } from './tokenFacts.ts'

/** Looks up which addresses hold code, and remembers. */
export type CodeReader = {
  isContract(address: Address, options?: ReadOptions): Promise<boolean>
  contracts(addresses: readonly Address[], options?: ReadOptions): Promise<ReadonlyMap<Address, boolean>>
}

const REMEMBERED = 100_000
/** An account may become a contract; a contract stays one. */
const ACCOUNT_MS = 3_600_000
const BATCH = 100

/** Creates the reader. Many addresses go in one request, as a JSON-RPC batch. */
export const createCodeReader = (pool: RpcPool, now: () => number): CodeReader => {
  const known = new Map<Address, { readonly code: boolean; readonly at: number }>()
  const recall = (address: Address): boolean | undefined => {
    const held = known.get(address)
    return held !== undefined && (held.code || now() - held.at < ACCOUNT_MS) ? held.code : undefined
  }
  const remember = (address: Address, code: boolean): boolean => {
    if (known.size >= REMEMBERED) known.clear()
    known.set(address, { code, at: now() })
    return code
  }
  const isContract: CodeReader['isContract'] = async (address, read) =>
    recall(address) ??
    remember(address, isContractCode(await pool.call('eth_getCode', [address, 'latest'], read)))

  const askBatch = async (
    member: Member,
    addresses: readonly Address[],
    read?: ReadOptions,
  ): Promise<void> => {
    const reply = await member.postBatch(
      'eth_getCode',
      addresses.map((address) => [address, 'latest']),
      read,
    )
    const answers = parseBody(await reply.readAll())
    if (!Array.isArray(answers)) return
    for (const answer of answers as unknown[]) {
      const { id, result } = (typeof answer === 'object' && answer !== null ? answer : {}) as {
        id?: unknown
        result?: unknown
      }
      const address = typeof id === 'number' ? addresses[id - 1] : undefined
      if (address !== undefined && typeof result === 'string') remember(address, isContractCode(result))
    }
  }

  return {
    isContract,
    async contracts(addresses, read) {
      const missing = [...new Set(addresses)].filter((address) => recall(address) === undefined)
      for (let at = 0; at < missing.length; at += BATCH) {
        const part = missing.slice(at, at + BATCH)
        // What an address is, is a comment on an answer: the answer does not wait for a second try.
        await pool
          .use((member) => askBatch(member, part, read), { ...read, rounds: 1 })
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
