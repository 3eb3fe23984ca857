import type { Chain, ChainRead } from '@touchstone402/transfers'

/** One RPC of a chain: its calls do not fall back. */
export type Rpc = {
  /** Host of the URL, without what may be secret. */
  readonly host: string
  /** @throws ChainError */
  call(method: string, params: readonly unknown[], read?: ChainRead): Promise<unknown>
}

/** Lists the RPCs of a chain, the preferred one first. Their calls are counted for a purpose. */
export function listRpcs(
  { hosts, requestOf }: Pick<Chain, 'hosts' | 'requestOf'>,
  purpose: NonNullable<ChainRead['purpose']>,
): Rpc[] {
  return hosts.map((host, rpc) => ({
    host,
    call: (method, params, read) => requestOf({ rpc, method, params, purpose, ...read }),
  }))
}
