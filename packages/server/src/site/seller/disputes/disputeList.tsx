import type { Dispute } from '../../../claims/dispute.ts'
import type { Time } from '../../../domain/facts/facts.ts'
import { Panel } from '../../components/panel.tsx'
import { EndpointName, Moment, Seller } from '../../components/prose.tsx'
import { incidentPath } from '../../paths.ts'
import { methodName } from '../claims/claimedBy.tsx'

type DisputesProps = { readonly disputes: readonly Dispute[]; readonly now: Time }

/** Published disputes, each with its answer, as plain text. Empty if there are none. */
export function DisputePanel({ disputes, now }: DisputesProps) {
  if (disputes.length === 0) return null
  return (
    <Panel id="disputes" title="Disputed by the seller">
      <ul class="evidence">
        {disputes.map((dispute) => (
          <li>
            <p class="small muted">
              <About dispute={dispute} />, <Moment at={dispute.at} now={now} />, by whoever claimed the host
              by {methodName(dispute.method)}:
            </p>
            <p>
              <Seller text={dispute.text} max={dispute.text.length} />
            </p>
            {dispute.answer !== null && (
              <p>
                <b>Our answer:</b> <Seller text={dispute.answer} max={dispute.answer.length} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function About({ dispute: { incident, endpoint } }: { readonly dispute: Dispute }) {
  if (incident !== null) return <a href={incidentPath(incident)}>An incident</a>
  return <EndpointName url={endpoint ?? ''} />
}
