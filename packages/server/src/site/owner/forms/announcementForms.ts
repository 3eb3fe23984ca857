import { toDate, toTimestamp } from '../../../facts/times.ts'
import { badField } from '../../../http/readFields.ts'
import { LIMITS } from '../../../judge/spec.ts'
import { type CheckedAnnouncement, checkAnnouncement, checkPublished } from '../../../owners/announcement.ts'
import { confirmChange, whyUnconfirmable } from '../../../owners/confirmations.ts'
import type { HostClaim } from '../../../owners/hostClaim.ts'
import { readClaims } from '../../../owners/hostClaims.ts'
import { readUrl } from '../../hostName.ts'
import type { PageDeps } from '../../pageDeps.ts'
import { readReceivers } from '../readReceivers.ts'
import type { Outcome, Sent } from './sent.ts'

/** Checks a signed text, which is not stored, or what the host publishes. */
export async function announce(deps: PageDeps, { host, of, countRequest }: Sent): Promise<Outcome> {
  const { endpoint, change } = await findChange(deps, host, of('endpoint'), 'whose receiver can sign a text')
  const url = `${new URL(endpoint).origin}/.well-known/x402`
  if (of('method') === 'published') {
    countRequest()
    entryOf(await checkPublished(change, url, await deps.readDocument(url)))
    return {
      json: { endpoint, verified: true, published: true },
      note: 'The published announcement is right. The next probe reads it as evidence: check the host now, and its profile shows the change as announced.',
    }
  }
  const publish = entryOf(await checkAnnouncement(change, of('text'), of('signature')))
  return {
    json: { endpoint, verified: true, published: false, publish },
    note: `The signature is right. Serve this at ${url}, beside what else is there. Then check what is published.`,
    copy: JSON.stringify({ rotations: [publish] }, null, 2),
  }
}

/** Records that the owner of the host confirms a change of receiver that came after the claim. */
export async function confirm(deps: PageDeps, { host, of }: Sent, held: HostClaim): Promise<Outcome> {
  const { endpoint, change } = await findChange(deps, host, of('endpoint'), 'whose receiver changed')
  // The same secret may have claimed the host by a file first.
  const own = (await readClaims(deps, host)).filter(({ token }) => token === held.token)
  const claim = own.find(({ method }) => method === 'dns') ?? held
  const fault = whyUnconfirmable(change, claim)
  if (fault !== undefined) throw badField(fault.parameter, fault.code, fault.message)
  const announcement = confirmChange(change, claim, deps.clock.now())
  await deps.store.write('append', [announcement])
  const { newPayTo, oldPayTo } = announcement
  const from = Date.parse(change.firstSeenAt ?? '') + LIMITS.confirmedByHostMs
  return {
    json: {
      endpoint,
      oldPayTo,
      newPayTo,
      claimedAt: toTimestamp(claim.since),
      countsFrom: toTimestamp(from),
    },
    note: `Confirmed. Once the receiver has stayed for seven days, on ${toDate(from)}, Avoid becomes Caution. A signature by the old receiver makes it Safe.`,
  }
}

async function findChange(deps: PageDeps, host: string, given: string, expected: string) {
  const endpoint = readUrl(given)?.key ?? ''
  const { changes } = await readReceivers(deps, host)
  const change = changes.find(({ endpoints }) => endpoints.includes(endpoint))
  if (change !== undefined) return { endpoint, change }
  throw badField('endpoint', 'unknown', `expected an endpoint of the host ${expected}`)
}

function entryOf(checked: CheckedAnnouncement) {
  if ('newPayTo' in checked) return checked
  throw badField(checked.parameter, checked.code, checked.message)
}
