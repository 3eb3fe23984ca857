import { HTTPFacilitatorClient } from '@x402/core/http'
import { SettleError, type SettleResponse, VerifyError, type VerifyResponse } from '@x402/core/types'

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

// The library's types are those of v2; at run time it hands on either version as it is.
type AnyVersionClient = {
  verify(payload: object, requirements: object): Promise<VerifyResponse>
  settle(payload: object, requirements: object): Promise<SettleResponse>
}

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
  const { url, headers } = options
  const authorize =
    headers === undefined
      ? {}
      : {
          createAuthHeaders: async () => {
            const made = typeof headers === 'function' ? await makeHeaders(headers) : headers
            return { verify: { ...made }, settle: { ...made }, supported: { ...made } }
          },
        }
  const verifyTimeoutMs = options.verifyTimeoutMs ?? 10_000
  const quick = new HTTPFacilitatorClient({ url, timeoutMs: verifyTimeoutMs, ...authorize })
  const patient = new HTTPFacilitatorClient({
    url,
    timeoutMs: options.settleTimeoutMs ?? 30_000,
    ...authorize,
  })
  const verifier: AnyVersionClient = quick
  const settler: AnyVersionClient = patient
  return {
    url,
    verify: async ({ payload, requirements }) => {
      try {
        const answer = await verifier.verify(payload, requirements)
        return answer.isValid ? { kind: 'valid' } : { kind: 'invalid', reason: tidy(answer.invalidReason) }
      } catch (error) {
        if (error instanceof VerifyError && error.statusCode < 500) {
          return { kind: 'invalid', reason: tidy(error.invalidReason) }
        }
        return { kind: 'unavailable', cause: error }
      }
    },
    settle: async ({ payload, requirements }) => {
      try {
        return readSettlement(await settler.settle(payload, requirements))
      } catch (error) {
        if (error instanceof SettleError) {
          const { errorReason, transaction } = error
          return readSettlement({ success: false, errorReason, transaction, cause: error })
        }
        return wasNeverSent(error)
          ? { kind: 'unavailable', cause: error }
          : { kind: 'unknown', cause: error, txHash: null }
      }
    },
    supported: async () => (await quick.getSupported()).kinds,
  }
}

function readSettlement(answer: {
  success: boolean
  errorReason?: string | undefined
  transaction: string
  cause?: unknown
}): Settlement {
  const txHash = TX_HASH.test(answer.transaction) ? answer.transaction.toLowerCase() : null
  if (answer.success && txHash !== null) return { kind: 'settled', txHash }
  const reason = tidy(answer.errorReason)
  if (!answer.success && !answer.transaction && NOTHING_SENT.has(reason)) return { kind: 'failed', reason }
  return { kind: 'unknown', cause: answer.cause ?? new Error(`settlement answered ${reason}`), txHash }
}

// What a facilitator says goes into our challenge, so only an identifier gets through.
function tidy(reason: string | undefined): string {
  return reason !== undefined && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : 'payment_refused'
}

// Without them the request is not sent, and a settlement that was not sent is not unknown.
async function makeHeaders(make: () => Promise<Readonly<Record<string, string>>>) {
  try {
    return await make()
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
