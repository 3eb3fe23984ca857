import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import type { Environment } from '../defaultLedger.ts'
import { awaitEvent } from './awaitEvent.ts'

/** An address of a host. */
export type Address = { address: string; family: number }

/** Time for each address but the last, ms. */
const TRY_MS = 5000

/** Returns the function that starts requests of the protocol of a URL. */
export const starterOf = ({ protocol }: URL) => (protocol === 'https:' ? requestHttps : requestHttp)
/** Returns the host of a URL, an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/** Connects through a proxy to the first address that it reaches. The proxy resolves no name. */
export async function openTunnel(
  proxy: URL,
  url: URL,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<Socket> {
  let failure: unknown
  for (const [index, address] of addresses.entries()) {
    const attempt = new AbortController()
    const end = () => attempt.abort(new DOMException(`No tunnel within ${TRY_MS} ms.`, 'TimeoutError'))
    const timer = index < addresses.length - 1 ? setTimeout(end, TRY_MS) : undefined
    try {
      return await connectThrough(proxy, url, address, AbortSignal.any([signal, attempt.signal]))
    } catch (error) {
      signal.throwIfAborted()
      failure = error
    } finally {
      clearTimeout(timer)
    }
  }
  throw failure
}

async function connectThrough(proxy: URL, url: URL, to: Address, signal: AbortSignal): Promise<Socket> {
  const port = url.port || (url.protocol === 'https:' ? 443 : 80)
  const host = `${to.family === 6 ? `[${to.address}]` : to.address}:${port}`
  const login = decodeURIComponent(`${proxy.username}:${proxy.password}`)
  const authorization = { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }
  const headers = { host, ...(proxy.username !== '' && authorization) }
  const outgoing = starterOf(proxy)({
    method: 'CONNECT',
    path: host,
    headers,
    signal,
    agent: false,
    host: hostOf(proxy),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
  })
  type Connected = [{ statusCode: number }, Socket]
  const [{ statusCode }, socket] = await awaitEvent<Connected>(outgoing.end(), 'connect', signal)
  if (statusCode !== 200) {
    socket.destroy()
    throw new Error(`The proxy ${proxy.host} answered ${statusCode}.`)
  }
  if (url.protocol !== 'https:') return socket
  const name = hostOf(url)
  const servername = isIP(name) === 0 ? { servername: name } : {}
  const secure = addAbortSignal(signal, connectTls({ socket, host: name, ...servername }))
  await awaitEvent(secure, 'secureConnect', signal)
  return secure
}

/** Returns the proxy for a URL, if any. NO_PROXY lists hosts with their subdomains, with a port or without. */
export function findProxy({ protocol, hostname, port }: URL, env: Environment): URL | null {
  const read = (name: string) => env[name.toLowerCase()] || env[name] || null
  const proxy = read(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  if (proxy === null) return null
  const isExcepted = (read('NO_PROXY') ?? '').split(/[\s,]+/).some((entry) => {
    const [, host = '', only = ''] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
    const actual = port || (protocol === 'https:' ? '443' : '80')
    if (host === '' || (only !== '' && only !== actual)) return false
    return host === '*' || hostname === host || hostname.endsWith(`.${host}`)
  })
  if (isExcepted) return null
  const text = proxy.includes('://') ? proxy : `http://${proxy}`
  // Not repeated in the message: it may hold a password.
  if (!/^https?:/.test(text) || !URL.canParse(text))
    throw new TypeError('The proxy is not an http or https URL.')
  return new URL(text)
}
