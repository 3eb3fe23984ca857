import type { OnceKey } from '../../ledger/ledger.ts'
import { bytesToHex, keccak } from '../signatures/bytes.ts'
import { type CallRequest, copyBody, isRequest, mayBeJson } from './request.ts'

const BLOCK = 1024 * 1024
const TIMEOUT_MS = 5000

/** Returns the call of a ledger entry: method and canonical URL, with a hash in place of the query. */
export function callOf(method: string, url: string, key: string): string {
  return `${method} ${hideQuery(url, key)}`
}

/** Returns the canonical URL `key` of a URL, with 16 hexadecimal digits in place of the query. */
export function hideQuery(url: string, key: string): string {
  const query = url.indexOf('?')
  return query < 0 ? key : `${key}?${bytesToHex(keccak(url.slice(query))).slice(2, 18)}`
}

/** Identifies a call among those to the same URL. Reads a copy of the body; `request` stays unread. */
export async function identifyCall(request: CallRequest, payer: string | null): Promise<OnceKey> {
  return { body: await hashBody(request), callKey: request.callKey, payer }
}

/**
 * Identifies the body that an approval is for: that of {@link identifyCall}, except that a JSON-RPC request is read without
 * its id and its payment, which change from one send to the next.
 * @param hash of the body by `identifyCall`. @default computed
 */
export async function identifyBody(request: CallRequest, hash?: string): Promise<string> {
  if (bodyOf(request) === null) return ''
  return (await identifyRpc(request)) ?? hash ?? hashBody(request)
}

/** Identifies a JSON-RPC request without its id and its payment; undefined if it is none, or has no such form. */
export async function identifyRpc(request: CallRequest): Promise<string | undefined> {
  const body = bodyOf(request)
  const isJson = typeof body === 'string' ? body.includes('"jsonrpc"') : body !== null && mayBeJson(request)
  // Loaded with the first such body, since most calls have none.
  const rpc = isJson ? await (await import('./rpcBody.ts')).readUnpaid(request) : undefined
  return rpc === undefined ? undefined : sha256(rpc)
}

const bodyOf = ({ init, input }: CallRequest) => init?.body ?? (isRequest(input) ? input.body : null)

/** Hashes of bodies that can be read once, which equal only themselves. */
const streams = new WeakMap<object, string>()

function identifyStream(body: unknown): string {
  const hash = streams.get(Object(body)) ?? differFromAll()
  streams.set(Object(body), hash)
  return hash
}

async function hashBody(request: CallRequest): Promise<string> {
  try {
    const copy = copyBody(request)
    if (!copy?.body) return copy === undefined ? identifyStream(request.init?.body) : ''
    const forms = [copy, request].map((one) => MULTIPART.exec(one.headers.get('content-type') ?? ''))
    return await hashBlocks(copy.body.getReader(), (forms[0] ?? forms[1])?.[1])
  } catch {
    return differFromAll()
  }
}

// No byte of a body, since each is one character below it.
const DELIMITER = '\u0100'

// A short boundary is not random, but a caller's choice that may stand in the content too.
const MULTIPART = /^multipart\/.*boundary="?([^\s;"]{16,})/i

/** Identifies a body that cannot be read twice: its call equals no other. */
const differFromAll = () => toHex(crypto.getRandomValues(new Uint8Array(32)))

const toHex = (bytes: Uint8Array) => bytesToHex(bytes).slice(2)
const sha256 = async (text: string) =>
  toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))

/**
 * Hashes a body of any size, block by block. A boundary, which is random, counts as such and not by its text, where a line
 * begins with it.
 */
async function hashBlocks(reader: ReadableStreamDefaultReader<Uint8Array>, boundary = ''): Promise<string> {
  const delimiter = boundary === '' ? '' : `\r\n--${boundary}`
  // As text, in which each byte is one character.
  const decoder = new TextDecoder('latin1')
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    reader.cancel().catch(() => {})
  }, TIMEOUT_MS)
  let hashes = ''
  let rest = boundary === '' ? '' : '\r\n'
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      // A boundary may begin in one chunk and end in the next.
      const end = Math.max(0, rest.length - delimiter.length)
      const added = rest.slice(end) + decoder.decode(value)
      rest = rest.slice(0, end) + (boundary === '' ? added : added.replaceAll(delimiter, DELIMITER))
      for (; rest.length > BLOCK + delimiter.length; rest = rest.slice(BLOCK)) {
        hashes += await sha256(rest.slice(0, BLOCK))
      }
    }
  } finally {
    clearTimeout(timer)
  }
  return isLate ? differFromAll() : sha256(hashes + rest)
}
