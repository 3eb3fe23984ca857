import { z } from 'zod'
import { hideSecrets } from '../lib/hideSecrets.ts'

/** An HTTP answer of a facilitator. */
export type FacilitatorAnswer = {
  readonly status: number
  /** Without parameters; empty if it names none. */
  readonly mediaType: string
  readonly text: string
}

/** Outcome of a verification. */
export type Verification =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly cause: unknown }

/** Outcome of a settlement. */
export type Settlement =
  | { readonly kind: 'settled'; readonly txHash: string }
  /** The facilitator says that it sent no transaction. */
  | { readonly kind: 'denied'; readonly reason: string; readonly cause: unknown }
  /** The request certainly did not reach the facilitator. */
  | { readonly kind: 'unavailable'; readonly cause: unknown }
  /** The money may have moved or may still move; only the chain can tell. */
  | { readonly kind: 'unknown'; readonly cause: unknown; readonly txHash: string | null }

/** A way of settling that a facilitator offers. */
export type SupportedKind = z.infer<typeof SupportedSchema>['kinds'][number]

// Source: the `/verify`, `/settle` and `/supported` endpoints of an x402 facilitator. Other fields are ignored.
const VerifySchema = z.object({ isValid: z.boolean(), invalidReason: z.string().nullish() })
const SettleSchema = z.object({
  success: z.boolean(),
  transaction: z.string().nullish(),
  errorReason: z.string().nullish(),
})
const SupportedSchema = z.object({
  kinds: z.array(z.object({ x402Version: z.number(), scheme: z.string(), network: z.string() })),
})

const TX_HASH = /^0x[0-9a-fA-F]{64}$/

/**
 * Reasons a facilitator gives before it sends a transaction. After any other reason the transaction may have been sent:
 * the stock v1 scheme reports even a lost receipt as a failure without a transaction.
 */
export const NOTHING_SENT: ReadonlySet<string> = new Set([
  'insufficient_funds',
  'invalid_scheme',
  'invalid_network',
  'invalid_payload',
  'invalid_exact_evm_scheme',
  'invalid_exact_evm_network_mismatch',
  'invalid_exact_evm_recipient_mismatch',
  'invalid_exact_evm_signature',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_evm_authorization_value',
  'invalid_exact_evm_payload_signature',
  'invalid_exact_evm_payload_authorization_value',
  'invalid_exact_evm_payload_authorization_value_mismatch',
  'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_payload_authorization_valid_before',
])

/** @throws Error if the answer verifies nothing */
export function readVerification(answer: FacilitatorAnswer): Verification {
  const { isValid, invalidReason } = parse(VerifySchema, answer)
  if (answer.status >= 500) throw describe(answer)
  return isValid && isSuccess(answer) ? { kind: 'valid' } : { kind: 'invalid', reason: tidy(invalidReason) }
}

/** @throws Error if the answer says nothing of a settlement */
export function readSettlement(answer: FacilitatorAnswer): Settlement {
  const { success, transaction, errorReason } = parse(SettleSchema, answer)
  const hash = transaction ?? ''
  const txHash = TX_HASH.test(hash) ? hash.toLowerCase() : null
  if (success && isSuccess(answer) && txHash !== null) return { kind: 'settled', txHash }
  const reason = tidy(errorReason)
  const cause = describe(answer, reason)
  if (!success && hash === '' && NOTHING_SENT.has(reason)) return { kind: 'denied', reason, cause }
  return { kind: 'unknown', cause, txHash }
}

/** @throws Error if the answer lists nothing */
export function readSupported(answer: FacilitatorAnswer): readonly SupportedKind[] {
  if (!isSuccess(answer)) throw describe(answer)
  return parse(SupportedSchema, answer).kinds
}

/** Stands for a reason that is missing, or no identifier. */
export const UNREADABLE_REASON = 'payment_refused'

// The reason goes into our challenge, so only identifiers pass.
function tidy(reason: string | null | undefined): string {
  return typeof reason === 'string' && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : UNREADABLE_REASON
}

const isSuccess = ({ status }: FacilitatorAnswer) => status >= 200 && status < 300

function parse<Schema extends z.ZodType>(schema: Schema, answer: FacilitatorAnswer): z.infer<Schema> {
  let body: unknown
  try {
    body = JSON.parse(answer.text)
  } catch {
    throw describe(answer)
  }
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw describe(answer)
  return parsed.data
}

/** Length of the quoted start of an answer. */
const QUOTED = 80
/** Length of the part of an answer in which secrets are looked for; longer than any that could begin in the quote. */
const READ = 2000
/** Credentials, signatures, keys and tokens, which an answer may repeat. */
const CREDENTIAL = /\b(basic|bearer)\s+\S+/gi
const SECRET = /[A-Za-z0-9+/_=-]{32,}(?:\.[A-Za-z0-9+/_=-]+)*/g
const MEDIA_TYPE = /^[a-z0-9.+-]{1,30}\/[a-z0-9.+-]{1,60}$/i

/** Returns an error that says what was answered: status, media type, reason, and the start of the body without secrets. */
function describe({ status, mediaType, text }: FacilitatorAnswer, reason = UNREADABLE_REASON): Error {
  const plain = hideSecrets(text.slice(0, READ))
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(CREDENTIAL, '$1 …')
    .replace(SECRET, (token) => (/^[a-z_.-]+$/.test(token) ? token : '…'))
    .trim()
  const quote = plain.length > QUOTED ? `${plain.slice(0, QUOTED)}…` : plain
  const type =
    mediaType === '' ? 'no media type' : MEDIA_TYPE.test(mediaType) ? mediaType : 'no known media type'
  const said = reason === UNREADABLE_REASON ? '' : `, reason ${reason}`
  return new Error(`Facilitator answered ${status} (${type})${said}: ${quote === '' ? 'no body' : quote}`)
}
