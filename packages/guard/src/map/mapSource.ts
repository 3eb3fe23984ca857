import { readBytes } from '../readBody.ts'
import { describeOrigin, describeStatus } from '../verdicts/serviceApi.ts'
import { MapError } from './mapError.ts'
import type { MapClientOptions } from './mapTypes.ts'

/** Fetches the files of a map. No request names an endpoint. */
export type MapSource = ReturnType<typeof createMapSource>

type MapSourceOptions = Required<Pick<MapClientOptions, 'fetch' | 'mapUrl' | 'timeoutMs'>> & {
  /** Base URL of the service, for its keys. */
  serviceUrl: string
}

const MAX_HEADER_BYTES = 128 * 1024
// Bodies are large, and their links may be slow.
const BODY_TIMEOUT_MS = 120_000

/** Creates a source that reads over HTTP, without retries and without redirects. */
export function createMapSource({ serviceUrl, mapUrl, fetch, timeoutMs }: MapSourceOptions) {
  const read = async (url: string, maxBytes: number, limitMs: number, init?: RequestInit) => {
    const signal = AbortSignal.timeout(limitMs)
    const response = await fetch(url, { redirect: 'manual', signal, ...init }).catch((cause) => {
      throw new MapError('UNREACHABLE', { details: `${describeOrigin(url)} did not answer.`, cause })
    })
    if (response.status !== 200) {
      response.body?.cancel().catch(() => {})
      throw new MapError('UNREACHABLE', { details: describeStatus(url, response.status) })
    }
    return readBytes(response, maxBytes, limitMs).catch((cause) => {
      throw new MapError('WRONG_LENGTH', { details: 'The answer was too long or too slow.', cause })
    })
  }
  const readFile = (name: string, maxBytes: number) => read(`${mapUrl}/${name}`, maxBytes, BODY_TIMEOUT_MS)
  const readText = async (url: string, init?: RequestInit) =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(await read(url, MAX_HEADER_BYTES, timeoutMs, init))
  return {
    header: () => readText(`${mapUrl}/latest`, { cache: 'no-cache' }),
    /** @throws MapError `WRONG_LENGTH` for more than `maxBytes` */
    body: (version: number, maxBytes: number) => readFile(`${version}`, maxBytes),
    /** @throws MapError, also if there is no such diff */
    diff: (from: number, to: number, maxBytes: number) => readFile(`${from}-${to}`, maxBytes),
    async jwks(): Promise<unknown> {
      const text = await readText(`${serviceUrl}/.well-known/jwks.json`)
      try {
        // Bounded in size, and only some of its members are read.
        return JSON.parse(text)
      } catch (cause) {
        throw new MapError('UNTRUSTED', { details: 'The key set of the service is not JSON.', cause })
      }
    },
  }
}
