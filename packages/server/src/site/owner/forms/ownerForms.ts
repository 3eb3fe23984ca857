import { badField } from '../../../http/readFields.ts'
import type { HostClaim } from '../../../owners/hostClaim.ts'
import { findClaim } from '../../../owners/hostClaims.ts'
import type { PageDeps } from '../../pageDeps.ts'
import { announce, confirm } from './announcementForms.ts'
import { claim } from './claimForm.ts'
import type { Outcome, Sent } from './sent.ts'
import { dispute, reply } from './statementForms.ts'
import { addWebhook, removeWebhook } from './webhookForms.ts'

/** Takes a form. @throws ProblemError that names the field at fault, if there is one */
type Take = (deps: PageDeps, sent: Sent) => Promise<Outcome>
/** Takes a form of the holder of a host claim. */
type TakeOwned = (deps: PageDeps, sent: Sent, claim: HostClaim) => Promise<Outcome>

/** The forms of an owner, by their path below that of the page. `http/paths.ts` describes their fields. */
export const OWNER_FORMS: Readonly<Record<string, Take>> = {
  claims: claim,
  announcements: announce,
  confirmations: asOwner(confirm),
  replies: asOwner(reply),
  disputes: asOwner(dispute),
  webhooks: asOwner(addWebhook),
  'webhooks/remove': asOwner(removeWebhook),
}

/** Accepts a form only from the holder of a host claim. */
function asOwner(take: TakeOwned): Take {
  return async (deps, sent) => {
    const secret = sent.of('secret')
    if (secret === '') throw badField('secret', 'missing', 'Enter the secret of your claim.')
    const held = await findClaim(deps, sent.host, secret)
    if (held !== undefined) return take(deps, sent, held)
    throw badField('secret', 'not_held', 'this secret proves no claim that holds now: claim the host first')
  }
}
