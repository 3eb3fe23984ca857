import { findNetwork } from '@touchstone402/shared'
import { z } from 'zod'
import { codeOf } from '../errors.ts'

/** A payment and the terms it must meet, in the protocol version of the payment. */
export type FacilitatorCall = {
  readonly payload: Readonly<Record<string, unknown>> & { x402Version: 1 | 2 }
  readonly requirements: Readonly<Record<string, unknown>>
}

/** Outcome of a verification. */
export type Verification =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly cause: unknown }

/** Outcome of a settlement. */
export type Settlement =
  | { readonly kind: 'settled'; readonly txHash: string }
  /** The money has certainly not moved. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The request certainly did not reach the facilitator. */
  | { readonly kind: 'unavailable'; readonly cause: unknown }
  /** The money may have moved or may still move; only the chain can tell. */
  | { readonly kind: 'unknown'; readonly cause: unknown; readonly txHash: string | null }

/** A way of settling that a facilitator offers. */
export type SupportedKind = z.infer<typeof SupportedAnswerSchema>['kinds'][number]

/** Client of a facilitator. `verify` and `settle` never reject. */
export type Facilitator = {
  readonly url: string
  verify(call: FacilitatorCall): Promise<Verification>
  settle(call: FacilitatorCall): Promise<Settlement>
  /** @throws Error if the facilitator is unavailable or its answer is malformed */
  supported(): Promise<readonly SupportedKind[]>
}

/** Options of `createFacilitator`. */
export type FacilitatorOptions = {
  url: string
  /** Authentication headers, fixed or made for each request. @default none */
  headers?: Readonly<Record<string, string>> | (() => Promise<Readonly<Record<string, string>>>)
  /** Time limit of a verification in ms, to the last byte of the answer. */
  verifyTimeoutMs: number
  /** Time limit of a settlement in ms; it waits for a block. */
  settleTimeoutMs: number
}

/** Time limits of a facilitator's answers, in ms. */
export const FACILITATOR_LIMITS = {
  verifyTimeoutMs: 10_000,
  settleTimeoutMs: 30_000,
}

// Source: the `/verify`, `/settle` and `/supported` endpoints of an x402 facilitator. Other fields are ignored.
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
/** Maximum size of an answer as decoded. Honest ones take a few hundred bytes, the longest list of kinds about 10 kB. */
const MAX_ANSWER_BYTES = 256 * 1024

/**
 * Reasons a facilitator gives before it sends a transaction. After any other reason the transaction may have been sent:
 * the stock v1 scheme reports even a lost receipt as a failure without a transaction.
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

/** Codes of errors that occur before a request is sent. */
const NEVER_CONNECTED = new Set([
  'HEADERS_FAILED',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
])

/** Creates a facilitator client over HTTP. */
export function createFacilitator(options: FacilitatorOptions): Facilitator {
  const { url, verifyTimeoutMs, settleTimeoutMs } = options
  const ask = async (step: string, timeoutMs: number, call?: FacilitatorCall) => {
    const headers = await makeHeaders(options.headers)
    const response = await fetch(`${url.replace(/\/+$/, '')}/${step}`, {
      method: call === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      ...(call && {
        body: JSON.stringify({
          x402Version: call.payload.x402Version,
          paymentPayload: call.payload,
          paymentRequirements: call.requirements,
        }),
      }),
      // A redirect after a processed settlement would hide its outcome, and could carry credentials to another origin.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, isSuccess: response.ok, body: await readJson(response) }
  }
  return {
    url,
    verify: async (call) => {
      try {
        const { status, isSuccess, body } = await ask('verify', verifyTimeoutMs, call)
        const { isValid, invalidReason } = VerifyAnswerSchema.parse(body)
        if (status >= 500) throw new Error(`Facilitator answered ${status}`)
        return isValid && isSuccess ? { kind: 'valid' } : { kind: 'invalid', reason: tidy(invalidReason) }
      } catch (cause) {
        return { kind: 'unavailable', cause }
      }
    },
    settle: async (call) => {
      try {
        const { status, isSuccess, body } = await ask('settle', settleTimeoutMs, call)
        return readSettlement(SettleAnswerSchema.parse(body), status, isSuccess)
      } catch (cause) {
        return wasNeverSent(cause) ? { kind: 'unavailable', cause } : { kind: 'unknown', cause, txHash: null }
      }
    },
    supported: async () => {
      const { status, isSuccess, body } = await ask('supported', verifyTimeoutMs)
      if (!isSuccess) throw new Error(`Facilitator answered ${status}`)
      return SupportedAnswerSchema.parse(body).kinds
    },
  }
}

/** Reads a JSON body of limited size. */
async function readJson({ status, body }: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body?.getReader()
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    size += read.value.length
    if (size > MAX_ANSWER_BYTES) {
      await reader?.cancel()
      throw new Error(`Facilitator answered with more than ${MAX_ANSWER_BYTES} bytes`)
    }
    chunks.push(read.value)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch (cause) {
    throw new Error(`Facilitator answered ${status} without JSON`, { cause })
  }
}

function readSettlement(
  answer: z.infer<typeof SettleAnswerSchema>,
  status: number,
  isSuccess: boolean,
): Settlement {
  const transaction = answer.transaction ?? ''
  const txHash = TX_HASH.test(transaction) ? transaction.toLowerCase() : null
  if (answer.success && isSuccess && txHash !== null) return { kind: 'settled', txHash }
  const reason = tidy(answer.errorReason)
  if (!answer.success && transaction === '' && NOTHING_SENT.has(reason)) return { kind: 'failed', reason }
  return { kind: 'unknown', cause: new Error(`Facilitator answered ${status} ${reason}`), txHash }
}

/** Stands for a reason that is missing, or no identifier. */
export const UNREADABLE_REASON = 'payment_refused'

// The reason goes into our challenge, so only identifiers pass.
function tidy(reason: string | null | undefined): string {
  return typeof reason === 'string' && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : UNREADABLE_REASON
}

// Without headers the request is not sent, so a settlement is `unavailable`, not `unknown`.
async function makeHeaders(
  headers: FacilitatorOptions['headers'],
): Promise<Readonly<Record<string, string>>> {
  try {
    return typeof headers === 'function' ? await headers() : (headers ?? {})
  } catch (cause) {
    throw Object.assign(new Error('Cannot make the headers of a facilitator request', { cause }), {
      code: 'HEADERS_FAILED',
    })
  }
}

function wasNeverSent(error: unknown): boolean {
  let current = error
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if (NEVER_CONNECTED.has(codeOf(current) ?? '')) return true
    current = current.cause
  }
  return false
}

/** Result of the start-up check of a facilitator. */
export type FacilitatorCheck =
  | { readonly kind: 'ok'; readonly speaksV1: boolean }
  /** It does not settle on our network; the message names the settings. */
  | { readonly kind: 'unsuitable'; readonly message: string }
  | { readonly kind: 'unreachable'; readonly cause: unknown }

/**
 * Checks whether a facilitator settles the exact scheme on a network. An unreachable one need not stop the start:
 * challenges are made locally, and paid calls get 503 until it is back.
 */
export async function checkFacilitator(facilitator: Facilitator, network: string): Promise<FacilitatorCheck> {
  let kinds: readonly SupportedKind[]
  try {
    kinds = await facilitator.supported()
  } catch (cause) {
    return { kind: 'unreachable', cause }
  }
  const exact = kinds.filter(({ scheme }) => scheme === 'exact')
  const settles = (version: number, ...names: (string | undefined)[]) =>
    exact.some((kind) => kind.x402Version === version && names.includes(kind.network))
  if (!settles(2, network, `${network.split(':')[0]}:*`)) {
    const known = [...new Set(exact.map((kind) => kind.network))].slice(0, 20).join(', ') || 'none'
    return {
      kind: 'unsuitable',
      message: `FACILITATOR_URL: ${new URL(facilitator.url).origin} does not settle "exact" on ${network} (NETWORK); it settles on: ${known}`,
    }
  }
  return { kind: 'ok', speaksV1: settles(1, findNetwork(network)?.v1Name) }
}
