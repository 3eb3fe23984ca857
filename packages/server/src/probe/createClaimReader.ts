import type { promises as dns } from 'node:dns'
import { createClients } from '../facts/clientIdentities.ts'
import { readBounded } from '../lib/readBounded.ts'
import { untilAborted } from '../lib/untilAborted.ts'
import { classifyFailure } from './classifyFailure.ts'
import { createPublicFetch, type PublicFetchOptions } from './createPublicFetch.ts'
import { readCode } from './errors.ts'

export type ClaimReaderOptions = PublicFetchOptions & {
  /** URL or address in the user agent. */
  readonly contact: string
  /** Looks up TXT records. */
  readonly resolver: Pick<dns.Resolver, 'resolveTxt'>
}

type Failure = {
  readonly ok: false
  readonly code: string
  readonly message: string
  readonly isOurs: boolean
}
type Published = { readonly ok: true; readonly texts: readonly string[] } | Failure

const FILE_MS = 6_000
const TXT_MS = 6_000
/** The file holds one line per service that the host is claimed at. */
const MAX_FILE_BYTES = 4 * 1024

const fail = (code: string, message: string, isOurs = false): Failure => ({
  ok: false,
  code,
  message,
  isOurs,
})

const SENTENCES: Readonly<Partial<Record<string, string>>> = {
  refused: 'could not be read: the connection was refused',
  tls_failed: 'could not be read: the certificate of the host is not valid',
  connection_lost: 'could not be read: the connection broke',
  timeout: 'could not be read: the host did not answer in time',
  dns_failed: 'could not be read: the host name cannot be resolved',
  address_refused: 'could not be read: the host is not at a public address',
  too_large: 'could not be read: the headers of the answer are too large',
}

/** Creates the reader of files and TXT records by which hosts are claimed, and a function that closes it. */
export function createClaimReader(options: ClaimReaderOptions) {
  const { fetch, close } = createPublicFetch(options)
  const [identity] = createClients(options.contact)

  const readFile = async (url: string, signal: AbortSignal): Promise<Published> => {
    const headers = { ...identity?.headers, accept: 'text/plain, */*' }
    const response = await fetch(url, { headers, redirect: 'manual', signal })
    const { status } = response
    if (status !== 200) {
      await response.body?.cancel()
      if (status >= 300 && status < 400) {
        return fail('redirected', `redirects (HTTP ${status}): serve the file at this very URL`)
      }
      const isAbsent = status === 404 || status === 410
      return fail(
        isAbsent ? 'not_found' : 'http_error',
        `answered HTTP ${status}: expected 200 with the text`,
      )
    }
    const text = await readBounded(response, MAX_FILE_BYTES)
    if (text === null) return fail('too_large', `is larger than ${MAX_FILE_BYTES} bytes`)
    return { ok: true, texts: text.split('\n').map((line) => line.trim()) }
  }

  return {
    async file(url: string, signal: AbortSignal): Promise<Published> {
      const limit = AbortSignal.timeout(FILE_MS)
      try {
        return await readFile(url, AbortSignal.any([signal, limit]))
      } catch (error) {
        if (signal.aborted) return fail('own_fault', 'could not be read: the check was interrupted', true)
        if (limit.aborted) return fail('timeout', SENTENCES.timeout ?? '')
        // `fetch` wraps the error of the connection.
        const { cause, outcome } = classifyFailure(error instanceof TypeError ? error.cause : error)
        const message = SENTENCES[cause] ?? 'could not be read: the check failed on our side; try again later'
        return fail(cause, message, outcome === 'not_measured' && cause !== 'address_refused')
      }
    },
    async txt(name: string, signal: AbortSignal): Promise<Published> {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TXT_MS)])
      try {
        const records = await Promise.race([options.resolver.resolveTxt(name), untilAborted(limit)])
        // A long record comes in several strings.
        return { ok: true, texts: records.map((strings) => strings.join('').trim()) }
      } catch (error) {
        const code = readCode(error)
        if (code === 'ENOTFOUND' || code === 'ENODATA') return fail('no_txt', 'has no TXT record')
        return fail('dns_failed', 'could not be looked up: the name server did not answer', true)
      }
    },
    close,
  }
}
