/** A request to the proxy that is to be sent on. */
export type ProxyRequest = {
  /** Head for the seller in latin1; empty for CONNECT. */
  readonly head: string
  /** Bytes after the client's head. */
  readonly rest: Buffer
}

const MAX_HEAD_BYTES = 16 * 1024
const HEAD_END = '\r\n\r\n'
/** Headers for the proxy alone. */
const FOR_PROXY = /^(proxy-connection|proxy-authorization) *:/i

/**
 * Reads the head of a client's request: CONNECT to the host and port of an https URL, or a request in absolute form for
 * those of an http URL, whose line and headers are rewritten for the seller. Refuses every other target.
 */
export function readProxyRequest(bytes: Buffer, url: URL): ProxyRequest | 'incomplete' | 'refused' {
  const end = bytes.indexOf(HEAD_END)
  if (end < 0) return bytes.length > MAX_HEAD_BYTES ? 'refused' : 'incomplete'
  if (end > MAX_HEAD_BYTES) return 'refused'
  const [line = '', ...headers] = bytes.toString('latin1', 0, end).split('\r\n')
  const [, method = '', target = ''] = /^([A-Z]{1,16}) ([\x21-\x7e]+) HTTP\/1\.1$/.exec(line) ?? []
  const rest = bytes.subarray(end + HEAD_END.length)
  if (method === 'CONNECT') return isAuthority(target, url) ? { head: '', rest } : 'refused'
  if (url.protocol !== 'http:' || !URL.canParse(target)) return 'refused'
  const { protocol, host, username, password } = new URL(target)
  if (protocol !== 'http:' || host !== url.host || `${username}${password}` !== '') return 'refused'
  const path = target.slice('http://'.length).replace(/^[^/?#]*/, '')
  const lines = [`${method} ${path.startsWith('/') ? path : `/${path}`} HTTP/1.1`, ...headers]
  return { head: `${lines.filter((one) => !FOR_PROXY.test(one)).join('\r\n')}${HEAD_END}`, rest }
}

/** Whether an authority names the host and port of a URL. Without a port it names none that is dialled. */
function isAuthority(authority: string, { protocol, hostname, port }: URL): boolean {
  const byDefault = protocol === 'https:' ? '443' : '80'
  return authority.toLowerCase() === `${hostname}:${port === '' ? byDefault : port}`
}
