import { askForTerms, type ScannedTerms } from '@touchstone402/shared/scan'
import { type Auditor, NotPublicError } from '../audit/createAuditor.ts'
import type { Context } from '../context.ts'
import {
  HOST_DIRECTORY,
  isUnmeasured,
  type ListedRow,
  type Listing,
  NO_CLAIMS,
  type Unread,
} from '../facts/facts.ts'
import type { UnpaidCaller } from '../probe/createUnpaidCaller.ts'
import { readEndpointFacts, readListings, readReceiverRecords } from '../store/facts.ts'
import { readObservations } from '../store/observations.ts'
import type { CheckRecord, CheckRequest } from './checkRecord.ts'
import { describeCheck } from './describeCheck.ts'

/** How a check asks an endpoint and its host. */
export type CheckReach = {
  readonly auditor: Pick<Auditor, 'probeLive'>
  readonly caller: Pick<UnpaidCaller, 'ask'>
  /** Reads what a host's own documents declare now, given its origin, or why one is unread. */
  readonly readDeclared: (origin: string) => Promise<readonly ListedRow[] | Unread>
}

const NO_TERMS: ScannedTerms = { answers: [], answer: null, challenge: null }

/** Checks one endpoint: a live check, then its terms as any client gets them. */
export async function makeCheck(
  { store, clock, ids }: Pick<Context, 'store' | 'clock' | 'ids'>,
  reach: CheckReach,
  { endpoint, askedAt }: CheckRecord,
  { isToPublish = false, isOwner = false }: CheckRequest,
  signal: AbortSignal,
): Promise<Pick<CheckRecord, 'result' | 'failure' | 'publication'>> {
  if (endpoint === null) throw new Error('The crawl probes the endpoints of a host.')
  const { auditor, caller } = reach
  const isKnown = (await readListings(store, [endpoint])).size > 0
  let publication: CheckRecord['publication'] = isKnown ? 'listed' : isToPublish ? 'no_terms' : 'not_asked'
  const findListing = async (): Promise<Listing | null> => {
    if (!isToPublish) return null
    const row = await findRow(reach, endpoint, isOwner)
    publication = row === null ? 'documents_unread' : row === undefined ? 'not_named' : 'published'
    return row ? { kind: 'listing', id: ids.newId('lst'), at: clock.now(), ...row } : null
  }
  const before = await readObservations(store, endpoint, { to: askedAt - 1, newest: 1 })
  const observation = await auditor.probeLive(endpoint, signal, findListing).catch((error: unknown) => {
    if (error instanceof NotPublicError) return null
    throw error
  })
  if (observation === null) return { result: null, failure: 'not_public', publication }
  const { state, observations } = observation
  const own = observations.filter(({ purpose }) => purpose !== 'control')
  // Most often a typing error, whether or not our resolver is known to work.
  if (own.length > 0 && own.every(({ cause }) => cause === 'dns_failed'))
    return { result: null, failure: 'dns_failed', publication }
  if (isUnmeasured(observations)) {
    const isDeclined = observations.some(({ cause }) => cause === 'opted_out')
    return { result: null, failure: isDeclined ? 'opted_out' : 'own_fault', publication }
  }
  // The live check has reported the same failure, in more detail.
  const terms = await askForTerms((method) => caller.ask(endpoint, method, signal)).catch(() => NO_TERMS)
  const { network, payTo } = state
  const context = {
    isAlive: own.some(({ outcome }) => outcome === 'up'),
    hasPast: before.length > 0,
    purchases: (await readEndpointFacts(store, endpoint)).purchases.length,
    receiver:
      network === null || payTo === null
        ? undefined
        : (await readReceiverRecords(store, network, payTo)).at(-1),
    now: clock.now(),
  }
  return { result: describeCheck(state, terms, context), failure: null, publication }
}

/** Finds what names an endpoint: undefined if nothing does, null if that could not be read. */
async function findRow({ readDeclared }: CheckReach, endpoint: string, isOwner: boolean) {
  const { origin, host } = new URL(endpoint)
  const rows = await readDeclared(origin)
  const isRead = typeof rows !== 'string'
  const named = isRead ? rows.find((row) => row.endpoint === endpoint) : null
  return isOwner ? (named ?? { ...OWNERS_WORD, endpoint, host, url: endpoint }) : named
}

/** The listing of an endpoint that only the owner of the host names. */
const OWNERS_WORD = {
  directory: HOST_DIRECTORY,
  method: null,
  body: null,
  declaresInput: false,
  declaresOutput: false,
  title: null,
  category: null,
  claims: NO_CLAIMS,
  claimedAt: null,
  ownClaim: true,
} as const
