import { toTimestamp } from '../../../facts/times.ts'
import { badField } from '../../../http/readFields.ts'
import { CLAIM_METHODS, type HostClaim, isClaimSecret } from '../../../owners/hostClaim.ts'
import { claimHost, findClaim } from '../../../owners/hostClaims.ts'
import type { PageDeps } from '../../pageDeps.ts'
import type { Outcome, Sent } from './sent.ts'

/** Claims a host, or goes on with a claim that was proven before. */
export async function claim(deps: PageDeps, { host, of, countRequest }: Sent): Promise<Outcome> {
  const [secret, given] = [of('secret'), of('method')]
  const method = CLAIM_METHODS.find((known) => known === given)
  if (method === undefined && given !== 'held')
    throw badField('method', 'malformed', 'expected file, dns or held')
  if (!isClaimSecret(secret))
    throw badField('secret', 'malformed', 'expected the 43 characters that this page gave')
  if (method === undefined) {
    const held = await findClaim(deps, host, secret)
    if (held !== undefined) return { json: describe(held), note: 'Go on with the steps below.' }
    throw badField('secret', 'not_held', 'this secret proves no claim that holds now')
  }
  countRequest()
  const claimed = await claimHost(deps, deps.claimReader, { host, method, secret })
  if ('fault' in claimed) throw badField('method', claimed.fault.code, claimed.fault.message)
  return {
    json: describe(claimed),
    note: 'The host is claimed. The steps below have your secret until you leave this page; later you need it again:',
    copy: secret,
  }
}

const describe = ({ host, method, since, token }: HostClaim) => ({
  host,
  method,
  since: toTimestamp(since),
  token,
})
