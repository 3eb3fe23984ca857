import { MAX_DISPUTE_CHARACTERS, type NewDispute } from '../../../claims/createDisputes.ts'
import type { HostClaims } from '../../../claims/createHostClaims.ts'
import type { EndpointState } from '../../../domain/facts/hostDocument.ts'
import { isReceiverOf } from '../../../domain/publish/offeredReceivers.ts'
import type { PostRequest } from '../../../http/deps.ts'
import { readUrl } from '../../hostName.ts'
import type { PageDeps } from '../../pageDeps.ts'
import { cleanText } from '../../text.ts'

/** What is wrong with a field of a dispute. */
export type DisputeFault = { readonly parameter: string; readonly code: string; readonly message: string }

/** A dispute that may be stored, or what is wrong with it. */
type Read =
  | { readonly ok: true; readonly dispute: NewDispute }
  | { readonly ok: false; readonly fault: DisputeFault }

const refuse = (parameter: string, code: string, message: string): Read => ({
  ok: false,
  fault: { parameter, code, message },
})

/** Reads the fields of a dispute of a known host, and checks that the sender claimed the host, or the endpoint's receiver. */
export async function readDispute(
  store: Pick<PageDeps['store'], 'endpoint' | 'incident'>,
  claims: Pick<HostClaims, 'heldBy'>,
  host: string,
  fields: PostRequest['fields'],
): Promise<Read> {
  const given = (fields.get('text') ?? '').trim()
  const text = cleanText(given, MAX_DISPUTE_CHARACTERS)
  if (text === '') return refuse('text', 'missing', 'Enter the text.')
  if ([...given].length > MAX_DISPUTE_CHARACTERS) {
    return refuse('text', 'too_long', `expected at most ${MAX_DISPUTE_CHARACTERS} characters`)
  }
  const secret = (fields.get('secret') ?? '').trim()
  if (secret === '') return refuse('secret', 'missing', 'Enter the secret of your claim.')
  const claim = await claims.heldBy(host, secret)
  if (claim === undefined) {
    return refuse(
      'secret',
      'not_held',
      `no claim of ${host} that holds now has this secret: claim the host first`,
    )
  }
  const { method, address } = claim
  /** A receiver that signed claims its endpoints, not those of others at the host. */
  const isClaimed = (state: EndpointState | undefined) =>
    address === null || (state !== undefined && isReceiverOf(state, address))
  const notClaimed = (parameter: string) =>
    refuse(
      parameter,
      'not_claimed',
      `this endpoint is not paid to ${address}, which signed: claim the host by file or DNS`,
    )
  const [url, incident] = [fields.get('endpoint') ?? '', fields.get('incident') ?? '']
  if ((url === '') === (incident === '')) {
    return refuse('endpoint', 'ambiguous', 'expected either an endpoint or an incident')
  }
  if (incident !== '') {
    const known = await store.incident(incident)
    if (known?.host === host) {
      if (!isClaimed((await store.endpoint(known.endpoint))?.state)) return notClaimed('incident')
      return { ok: true, dispute: { host, endpoint: null, incident: known.id, text, method } }
    }
    return refuse('incident', 'unknown', `no incident of ${host} has this id`)
  }
  const endpoint = readUrl(url)?.key
  const known = endpoint === undefined ? undefined : await store.endpoint(endpoint)
  if (endpoint !== undefined && known?.state.host === host) {
    if (!isClaimed(known.state)) return notClaimed('endpoint')
    return { ok: true, dispute: { host, endpoint, incident: null, text, method } }
  }
  return refuse('endpoint', 'unknown', `no endpoint of ${host} has this URL`)
}
