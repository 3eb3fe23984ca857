import { findNetwork } from '@touchstone402/shared'
import { codeOf } from '../lib/errors.ts'
import { readBounded } from '../lib/readBounded.ts'
import {
  type FacilitatorAnswer,
  readSettlement,
  readSupported,
  readVerification,
  type Settlement,
  type SupportedKind,
  type Verification,
} from './facilitatorAnswers.ts'

/** A payment and the terms it must meet, in the protocol version of the payment. */
export type FacilitatorCall = {
  readonly payload: Readonly<Record<string, unknown>> & { x402Version: 1 | 2 }
  readonly requirements: Readonly<Record<string, unknown>>
}

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
  /** Sent with every request; may hold credentials. */
  headers: Readonly<Record<string, string>>
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

/** Maximum size of an answer as decoded. Honest ones take a few hundred bytes, the longest list of kinds about 10 kB. */
const MAX_ANSWER_BYTES = 256 * 1024

/** Codes of errors that occur before a request is sent. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
])

/** Creates a facilitator client over HTTP. */
export function createFacilitator(options: FacilitatorOptions): Facilitator {
  const { url, headers, verifyTimeoutMs, settleTimeoutMs } = options
  const ask = async (step: string, timeoutMs: number, call?: FacilitatorCall): Promise<FacilitatorAnswer> => {
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
    const mediaType = response.headers.get('content-type')?.split(';')[0]?.trim() ?? ''
    const { status } = response
    const text = await readBounded(response, MAX_ANSWER_BYTES)
    if (text === null)
      throw new Error(`Facilitator answered ${status} with more than ${MAX_ANSWER_BYTES} bytes`)
    return { status, mediaType, text }
  }
  return {
    url,
    verify: async (call) => {
      try {
        return readVerification(await ask('verify', verifyTimeoutMs, call))
      } catch (cause) {
        return { kind: 'unavailable', cause }
      }
    },
    settle: async (call) => {
      try {
        return readSettlement(await ask('settle', settleTimeoutMs, call))
      } catch (cause) {
        return wasNeverSent(cause) ? { kind: 'unavailable', cause } : { kind: 'unknown', cause, txHash: null }
      }
    },
    supported: async () => readSupported(await ask('supported', verifyTimeoutMs)),
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
