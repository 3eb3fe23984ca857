import { json } from 'node:stream/consumers'
import { serve } from '../../e2e/support/serve.ts'
import type { History } from './history.ts'

/** Calls that a provider received so far. */
export type Volume = {
  /** HTTP requests. */
  readonly requests: number
  /** JSON-RPC calls, each one of a batch included: providers bill these. */
  readonly calls: number
  /** Calls by method. */
  readonly byMethod: Readonly<Record<string, number>>
}

/** A provider of the synthetic chain. */
export type Provider = {
  readonly url: string
  /** Returns the volume since the last call. */
  take(): Volume
  stop(): Promise<void>
}

/** Limits of the provider. */
export type ProviderOptions = {
  readonly history: History
  /** Maximum number of blocks of one query. */
  readonly maxBlocks: number
  readonly takesBatches: boolean
}

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
type Filter = { fromBlock: string; toBlock: string; blockHash?: string; topics: (null | string | string[])[] }

const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`

function answer({ history, maxBlocks }: ProviderOptions, { method, params }: Call): object {
  if (method === 'eth_chainId') return { result: '0x2105' }
  if (method === 'eth_blockNumber') return { result: history.block('latest').number }
  if (method === 'eth_getBlockByNumber') return { result: history.block(String(params[0])) }
  if (method === 'eth_getTransactionCount') return { result: '0x0' }
  if (method === 'eth_getCode') return { result: '0x' }
  if (method === 'eth_call') {
    const { data } = params[0] as { data: string }
    return { result: word(history.balance(`0x${data.slice(-40)}`)) }
  }
  if (method !== 'eth_getLogs') return { error: { code: -32601, message: `no method ${method}` } }
  const { fromBlock, toBlock, blockHash, topics } = params[0] as Filter
  const at = blockHash === undefined ? null : Number.parseInt(blockHash.slice(-8), 16)
  const [from, to] = at === null ? [Number(fromBlock), Number(toBlock)] : [at, at]
  if (to - from + 1 > maxBlocks)
    return { error: { code: -32000, message: `maximum block range: ${maxBlocks}` } }
  return { result: history.logs(from, to, topics) }
}

/** Starts the provider on a free port. */
export async function startProvider(options: ProviderOptions): Promise<Provider> {
  let requests = 0
  let byMethod: Record<string, number> = {}
  const respond = (call: Call) => {
    byMethod[call.method] = (byMethod[call.method] ?? 0) + 1
    return { jsonrpc: '2.0', id: call.id, ...answer(options, call) }
  }
  const { url, stop } = await serve(async (request, response) => {
    const call = (await json(request)) as Call | Call[]
    requests++
    response.setHeader('content-type', 'application/json')
    const refusal = {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'batches are not supported' },
    }
    const body = !Array.isArray(call) ? respond(call) : options.takesBatches ? call.map(respond) : refusal
    response.end(JSON.stringify(body))
  })
  return {
    url,
    stop,
    take() {
      const taken = {
        requests,
        calls: Object.values(byMethod).reduce((sum, count) => sum + count, 0),
        byMethod,
      }
      requests = 0
      byMethod = {}
      return taken
    },
  }
}
