import type { OnceKey } from '../ledger/ledger.ts'
import { ANY_BODY } from '../ledger/pending.ts'
import { readBytes } from '../readBody.ts'
import { type CallRequest, isOneTime, isRequest } from './request.ts'
import { bytesToHex, keccak } from './signatures/bytes.ts'

const MAX_BYTES = 1024 * 1024
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
  // A multipart boundary is random.
  if (isOneTime(given) || headers.get('content-type')?.startsWith('multipart/')) return ANY_BODY
  try {
    const copy = given === null && isRequest(input) ? input.clone() : new Response(given)
    if (copy.headers.get('content-type')?.startsWith('multipart/')) return ANY_BODY
    const bytes = await readBytes(copy, MAX_BYTES, TIMEOUT_MS)
    return bytesToHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))).slice(2)
  } catch {
    return ANY_BODY
  }
}
