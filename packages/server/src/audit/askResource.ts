import { canonicalizeUrl } from '@touchstone402/shared'
import { hasTerms, isOwnFault, type Observation } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'
import type { Prober } from '../lib/prober.ts'
import { type OptOutContext, readPermission } from './readOptOut.ts'

/** The answer to whether the URL that challenges name leads to the endpoint. */
type ResourceAsked = Pick<Observation, 'resourceUrl' | 'resourceAsked'>

/** Context of a request to a resource. */
type ResourceContext = OptOutContext & { readonly prober: Pick<Prober, 'probe'> }

/** Minimum interval between requests to the resource of one endpoint. */
const ASK_AGAIN_MS = DAY
const DEADLINE_MS = 2000

/**
 * Marks probes whose challenge names a resource of another site with whether that URL redirects to the endpoint: only
 * its owner can declare so. Asks at most once a day per endpoint, and repeats the last answer in between.
 * @param last the last answer
 */
export async function askResource(
  ctx: ResourceContext,
  last: ResourceAsked | undefined,
  probes: readonly Observation[],
  signal?: AbortSignal,
): Promise<readonly Observation[]> {
  const named = probes.findLast((probe) => hasTerms(probe) && probe.resourceUrl !== undefined)
  if (named?.resourceUrl === undefined) return probes
  const { endpoint, resourceUrl } = named
  const ask = async (): Promise<ResourceAsked | undefined> => {
    const at = ctx.clock.now()
    if (last?.resourceAsked !== undefined && at - last.resourceAsked.at < ASK_AGAIN_MS) return last
    const permission = await readPermission(ctx, resourceUrl, signal)
    if (permission === 'opted_out') return { resourceUrl, resourceAsked: { at, leadsHere: false } }
    if (permission !== 'granted') return last
    const request = { url: resourceUrl, method: 'GET', body: null, declaresInput: false, client: 0 }
    const answer = await ctx.prober.probe({ ...request, deadlineMs: DEADLINE_MS }, signal)
    if (isOwnFault(answer)) return last
    const leadsHere = answer.leadsTo === canonicalizeUrl(endpoint).key
    return { resourceUrl, resourceAsked: { at, leadsHere } }
  }
  const { resourceAsked, ...asked } = (await ask()) ?? {}
  if (resourceAsked === undefined) return probes
  return probes.map((probe) => {
    if (!hasTerms(probe) || probe.resourceUrl === undefined) return probe
    const leadsHere = resourceAsked.leadsHere && probe.resourceUrl === asked.resourceUrl
    return { ...probe, resourceAsked: { ...resourceAsked, leadsHere } }
  })
}
