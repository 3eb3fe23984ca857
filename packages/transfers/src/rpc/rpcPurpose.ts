import type { RpcPurpose, TransferSource } from '../types.ts'

/** JSON-RPC calls by purpose. Several sources may share it. */
export type RpcCounts = {
  add(purpose: RpcPurpose, calls: number): void
  /** Calls so far, each one of a batch included. */
  totals(): Readonly<Record<RpcPurpose, number>>
}

/** Creates the counts, all of them 0. */
export function createRpcCounts(): RpcCounts {
  const totals: Record<RpcPurpose, number> = {
    heads: 0,
    receivers: 0,
    tokens: 0,
    token_facts: 0,
    token_days: 0,
    settlements: 0,
    health: 0,
    other: 0,
  }
  return {
    add(purpose, calls) {
      totals[purpose] += calls
    },
    totals: () => ({ ...totals }),
  }
}

/** Returns a source whose calls are counted for a purpose, unless they are for a narrower one. It shares everything else. */
export function countAs(source: TransferSource, purpose: RpcPurpose): TransferSource {
  return {
    ...source,
    heads: (read) => source.heads({ purpose, ...read }),
    firstBlockAfter: (time, heads, read) => source.firstBlockAfter(time, heads, { purpose, ...read }),
    blockAtOrBefore: (time, read) => source.blockAtOrBefore(time, { purpose, ...read }),
    blockTimes: (blocks, read) => source.blockTimes(blocks, { purpose, ...read }),
    transfers: (query) => source.transfers({ purpose, ...query }),
    isContract: (address, read) => source.isContract(address, { purpose, ...read }),
    contracts: (addresses, read) => source.contracts(addresses, { purpose, ...read }),
    balanceAt: (query) => source.balanceAt({ purpose, ...query }),
    token: (address, read) => source.token(address, { purpose, ...read }),
    receiver: (query) => source.receiver({ purpose, ...query }),
    request: (method, params, read) => source.request(method, params, { purpose, ...read }),
    rpcs: source.rpcs.map((rpc) => ({
      ...rpc,
      call: (method, params, read) => rpc.call(method, params, { purpose, ...read }),
    })),
  }
}
