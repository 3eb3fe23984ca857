import { DisputeState } from '../components/disputes.tsx'
import { EndpointName } from '../components/prose.tsx'
import { plural } from '../format.ts'
import { incidentPath, profilePath } from '../paths.ts'
import { OwnedForm, Part } from './part.tsx'
import type { OwnerView } from './readView.ts'

type Props = { readonly view: OwnerView }

/** Takes a reply, which the profile shows at once. */
export function Replies({ view }: Props) {
  const { host, isListed, carried } = view
  return (
    <Part id="replies" title="Reply">
      <p>
        Your words stand under the finding at once, on the{' '}
        {isListed ? <a href={profilePath(host)}>profile</a> : 'profile'} alone, marked as yours. They end with
        your claim. One reply a subject: another one replaces it, an empty text withdraws it. The operator can
        take it down, and says why.
      </p>
      <OwnedForm
        view={view}
        part="replies"
        names={['about', 'text']}
        values={{ about: carried.about ?? carried.endpoint ?? host }}
        buttons={{ send: 'Send the reply', remove: 'Remove the reply' }}
      />
    </Part>
  )
}

type DisputesProps = Props & {
  /** Days within which the operator promises an answer. */
  readonly promiseDays: number
}

/** Takes a dispute, and shows the states of those that were sent. */
export function Disputes({ view, promiseDays }: DisputesProps) {
  const { disputes, now, carried } = view
  return (
    <Part id="disputes" title="Dispute">
      <p>
        Say what is wrong, and how one can see it. That there is a dispute is public at once, its text with
        the answer, which is promised within {plural(promiseDays, 'day')}. It changes no verdict: measurements
        do.
      </p>
      {disputes.length > 0 && (
        <ul class="evidence">
          {disputes.map((dispute) => (
            <li>
              {dispute.incident === null ? (
                <EndpointName url={dispute.endpoint ?? ''} />
              ) : (
                <a href={incidentPath(dispute.incident)}>An incident</a>
              )}
              : <DisputeState dispute={dispute} now={now} />
            </li>
          ))}
        </ul>
      )}
      <OwnedForm
        view={view}
        part="disputes"
        names={['about', 'text']}
        values={{ about: carried.about ?? carried.endpoint ?? '' }}
        buttons={{ send: 'Send the dispute' }}
      />
    </Part>
  )
}
