import type { RpcFault } from './rpcReply.ts'

/** A JSON-RPC request. */
export type RpcRequest = {
  readonly jsonrpc: '2.0'
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** A method with its parameters. */
export type RpcCall = Pick<RpcRequest, 'method' | 'params'>

/** Outcome of one call. */
export type Outcome = { readonly result: unknown } | { readonly fault: RpcFault }

/** Builds a JSON-RPC request. */
export function toRequest(method: string, params: readonly unknown[], id = 1): RpcRequest {
  return {
    jsonrpc: '2.0',
    id,
    method,
    params,
  }
}
