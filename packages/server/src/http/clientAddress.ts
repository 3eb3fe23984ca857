import type { IncomingMessage } from 'node:http'

/** Whether the hop at an address is a proxy of ours; index 0 is the socket's peer. As Express compiles it from `trust proxy`. */
export type TrustProxy = (address: string, index: number) => boolean

const FORWARDED_MAX = 32

/** The client's address: the first hop, from the socket outwards, that is no proxy of ours. The same as Express' `request.ip`. */
export function clientAddress({ socket, headers }: IncomingMessage, trust: TrustProxy): string | undefined {
  const peer = socket.remoteAddress
  const forwardedFor = headers['x-forwarded-for']
  if (peer === undefined || forwardedFor === undefined || !trust(peer, 0)) return peer
  const hops = String(forwardedFor)
    .split(',')
    .slice(-FORWARDED_MAX)
    .map((hop) => hop.trim())
    .reverse()
  let client = peer
  for (const [index, hop] of hops.entries()) {
    client = hop
    if (!trust(hop, index + 1)) break
  }
  return client
}
