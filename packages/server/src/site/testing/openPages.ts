import { startHttpApp } from '../../http/testing/startHttpApp.ts'
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
  return startHttpApp({
    clock: deps.clock,
    config: { publicUrl: deps.publicUrl },
    paywall: {
      sell: async () => {
        throw new Error('pages are free')
      },
    },
    pages: createPages(deps),
    errorPages: createErrorPages(deps),
  })
}
