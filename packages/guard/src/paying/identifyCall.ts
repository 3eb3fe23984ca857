import type { OnceKey } from '../ledger/ledger.ts'
import { type CallRequest, isOneTime, isRequest } from './request.ts'
import { bytesToHex, concat, keccak } from './signatures/bytes.ts'

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

async function hashBody({ input, init, headers }: CallRequest): Promise<string> {
  const given = init?.body ?? null
  if (given === null && !(isRequest(input) && input.body !== null)) return ''
  try {
    if (isOneTime(given)) return differFromAll()
    const copy = given === null && isRequest(input) ? input.clone() : new Response(given)
    if (copy.body === null) return ''
    const form = [copy.headers, headers].map((from) => MULTIPART.exec(from.get('content-type') ?? '')?.[1])
    const boundary = form[0] ?? form[1]
    const parts = boundary === undefined ? copy.body : copy.body.pipeThrough(cutOut(boundary))
    return (await hashBlocks(parts)) ?? differFromAll()
  } catch {
    return differFromAll()
  }
}

const MULTIPART = /^multipart\/.*boundary="?([^\s;"]+)/i

/** Identifies a body that cannot be read twice: its call equals no other. */
const differFromAll = () => toHex(crypto.getRandomValues(new Uint8Array(32)))

const toHex = (bytes: Uint8Array) => bytesToHex(bytes).slice(2)
const sha256 = async (parts: readonly Uint8Array[]) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', concat(...parts) as Uint8Array<ArrayBuffer>))

/**
 * Hashes a body of any size in blocks: SHA-256 of its only block, or of the hashes of its blocks.
 * Undefined if it does not end in time.
 */
async function hashBlocks(body: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const reader = body.getReader()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    reader.cancel().catch(() => {})
  }, TIMEOUT_MS)
  const hashes: Uint8Array[] = []
  let block: Uint8Array[] = []
  let room = BLOCK
  try {
    for (;;) {
      const { done, value } = await reader.read()
      let bytes = value ?? new Uint8Array()
      while (bytes.length > room) {
        hashes.push(await sha256([...block, bytes.subarray(0, room)]))
        bytes = bytes.subarray(room)
        block = []
        room = BLOCK
      }
      block.push(bytes)
      room -= bytes.length
      if (done) break
    }
  } finally {
    clearTimeout(timer)
  }
  const last = await sha256(block)
  if (isLate) return undefined
  return toHex(hashes.length === 0 ? last : await sha256([...hashes, last]))
}

/** Removes a boundary, which is random. */
function cutOut(boundary: string): TransformStream<Uint8Array, Uint8Array> {
  const [decoder, encoder] = [new TextDecoder('latin1'), new TextEncoder()]
  let rest = ''
  return new TransformStream({
    transform(chunk, controller) {
      const text = (rest + decoder.decode(chunk)).replaceAll(boundary, '')
      // A boundary may begin in one chunk and end in the next.
      const end = Math.max(0, text.length - boundary.length + 1)
      rest = text.slice(end)
      controller.enqueue(encoder.encode(text.slice(0, end)))
    },
    flush: (controller) => controller.enqueue(encoder.encode(rest)),
  })
}
