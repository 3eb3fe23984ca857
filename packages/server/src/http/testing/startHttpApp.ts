import type { Paywall } from '../../payments/paywall.ts'
import { createHttpApp } from '../createHttpApp.ts'
import type { HttpDeps } from '../deps.ts'
import { createAnswerCache } from '../free/answerCache.ts'
import { createSmallAnswers } from './answers.ts'
import { listen } from './listen.ts'

export const NOW = Date.parse('2026-01-31T12:00:00Z')

/** Challenges every call. */
const closedPaywall: Paywall = {
  sell: async () => ({
    kind: 'challenge',
    headers: { 'PAYMENT-REQUIRED': 'e30=' },
    body: '{"x402Version":1}',
  }),
}

/** Serves small answers behind a paywall that nothing passes. Returns the origin. */
export function startHttpApp(more: Partial<HttpDeps> = {}) {
  return listen(
    createHttpApp({
      answers: createSmallAnswers(),
      paywall: closedPaywall,
      clock: { now: () => NOW },
      cache: createAnswerCache({ now: () => NOW, maxBytes: 1024 ** 2 }),
      publicUrl: 'https://trust.example',
      jwks: () => ({ keys: [{ kty: 'OKP', kid: 'one' }] }),
      ...more,
    }),
  )
}
