import { asObject, isRecord } from '@touchstone402/shared'
import { readBody } from '../../readBody.ts'
import { type CallRequest, copyBody, mayBeJson, signalOf, untilAborted } from './request.ts'

// Source: specs/transports-v2/mcp.md, whose two bindings share one key; the draft of transport v3, which puts the payload
// into a member; `credentialMetaKey` of mppx 0.11.
export const X402 = 'x402/payment'
export const X402_DRAFT = 'org.x402/payment'
export const MPP = 'org.paymentauth/credential'

/** Bytes and time within which a body is read: no call of a tool with a payment is larger, or takes longer. */
export const BODY_LIMITS = [4 * 1024 * 1024, 1000] as const

/** Returns the text of a body that may be JSON by its type, if it has one, and can be read twice; empty otherwise. */
export async function readText(request: CallRequest): Promise<string> {
  if (typeof request.init?.body === 'string') return request.init.body
  const copy = mayBeJson(request) ? copyBody(request) : null
  // The body of a Request may be a stream, which has no end in time.
  return copy ? untilAborted(signalOf(request), readBody(copy, ...BODY_LIMITS)) : ''
}

/** Parses a body; undefined if it is no JSON. */
export function parseBody(text: string): unknown {
  try {
    // Without the byte order mark, which servers drop too. However deep: only the top is looked at.
    return JSON.parse(text.trim())
  } catch {
    return undefined
  }
}

/**
 * Returns a JSON-RPC request, or a batch, without what changes when it is sent again with a payment: its ids and the
 * members that carry payments. Two texts have one form only if every parser reads them alike: numbers count as written, and
 * a text with a member given twice, or with bytes that are no UTF-8, has none.
 * @returns undefined without such a form
 */
export async function readUnpaid(request: CallRequest): Promise<string | undefined> {
  const document = parseStrictly(await readText(request).catch(() => ''))
  const calls = [document].flat()
  if (!calls.every((one) => isRecord(one) && 'sjsonrpc' in one)) return undefined
  const unpaid = calls.map((one) => {
    const { sid: _, sparams, ...call } = asObject(one) ?? {}
    const { s_meta, ...rest } = asObject(sparams) ?? {}
    const members = asObject(s_meta ?? {})
    const meta = members ? Object.entries(members).filter(([name]) => !PAYMENTS.includes(name)) : { s_meta }
    return { ...call, params: asObject(sparams) === undefined ? sparams : rest, meta }
  })
  return JSON.stringify([Array.isArray(document), unpaid])
}

const PAYMENTS: readonly string[] = [X402, X402_DRAFT, MPP].map((name) => `s${name}`)
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|:/g

/** Whether every parser reads a text as the same JSON. */
export const isUnambiguous = (text: string): boolean => parseStrictly(text) !== undefined

/** Parses JSON with `s` before each text and name, and each number as a text with `n` before it. */
function parseStrictly(text: string): unknown {
  let members = 0
  try {
    JSON.parse(text)
    const marked = text.replace(TOKENS, (token) => {
      if (token === ':') members += 1
      if (token === ':') return token
      return JSON.stringify(token.startsWith('"') ? `s${JSON.parse(token)}` : `n${token}`)
    })
    const document = JSON.parse(marked)
    return countMembers(document) === members && !text.includes('\ufffd') ? document : undefined
  } catch {
    return undefined
  }
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? 0 : Object.keys(value).length
  return Object.values(value).reduce((sum: number, one) => sum + countMembers(one), own)
}
