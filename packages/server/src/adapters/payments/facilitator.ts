import { z } from 'zod'
import { askFacilitator } from './askFacilitator.ts'

/** What both steps are told: the payment, and the terms it has to meet, in the protocol version that was used. */
export type FacilitatorCall = {
  readonly payload: Readonly<Record<string, unknown>> & { x402Version: 1 | 2 }
  readonly requirements: Readonly<Record<string, unknown>>
}

export type Verification =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly cause: unknown }

export type Settlement =
  | { readonly kind: 'settled'; readonly txHash: string }
  /** The money has certainly not moved. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The facilitator was certainly not reached. */
  | { readonly kind: 'unavailable'; readonly cause: unknown }
  /** The money may have moved, or may yet; the chain alone can tell. */
  | { readonly kind: 'unknown'; readonly cause: unknown; readonly txHash: string | null }

/** A way of settling that a facilitator offers. */
export type SupportedKind = { x402Version: number; scheme: string; network: string }

/** The facilitator, with every outcome told apart; nothing here rejects but `supported`. */
export type Facilitator = {
  readonly url: string
  verify(call: FacilitatorCall): Promise<Verification>
  settle(call: FacilitatorCall): Promise<Settlement>
  supported(): Promise<readonly SupportedKind[]>
}

export type FacilitatorOptions = {
  url: string
  /** Headers that prove who asks: fixed, or made anew for each request. */
  headers?: Readonly<Record<string, string>> | (() => Promise<Readonly<Record<string, string>>>)
  /** @default 10000 */
  verifyTimeoutMs?: number
  /** A settlement waits for a block. @default 30000 */
  settleTimeoutMs?: number
}

// Source: the x402 facilitator's interface, `/verify`, `/settle` and `/supported`; what else is in an answer is not read.
const VerifyAnswerSchema = z.object({ isValid: z.boolean(), invalidReason: z.string().nullish() })
const SettleAnswerSchema = z.object({
  success: z.boolean(),
  transaction: z.string().nullish(),
  errorReason: z.string().nullish(),
})
const SupportedAnswerSchema = z.object({
  kinds: z.array(z.object({ x402Version: z.number(), scheme: z.string(), network: z.string() })),
})

const TX_HASH = /^0x[0-9a-fA-F]{64}$/

/**
 * Reasons that a facilitator states before it sends anything. Everything else may mean that the transaction was sent:
 * the stock v1 scheme tells even a lost receipt as a plain failure without a transaction.
 */
const NOTHING_SENT = new Set([
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

/** Creates the client of a facilitator over HTTP. */
export function createFacilitator(options: FacilitatorOptions): Facilitator {
  const { url, verifyTimeoutMs = 10_000, settleTimeoutMs = 30_000 } = options
  const ask = async (step: string, timeoutMs: number, call?: FacilitatorCall) =>
    askFacilitator({
      url: `${url.replace(/\/+$/, '')}/${step}`,
      headers: await makeHeaders(options.headers),
      timeoutMs,
      ...(call && {
        body: {
          x402Version: call.payload.x402Version,
          paymentPayload: call.payload,
          paymentRequirements: call.requirements,
        },
      }),
    })
  return {
    url,
    verify: async (call) => {
      try {
        const { status, body } = await ask('verify', verifyTimeoutMs, call)
        const { isValid, invalidReason } = VerifyAnswerSchema.parse(body)
        if (status >= 500) throw new Error(`the facilitator answered ${status}`)
        return isValid && isSuccess(status)
          ? { kind: 'valid' }
          : { kind: 'invalid', reason: tidy(invalidReason) }
      } catch (cause) {
        return { kind: 'unavailable', cause }
      }
    },
    settle: async (call) => {
      try {
        const { status, body } = await ask('settle', settleTimeoutMs, call)
        return readSettlement(SettleAnswerSchema.parse(body), status)
      } catch (cause) {
        return wasNeverSent(cause) ? { kind: 'unavailable', cause } : { kind: 'unknown', cause, txHash: null }
      }
    },
    supported: async () => {
      const { status, body } = await ask('supported', verifyTimeoutMs)
      if (!isSuccess(status)) throw new Error(`the facilitator answered ${status}`)
      return SupportedAnswerSchema.parse(body).kinds
    },
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

function readSettlement(answer: z.infer<typeof SettleAnswerSchema>, status: number): Settlement {
  const transaction = answer.transaction ?? ''
  const txHash = TX_HASH.test(transaction) ? transaction.toLowerCase() : null
  const succeeded = answer.success && isSuccess(status)
  if (succeeded && txHash !== null) return { kind: 'settled', txHash }
  const reason = tidy(answer.errorReason)
  if (!answer.success && transaction === '' && NOTHING_SENT.has(reason)) return { kind: 'failed', reason }
  return { kind: 'unknown', cause: new Error(`settlement answered ${status} ${reason}`), txHash }
}

// What a facilitator says goes into our challenge, so only an identifier gets through.
function tidy(reason: string | null | undefined): string {
  return typeof reason === 'string' && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : 'payment_refused'
}

// Without them the request is not sent, and a settlement that was not sent is not unknown.
async function makeHeaders(
  headers: FacilitatorOptions['headers'],
): Promise<Readonly<Record<string, string>>> {
  try {
    return typeof headers === 'function' ? await headers() : (headers ?? {})
  } catch (cause) {
    throw Object.assign(new Error('the headers for the facilitator could not be made', { cause }), {
      code: 'HEADERS_FAILED',
    })
  }
}

const NEVER_CONNECTED = new Set([
  'HEADERS_FAILED',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
])

function wasNeverSent(error: unknown): boolean {
  let current = error
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if ('code' in current && typeof current.code === 'string' && NEVER_CONNECTED.has(current.code))
      return true
    current = current.cause
  }
  return false
}
