import { isTemplate } from '@touchstone402/shared'
import { isDeclaredByHost, type Listing, type Observation } from '../facts/facts.ts'
import { recordId } from '../facts/ids.ts'
import type { Worked } from '../judge/refusals.ts'

/** A request as it is sent. */
export type Sent = { readonly method: string; readonly url: string; readonly body: string | null }

/** How to probe an endpoint. */
export type Target = {
  readonly endpoint: string
  readonly host: string
  /** URL and body that are sent first: those the host declares, else those that worked before, else the bare endpoint. */
  readonly url: string
  readonly body: string | null
  /** Tried in order until one returns a challenge. */
  readonly methods: readonly string[]
  /** Whether the host declares the input. Listings by others declare nothing for it. */
  readonly declaresInput: boolean
  /** Whether the host declares the method of the first request, or asked for payment at it before. @default false */
  readonly isKnown?: boolean
  /** Requests that are tried when all methods fail. @default none */
  readonly others?: readonly Sent[]
  /** Requests with other input than the usual one, of harmless kind. @default none */
  readonly inputs?: readonly OtherInput[]
  /** Hash of the request that was answered last, if it is among the requests. */
  readonly worked?: string | undefined
}

/** A GET with other input: another declared value, a generated one, or none. */
export type OtherInput = { readonly kind: NonNullable<Observation['input']>; readonly url: string }

/** Methods that change nothing by themselves, or that a paywall answers before its handler. */
const HARMLESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST'])
/** Maximum number of requests from listings that are not the host's. */
const MAX_SAMPLES = 4

/** Returns the hash of a request. */
export function requestId({ method, url, body }: Sent): string {
  return recordId('req', method, url, body ?? '')
}

/** Builds a request; GET and HEAD have no body. */
export function toSent(method: string, { url, body }: Omit<Sent, 'method'>): Sent {
  return { method, url, body: method === 'GET' || method === 'HEAD' ? null : body }
}

/**
 * Chooses how to probe an endpoint. The request that the host declares comes first, or else the one that worked before,
 * then GET and POST, and at last the samples of other listings, in harmless methods alone, since anyone can list anything.
 * @param listings of the endpoint, oldest first
 * @param worked the last success, if any
 */
export function describeTarget(
  endpoint: string,
  listings: readonly Listing[],
  worked: Worked | undefined,
): Target {
  const own = listings.findLast(isDeclaredByHost)
  const others = listOthers(listings)
  const bare = { url: endpoint, body: null }
  const before = findWorked([...listings.toReversed(), bare], worked, own?.method ?? null)
  const declared = own !== undefined && saysMore(own) ? own : undefined
  const first = declared ?? before ?? (isTemplate(endpoint) ? (others[0] ?? bare) : bare)
  const method = declared === undefined ? before?.method : declared.method
  const inputs = own === undefined || first.url !== own.url ? [] : listInputs(own, method ?? 'GET')
  const plain = [declared ?? bare].filter(({ url }) => !isTemplate(url))
  return {
    endpoint,
    host: new URL(endpoint).host,
    url: first.url,
    body: first.body,
    methods: typeof method === 'string' ? [method] : [...new Set([before?.method ?? 'GET', 'GET', 'POST'])],
    declaresInput: own?.declaresInput ?? false,
    isKnown: typeof method === 'string',
    others: [
      ...(before === undefined ? [] : [before]),
      ...plain.flatMap((sent) => [toSent('GET', sent), toSent('POST', sent)]),
      ...others.flatMap(toSamples).slice(0, MAX_SAMPLES),
    ],
    ...(inputs.length > 0 && { inputs }),
    worked: before && requestId(before),
  }
}

/** Lists other input for an unpaid GET. Other methods send only what the host declares as its sample. */
function listInputs(
  { endpoint, url, samples = [], generated = [] }: Listing,
  method: string,
): readonly OtherInput[] {
  if (method !== 'GET') return []
  const isBareOther = url !== endpoint && !isTemplate(endpoint)
  return [
    ...samples.map((sample) => ({ kind: 'declared' as const, url: sample })),
    ...generated.map((sample) => ({ kind: 'generated' as const, url: sample })),
    ...(isBareOther ? [{ kind: 'bare' as const, url: endpoint }] : []),
  ]
}

/** Whether a listing declares more of a request than the URL. */
const saysMore = ({ endpoint, url, method, body }: Listing) =>
  method !== null || body !== null || url !== endpoint

/** Returns the newest listing of each directory that is not the host's, the one listed first at the front. */
function listOthers(listings: readonly Listing[]): readonly Listing[] {
  const foreign = listings.filter((listing) => !isDeclaredByHost(listing))
  return [...new Map(foreign.map((listing) => [listing.directory, listing])).values()]
}

/** Returns the requests that a listing suggests. A challenge in the body cannot be read by HEAD, so GET stands for it. */
function toSamples(listing: Listing): readonly Sent[] {
  const methods = ['GET', 'POST']
  const wanted = methods.filter((method) => method === listing.method)
  return (wanted.length > 0 ? wanted : methods).map((method) => toSent(method, listing))
}

/** Finds the request that worked before, unless it may change something and the host declares it no longer. */
function findWorked(
  known: readonly Omit<Sent, 'method'>[],
  worked: Worked | undefined,
  declaredMethod: string | null,
): Sent | undefined {
  if (worked === undefined || !(HARMLESS.has(worked.method) || worked.method === declaredMethod))
    return undefined
  return known.map((one) => toSent(worked.method, one)).find((sent) => requestId(sent) === worked.request)
}
