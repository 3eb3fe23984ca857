import { type PaymentChallenge, splitAuthenticate } from './authenticate.ts'
import { asObject, decodeBase64Json } from './base64Json.ts'
import { ATOMIC_PATTERN } from './money.ts'
import { ACCOUNT_PATTERN, ADDRESS_PATTERN } from './networks.ts'

/** An offer of a 402 by another protocol than x402. Values that are absent or malformed are null. */
export type OtherOffer = {
  protocol: PaymentChallenge['protocol']
  /** Method of MPP, such as `evm`, `tempo` or `stripe`. */
  method: string | null
  /** Intent of MPP, such as `charge` or `session`. */
  intent: string | null
  /** CAIP-2. */
  network: string | null
  asset: string | null
  /** Amount in the smallest unit of the asset; of a session, the price of one unit. */
  amountAtomic: string | null
  payTo: string | null
  /** Unix time in ms. */
  expiresAt: number | null
  raw: {
    readonly params: Readonly<Record<string, string>>
    /** The decoded `request` of MPP. */
    readonly request: Readonly<Record<string, unknown>> | null
  }
}

const MAX_OFFERS = 32
// Source: `maxRequestParameterLength` of mppx 0.11.
const MAX_REQUEST = 16 * 1024
const WORD = /^[a-z][a-z0-9:_-]{0,31}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/
const PARAM = /^([\w-]{1,64})\s*=\s*(?:"((?:[^"\\]|\\[\s\S])*)"|([^"\s][^"]*)?)$/

/**
 * Reads what a `WWW-Authenticate` header asks for by other protocols than x402. Never throws.
 * Source: RFC 9110 section 11.6.1, draft-ryan-httpauth-payment, and `Challenge` of mppx 0.11.
 */
export function readOtherOffers(header: string | null | undefined): OtherOffer[] {
  const { paying } = splitAuthenticate(header)
  return paying.slice(0, MAX_OFFERS).map(({ protocol, parts }) => toOffer(protocol, parts))
}

function toOffer(protocol: OtherOffer['protocol'], parts: readonly string[]): OtherOffer {
  const params = readParams(parts) ?? {}
  const { method, intent, expires } = params
  const request =
    protocol === 'mpp' && params.request !== undefined && params.request.length <= MAX_REQUEST
      ? (decodeBase64Json(params.request) ?? null)
      : null
  const { amount, currency, recipient } = request ?? {}
  const isEvm = method === 'evm' || method === 'tempo'
  const account = isEvm ? ADDRESS_PATTERN : ACCOUNT_PATTERN
  const time = expires !== undefined && TIME.test(expires) ? Date.parse(expires) : Number.NaN
  return {
    protocol,
    method: textOf(method, WORD),
    intent: textOf(intent, WORD),
    network: isEvm ? readChain(request) : null,
    asset: textOf(currency, account),
    amountAtomic: textOf(amount, ATOMIC_PATTERN),
    payTo: textOf(recipient, account),
    expiresAt: Number.isNaN(time) ? null : time,
    raw: { params, request },
  }
}

function readParams(parts: readonly string[]): Record<string, string> | undefined {
  const params = new Map<string, string>()
  for (const part of parts) {
    const [, name, quoted, plain] = PARAM.exec(part) ?? []
    if (name === undefined || params.has(name.toLowerCase())) return undefined
    params.set(name.toLowerCase(), quoted === undefined ? (plain ?? '').trim() : unescapeText(quoted))
  }
  return Object.fromEntries(params)
}

/** Reads the escapes of a quoted string; `\uXXXX` is how mppx writes what Latin-1 has not. */
function unescapeText(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, code?: string, char?: string) =>
    code === undefined ? String(char) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

function textOf(value: unknown, pattern: RegExp): string | null {
  return typeof value === 'string' && pattern.test(value) ? value : null
}

function readChain(request: Record<string, unknown> | null): string | null {
  const id = asObject(request?.methodDetails)?.chainId
  return Number.isSafeInteger(id) && Number(id) > 0 ? `eip155:${id}` : null
}

/** Writes an MPP challenge as it was read. */
export function writeChallenge(params: Readonly<Record<string, string>>): string {
  const quote = (text: string) =>
    text
      .replace(/["\\]/g, '\\$&')
      .replace(/[^\x20-\x7e\x80-\xff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `Payment ${Object.entries(params)
    .map(([name, value]) => `${name}="${quote(value)}"`)
    .join(', ')}`
}
