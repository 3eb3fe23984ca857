import { documentOf } from '../../adapters/store/testing/records.ts'
import type { EndpointDocument } from '../../domain/facts/hostDocument.ts'

/**
 * Creates the document of a host's endpoint that was judged at a time.
 * @param endpoint @default `https://HOST/a`
 */
export function endpointDocument(
  host: string,
  at: number,
  nextProbeAt: number,
  endpoint = `https://${host}/a`,
): EndpointDocument {
  const [state] = documentOf(host, at).endpoints
  if (state === undefined) throw new Error('a document has endpoints')
  return {
    state: { ...state, endpoint, nextProbeAt },
    carried: { scoreVersion: state.scoreVersion, lastAt: at },
  }
}
