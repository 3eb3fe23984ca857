import type { RequestListener } from 'node:http'
import type { Config } from '../../config/config.ts'
import { aConfig } from '../../config/testing.ts'
import { systemClock } from '../../lib/clock.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { createHttpApp } from '../createHttpApp.ts'
import type { HttpContext, HttpParts } from '../deps.ts'
import { createAnswerCache } from '../free/answerCache.ts'
import { createSmallAnswers } from './answers.ts'

export const NOW = Date.parse('2026-01-31T12:00:00Z')

/** Parts of the small app that a test replaces. */
export type AppChanges = Partial<Omit<HttpContext, 'config'> & Omit<HttpParts, 'cache'>> & {
  readonly config?: Partial<Config>
}

/** Creates the app of small answers without pages, behind a paywall that nothing passes. Its log and metrics go nowhere. */
export function createSmallApp({ config, ...changes }: AppChanges = {}): RequestListener {
  const ctx = {
    clock: { ...systemClock, now: () => NOW },
    log: () => {},
    metrics: { request: () => {} },
    stopping: new AbortController().signal,
    store: createMemoryStore(),
    ...changes,
    config: aConfig({
      trustProxy: 0,
      answerCacheBytes: 1024 ** 2,
      ...config,
    }),
  }
  return createHttpApp(ctx, {
    answers: createSmallAnswers(),
    paywall: CLOSED_PAYWALL,
    pages: [],
    errorPages: ERROR_PAGES,
    jwks: async () => ({ keys: [{ kty: 'OKP', kid: 'one' }] }),
    snapshots: { open: async () => undefined },
    readiness: () => ({ status: 'ready', checks: {} }),
    soldTokens: { note: async () => {} },
    onRequest: undefined,
    ...changes,
    cache: createAnswerCache(ctx),
  })
}

/** Challenges every call. */
const CLOSED_PAYWALL: HttpParts['paywall'] = {
  sell: async () => ({
    kind: 'challenge',
    headers: { 'PAYMENT-REQUIRED': 'e30=' },
    body: '{"x402Version":1}',
  }),
}

const ERROR_PAGES: HttpParts['errorPages'] = {
  refusal: ({ detail }) => detail,
  payment: ({ operation }) => operation,
}
