import { sameAddress } from '@touchstone402/shared'
import { LIMITS } from '../../judge/spec.ts'
import type { ReceiverChange } from '../../owners/announcement.ts'
import { Day } from '../components/prose.tsx'
import { OwnedForm } from './part.tsx'
import type { OwnerView } from './readView.ts'

type Props = { readonly view: OwnerView; readonly change: ReceiverChange }

/** Options and dates for an owner who lost the old key. */
export function WithoutOldKey({ view, change }: Props) {
  const { claims, confirmations } = view
  const changedAt = Date.parse(change.firstSeenAt ?? '')
  const [caution, safe] = [changedAt + LIMITS.confirmedByHostMs, changedAt + LIMITS.changedMs]
  const claim = claims.find(({ method }) => method === 'dns')
  const confirmed = confirmations.find(
    ({ network, newPayTo }) => network === change.network && sameAddress(newPayTo, change.newPayTo ?? ''),
  )
  const end = (
    <>
      If the receiver stays, the finding ends on <Day at={safe} />, 30 days after the change; a signature by
      the old receiver ends it at once.
    </>
  )
  if (confirmed !== undefined)
    return (
      <p>
        <b>Without the old key</b>: you confirmed the change on <Day at={confirmed.at} />. Avoid becomes
        Caution on <Day at={caution} />, if the receiver stays and your claim by DNS holds. {end}
      </p>
    )
  if (claim === undefined || claim.since >= changedAt)
    return (
      <p>
        <b>Without the old key</b>: no claim of this host by DNS is from before <Day at={changedAt} />, when
        the receiver changed
        {claim && (
          <>
            {' '}
            (yours is from <Day at={claim.since} />)
          </>
        )}
        . A later one confirms nothing, since whoever took over the host could make it. {end} Until then you
        can reply and dispute.
      </p>
    )
  return (
    <>
      <p>
        <b>Without the old key</b>: you claimed this host by DNS on <Day at={claim.since} />, before the
        receiver changed on <Day at={changedAt} />, so you may confirm the change. Avoid becomes Caution on{' '}
        <Day at={caution} />, if the receiver stays for seven days. {end}
      </p>
      <OwnedForm
        view={view}
        part="confirmations"
        names={[]}
        values={{ endpoint: `${change.endpoints[0]}` }}
        buttons={{ confirm: 'Confirm the change' }}
      />
    </>
  )
}
