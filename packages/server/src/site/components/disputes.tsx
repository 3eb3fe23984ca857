import type { Time } from '../../facts/facts.ts'
import { isOverdue, MAX_DISPUTE_CHARACTERS, type PublicDispute } from '../../owners/disputes.ts'
import { incidentPath } from '../paths.ts'
import { Panel } from './panel.tsx'
import { Day, EndpointName, Seller } from './prose.tsx'

type DisputesProps = { readonly disputes: readonly PublicDispute[]; readonly now: Time }

/** Disputes with their states and, once they are public, their texts and answers. Empty if there are none. */
export function DisputePanel({ disputes, now }: DisputesProps) {
  if (disputes.length === 0) return null
  return (
    <Panel id="disputes" title="Disputes by the owner">
      <ul class="evidence">
        {disputes.map((dispute) => (
          <li>
            <p class="small muted">
              {dispute.incident === null ? (
                <EndpointName url={dispute.endpoint ?? ''} />
              ) : (
                <a href={incidentPath(dispute.incident)}>An incident</a>
              )}
              : <DisputeState dispute={dispute} now={now} />
            </p>
            {dispute.text !== null && (
              <p>
                <Seller text={dispute.text} max={MAX_DISPUTE_CHARACTERS} />
              </p>
            )}
            {dispute.answer !== null && (
              <p>
                <b>{dispute.state === 'rejected' ? 'Our reason:' : 'Our answer:'}</b>{' '}
                <Seller text={dispute.answer} max={MAX_DISPUTE_CHARACTERS} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** State of a dispute with its dates: `dispute open since 2026-11-27, answer promised by 2026-12-04`. */
export function DisputeState({ dispute, now }: { readonly dispute: PublicDispute; readonly now: Time }) {
  const { state, at, promisedBy, decidedAt } = dispute
  if (decidedAt !== null)
    return (
      <>
        dispute of <Day at={at} />, {state} <Day at={decidedAt} />
      </>
    )
  return (
    <>
      dispute open since <Day at={at} />, answer promised by <Day at={promisedBy} />
      {isOverdue(dispute, now) && ', overdue'}
    </>
  )
}
