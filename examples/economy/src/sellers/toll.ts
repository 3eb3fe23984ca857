import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { isRecord, readTarget, sendJson } from '../http.ts'
import { bazaarExtension, type Offering, type Terms, v1Entry, v2Entry } from './terms.ts'

/** Long, since a busy machine is no reason to sell nothing. */
const FACILITATOR_TIMEOUT_MS = 120_000

/** Behavior of a custom paywall. */
export type TollOptions = {
  offering: Offering
  facilitatorUrl: string
  /** Supported protocol versions: 1 in the body and X-PAYMENT, 2 in headers. @default both */
  versions?: readonly (1 | 2)[]
  /** Returns the terms for a request, both in the challenge and for the payment. */
  terms(request: IncomingMessage, payment: Payment | undefined): Terms
  /** Responds to a paid request. @default 200 with JSON */
  deliver?(response: ServerResponse): void
}

/** A decoded payment that is not verified yet. */
type Payment = { version: 1 | 2; payload: Record<string, unknown>; payTo: string | undefined }

/**
 * Creates a paywall for sellers whose terms the stock middlewares cannot show. It verifies and settles payments through
 * the facilitator, then delivers.
 */
export function createToll(options: TollOptions): RequestListener {
  const versions = options.versions ?? [1, 2]
  const { offering, facilitatorUrl } = options
  const path = new URL(offering.url).pathname
  const deliver =
    options.deliver ?? ((response) => sendJson(response, 200, { title: offering.title, answer: 'forty-two' }))

  const demand = (response: ServerResponse, terms: Terms, error: string) => {
    const headers: Record<string, string> = {}
    if (versions.includes(2)) {
      headers['payment-required'] = encode({
        x402Version: 2,
        error,
        resource: { url: offering.url, description: offering.title, mimeType: 'application/json' },
        accepts: [v2Entry(terms)],
        extensions: { bazaar: bazaarExtension(offering) },
      })
    }
    const body = versions.includes(1) ? { x402Version: 1, error, accepts: [v1Entry(terms, offering)] } : {}
    sendJson(response, 402, body, headers)
  }

  const charge = async (response: ServerResponse, terms: Terms, payment: Payment) => {
    const body = {
      x402Version: payment.version,
      paymentPayload: payment.payload,
      paymentRequirements: payment.version === 1 ? v1Entry(terms, offering) : v2Entry(terms),
    }
    const verified = await callFacilitator(facilitatorUrl, 'verify', body)
    if (verified.isValid !== true)
      return demand(response, terms, String(verified.invalidReason ?? 'invalid payment'))
    const settled = await callFacilitator(facilitatorUrl, 'settle', body)
    if (settled.success !== true)
      return demand(response, terms, String(settled.errorReason ?? 'settlement failed'))
    response.setHeader(payment.version === 1 ? 'x-payment-response' : 'payment-response', encode(settled))
    deliver(response)
  }

  return (request, response) => {
    if (readTarget(request).pathname !== path) return sendJson(response, 404, { error: 'not found' })
    if (request.method !== offering.method) {
      return sendJson(response, 405, { error: 'method not allowed' }, { allow: offering.method })
    }
    const payment = readPayment(request, versions)
    const terms = options.terms(request, payment)
    if (!payment) return demand(response, terms, 'payment required')
    charge(response, terms, payment).catch(() =>
      sendJson(response, 502, { error: 'the facilitator did not answer' }),
    )
  }
}

function readPayment(request: IncomingMessage, versions: readonly (1 | 2)[]): Payment | undefined {
  for (const version of versions) {
    const header = request.headers[version === 1 ? 'x-payment' : 'payment-signature']
    if (typeof header !== 'string') continue
    const payload = decode(header)
    if (payload?.x402Version !== version) continue
    const inner = isRecord(payload.payload) ? payload.payload : {}
    const authorization = isRecord(inner.authorization) ? inner.authorization : {}
    return { version, payload, payTo: typeof authorization.to === 'string' ? authorization.to : undefined }
  }
  return undefined
}

async function callFacilitator(
  url: string,
  step: 'verify' | 'settle',
  body: unknown,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/${step}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(FACILITATOR_TIMEOUT_MS),
  })
  const answer: unknown = await response.json()
  if (!response.ok || !isRecord(answer)) throw new Error(`facilitator answered ${response.status}`)
  return answer
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')

function decode(header: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(header, 'base64').toString('utf8'))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
