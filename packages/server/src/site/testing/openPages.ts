import type { Config } from '../../config/config.ts'
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

/** Dependencies of the pages that a test replaces. */
export type PageChanges = Partial<Omit<PageDeps, 'config'>> & { readonly config?: Partial<Config> }

/** Serves the pages over samples until the test ends. Resolves to the origin. */
export async function openPages(
  samples: readonly Sample[] = SAMPLES,
  { config, ...changes }: PageChanges = {},
): Promise<string> {
  const sampled = await createSampleDeps(samples)
  const deps = {
    ...sampled,
    ...changes,
    config: {
      ...sampled.config,
      ...config,
    },
  }
  return startHttpApp({
    clock: deps.clock,
    config: { publicUrl: deps.config.publicUrl },
    paywall: {
      sell: async () => {
        throw new Error('pages are free')
      },
    },
    pages: createPages(deps),
    errorPages: createErrorPages(deps),
  })
}
