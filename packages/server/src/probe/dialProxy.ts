import { connect, isIP, type Socket } from 'node:net'
import { DeadlineError, EgressError, UnreachedError } from './errors.ts'
import type { ReachWitness } from './witnessReach.ts'

/** A checked address that a proxy connects to. */
export type ProxyTarget = {
  readonly address: string
  readonly port: number
  /** `host:port` of the seller. */
  readonly place: string
}

const MAX_HEAD_BYTES = 8 * 1024
const HEAD_END = '\r\n\r\n'
/** Statuses by which a proxy says that it could not reach the address. */
const UNREACHED: Readonly<Record<number, string>> = {
  502: 'ECONNREFUSED',
  503: 'ECONNREFUSED',
  504: 'ETIMEDOUT',
}

/**
 * Opens a tunnel through an HTTP proxy by CONNECT to an address, never to a name, so that the proxy resolves nothing. A
 * failure counts against the seller only where the proxy says that it did not reach the address, or answers nothing, and
 * another seller was reached a short time ago.
 * @param proxy URL, with a login if it needs one
 */
export function dialProxy(
  proxy: string,
  { address, port, place }: ProxyTarget,
  { signal, witness }: { readonly signal: AbortSignal; readonly witness: ReachWitness },
): Promise<Socket> {
  const { hostname, port: proxyPort, username, password } = new URL(proxy)
  const authority = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const head = [
    `CONNECT ${authority} HTTP/1.1`,
    `Host: ${authority}`,
    ...(username === '' ? [] : [`Proxy-Authorization: Basic ${Buffer.from(login).toString('base64')}`]),
  ]
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({ host, port: proxyPort === '' ? 80 : Number(proxyPort), noDelay: true })
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0)
    let isAsked = false
    const cleanUp = () => {
      signal.removeEventListener('abort', onAbort)
      socket.off('error', onError).off('close', onClose).off('data', onData)
    }
    const fail = (error: unknown) => {
      cleanUp()
      socket.on('error', () => {})
      socket.destroy()
      reject(error)
    }
    const blame = (error: unknown) =>
      witness.unanswered({ address, place }) ? error : new UnreachedError(error)
    const onError = (error: unknown) => fail(new EgressError('the proxy cannot be reached', error))
    const onClose = () => fail(new EgressError('the proxy closed the connection'))
    const onAbort = () => {
      const { reason } = signal
      // A cancelled dial is no evidence against anyone.
      if (reason instanceof DeadlineError && reason.isOurs) fail(reason)
      else fail(isAsked ? blame(reason) : new EgressError('the proxy does not answer'))
    }
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const end = received.indexOf(HEAD_END)
      if (end < 0 && received.length <= MAX_HEAD_BYTES) return
      const [, status = ''] = /^HTTP\/1\.[01] (\d{3})[ \r]/.exec(received.toString('latin1', 0, 64)) ?? []
      const code = UNREACHED[Number(status)]
      if (end >= 0 && code !== undefined) {
        fail(blame(Object.assign(new Error(`the proxy answered ${status}`), { code })))
        return
      }
      if (end < 0 || status !== '200') {
        fail(new EgressError(`the proxy answered ${status === '' ? 'no HTTP' : status}`))
        return
      }
      cleanUp()
      socket.pause()
      const rest = received.subarray(end + HEAD_END.length)
      if (rest.length > 0) socket.unshift(rest)
      witness.opened({ address, place })
      resolve(socket)
    }
    socket.once('error', onError).once('close', onClose).on('data', onData)
    socket.once('connect', () => {
      isAsked = true
      socket.write(`${head.join('\r\n')}${HEAD_END}`)
    })
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
  })
}
