import type { Time } from '../../facts/facts.ts'
import { type Dispute, MAX_DISPUTE_CHARACTERS } from '../../owners/createDisputes.ts'
import { incidentPath } from '../paths.ts'
import { Panel } from './panel.tsx'
import { EndpointName, Moment, Seller } from './prose.tsx'

type DisputesProps = { readonly disputes: readonly Dispute[]; readonly now: Time }

/** Published disputes, each with its answer, as plain text. Empty if there are none. */
export function DisputePanel({ disputes, now }: DisputesProps) {
  if (disputes.length === 0) return null
  return (
    <Panel id="disputes" title="Disputed by the owner">
      <ul class="evidence">
        {disputes.map(({ incident, endpoint, at, text, answer }) => (
          <li>
            <p class="small muted">
              {incident === null ? (
                <EndpointName url={endpoint ?? ''} />
              ) : (
                <a href={incidentPath(incident)}>An incident</a>
              )}
              , <Moment at={at} now={now} />:
            </p>
            <p>
              <Seller text={text} max={MAX_DISPUTE_CHARACTERS} />
            </p>
            <p>
              <b>Our answer:</b> <Seller text={answer ?? ''} max={MAX_DISPUTE_CHARACTERS} />
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
