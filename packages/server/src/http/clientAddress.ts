import type { IncomingMessage } from 'node:http'

/** Returns whether the hop at an address is one of our proxies; index 0 is the socket's peer. Express' `trust proxy fn`. */
export type TrustProxy = (address: string, index: number) => boolean

const FORWARDED_MAX = 32

/** Returns the first hop from the socket outwards that is not our proxy. Equals Express' `request.ip`. */
export function clientAddress({ socket, headers }: IncomingMessage, trust: TrustProxy): string | undefined {
  const peer = socket.remoteAddress
  const forwardedFor = headers['x-forwarded-for']
  if (peer === undefined || forwardedFor === undefined || !trust(peer, 0)) return peer
  const hops = String(forwardedFor)
    .split(',')
    .slice(-FORWARDED_MAX)
    .map((hop) => hop.trim())
    .reverse()
  const stop = hops.findIndex((hop, index) => !trust(hop, index + 1))
  return hops.at(stop) ?? peer
}
