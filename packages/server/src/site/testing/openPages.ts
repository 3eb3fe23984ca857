import { createHttpApp } from '../../http/createHttpApp.ts'
import { createAnswerCache } from '../../http/free/answerCache.ts'
import { createSmallAnswers } from '../../http/testing/answers.ts'
import { listen } from '../../http/testing/listen.ts'
import { createPages } from '../createPages.ts'
import { createErrorPages } from '../errors/errors.tsx'
import type { PageDeps } from '../pageDeps.ts'
import { createSampleDeps } from './createSampleDeps.ts'
import { SAMPLES, type Sample } from './sampleServices.ts'

/** Request options of a browser. */
export const HTML = { headers: { Accept: 'text/html,application/xhtml+xml' } }

/** Returns the samples of one host. */
export function samplesOf(host: string): readonly Sample[] {
  return SAMPLES.filter((sample) => sample.host === host)
}

/** Serves the pages over samples until the test ends. Resolves to the origin. */
export async function openPages(
  samples: readonly Sample[] = SAMPLES,
  changes: Partial<PageDeps> = {},
): Promise<string> {
  const deps = { ...(await createSampleDeps(samples)), ...changes }
  const app = createHttpApp({
    answers: createSmallAnswers(),
    paywall: {
      sell: async () => {
        throw new Error('pages are free')
      },
    },
    pages: createPages(deps),
    errorPages: createErrorPages(deps),
    clock: deps.clock,
    cache: createAnswerCache({ now: deps.clock.now, maxBytes: 1024 ** 2 }),
    publicUrl: deps.publicUrl,
    jwks: () => ({ keys: [] }),
  })
  return listen(app)
}
