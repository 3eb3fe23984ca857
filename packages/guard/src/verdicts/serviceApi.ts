import { createFetch } from 'ofetch'
import { readBody } from '../readBody.ts'
import type { FetchLike } from '../types.ts'

/** Reads free answers of the trust service. */
export type ServiceApi = {
  /** @throws Error with a plain sentence that holds nothing of what the other side said */
  readJson(path: string, query?: Record<string, string>): Promise<unknown>
}

const MAX_BYTES = 256 * 1024

/**
 * @param url base URL of the service
 * @param timeoutMs for the whole answer, its body included
 */
export function createServiceApi(url: string, timeoutMs: number, fetch: FetchLike): ServiceApi {
  const request = createFetch({ fetch: fetch as typeof globalThis.fetch })
  const base = url.replace(/\/+$/, '')
  return {
    async readJson(path, query) {
      const startedAt = Date.now()
      const response = await request
        .raw(`${base}${path}`, {
          ...(query === undefined ? {} : { query }),
          // A retry would add its own timeout to the caller's wait.
          retry: 0,
          responseType: 'stream',
          ignoreResponseError: true,
          // A redirect would let whoever sits before the service choose who answers for it.
          redirect: 'manual',
          signal: AbortSignal.timeout(timeoutMs),
          headers: { accept: 'application/json' },
        })
        .catch(() => {
          throw new Error('The service did not answer.')
        })
      if (response.status !== 200) {
        response.body?.cancel().catch(() => {})
        throw new Error(`The service answered with status ${response.status}.`)
      }
      const left = Math.max(1, timeoutMs - (Date.now() - startedAt))
      const text = await readBody(response, MAX_BYTES, left).catch(() => {
        throw new Error('The answer of the service was too long or too slow.')
      })
      try {
        return JSON.parse(text)
      } catch {
        throw new Error('The answer of the service is no JSON.')
      }
    },
  }
}
