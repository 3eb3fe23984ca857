import { Webhook as Signer } from 'standardwebhooks'
import { messageOf } from '../lib/errors.ts'
import { readBounded } from '../lib/readBounded.ts'
import type { Webhook } from './webhook.ts'

/** Result of one attempt: the body of a 2xx, or why there was none. */
export type Sent =
  | { readonly ok: true; readonly body: string }
  | { readonly ok: false; readonly reason: string; readonly isGone: boolean }

/** How messages leave this process. */
export type Sender = {
  /** Must refuse addresses that are not public. */
  readonly fetch: typeof globalThis.fetch
  readonly userAgent: string
  /** Time limit of an attempt, ms. */
  readonly timeoutMs: number
}

const MAX_ANSWER_BYTES = 4 * 1024
/** The receiver wants no more messages. Source: Standard Webhooks, "Failed delivery". */
const GONE = 410

/**
 * Sends one signed message to a webhook. Redirects are not followed, and at most 4 KiB of an answer are read. Rejects only if
 * the signal fires.
 */
export async function sendMessage(
  { fetch, userAgent, timeoutMs }: Sender,
  { url, secret }: Pick<Webhook, 'url' | 'secret'>,
  { id, body }: { readonly id: string; readonly body: unknown },
  signal: AbortSignal,
): Promise<Sent> {
  const payload = JSON.stringify(body)
  // Receivers compare it with real time.
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(at.getTime() / 1000)}`,
    'webhook-signature': new Signer(secret).sign(id, at, payload),
  }
  const limit = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: payload,
      signal: AbortSignal.any([signal, limit]),
    })
    const { status, ok } = response
    if (ok) return { ok, body: (await readBounded(response, MAX_ANSWER_BYTES)) ?? '' }
    await response.body?.cancel()
    const reason = status >= 300 && status < 400 ? `HTTP ${status}, not followed` : `HTTP ${status}`
    return { ok, reason, isGone: status === GONE }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return {
      ok: false,
      reason: limit.aborted ? `no answer within ${timeoutMs} ms` : explain(error),
      isGone: false,
    }
  }
}

/** The reason of a failed fetch is in the message of its cause. */
function explain(error: unknown): string {
  return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error)
}
