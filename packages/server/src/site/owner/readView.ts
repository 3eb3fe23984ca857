import { DAY, toTimestamp } from '../../facts/times.ts'
import { readDisputes } from '../../owners/disputes.ts'
import { claimName, claimToken, isClaimSecret, newClaimSecret } from '../../owners/hostClaim.ts'
import { claimFileUrl, findClaim, readClaims } from '../../owners/hostClaims.ts'
import type { SentForm } from '../components/form.tsx'
import type { PageDeps } from '../pageDeps.ts'
import { listProblems } from './problems.ts'
import { readReceivers } from './readReceivers.ts'

/** Fields that a page carries over its forms, beside the secret. */
const CARRIED = ['about', 'endpoint', 'newPayTo'] as const

/** The data of the owner page, with the form that was sent. */
export type OwnerView = Awaited<ReturnType<typeof readView>> & SentForm

/**
 * Reads the data of the owner page.
 * @param of returns a field of the form or of the query
 */
export async function readView(deps: PageDeps, host: string, of: (name: string) => string) {
  const { config } = deps
  const typed = of('secret')
  // The token of a secret in the wrong form is of no use, so the page comes with another one.
  const secret = isClaimSecret(typed) ? typed : newClaimSecret()
  const [claims, held, disputes, { endpoints, ...receivers }] = await Promise.all([
    readClaims(deps, host),
    isClaimSecret(typed) ? findClaim(deps, host, typed) : undefined,
    readDisputes(deps, host),
    readReceivers(deps, host, of('newPayTo')),
  ])
  const carried = CARRIED.map((name) => [name, of(name)] as const).filter(([, value]) => value !== '')
  return {
    host,
    now: deps.clock.now(),
    secret,
    token: claimToken(config.publicUrl, host, secret),
    fileUrl: claimFileUrl(config, host),
    claims,
    /** Whether the secret that was sent proves a claim, so that the forms need not ask for it again. */
    isHeld: held !== undefined,
    /** Hidden fields of all forms. Secrets stand in bodies of requests alone, never in addresses. */
    carried: { ...Object.fromEntries(carried), ...(held && { secret }) } as Readonly<Record<string, string>>,
    isListed: endpoints !== undefined,
    problems: listProblems(endpoints ?? [], receivers.funding.length > 0),
    disputes,
    ...receivers,
  }
}

/** Describes the owner page for programs. */
export function describeView(view: Awaited<ReturnType<typeof readView>>) {
  const { host, claims, secret, token, fileUrl, disputes, changes, funding } = view
  return {
    host,
    claims: claims.map(({ method, since, checkedAt }) => ({
      method,
      since: toTimestamp(since),
      checkedAt: toTimestamp(checkedAt),
      nextCheckAt: toTimestamp(checkedAt + DAY),
    })),
    secret,
    file: { url: fileUrl, line: token },
    dns: { name: claimName(host), type: 'TXT', value: token },
    disputes: disputes.map(({ id, endpoint, incident, state, at, promisedBy, decidedAt }) => ({
      id,
      about: incident ?? endpoint ?? host,
      state,
      since: toTimestamp(at),
      promisedBy: toTimestamp(promisedBy),
      decidedAt: decidedAt === null ? null : toTimestamp(decidedAt),
    })),
    announcements: changes.map(({ host: _, endpoints: [endpoint], ...change }) => ({ endpoint, ...change })),
    funding,
  }
}
