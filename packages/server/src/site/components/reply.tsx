import { MAX_DISPUTE_CHARACTERS } from '../../owners/disputes.ts'
import type { ShownReply } from '../../owners/replies.ts'
import { MAX_REPLY_CHARACTERS } from '../../owners/replyText.ts'
import { incidentPath } from '../paths.ts'
import { Panel } from './panel.tsx'
import { Day, EndpointName, Seller } from './prose.tsx'

/** A reply of the host's owner, or the reason for which the operator took it down. */
export function Reply({ reply }: { readonly reply: ShownReply }) {
  if (reply.takenDown !== null)
    return (
      <p class="small muted">
        The operator took down the reply of the owner on <Day at={reply.takenDown.at} />:{' '}
        <Seller text={reply.takenDown.reason} max={MAX_DISPUTE_CHARACTERS} />
      </p>
    )
  const { method, at } = reply.verified
  return (
    <blockquote class="reply">
      <p>
        <Seller text={reply.text} max={MAX_REPLY_CHARACTERS} />
      </p>
      <footer class="small muted">
        The owner of the host says (verified by {method === 'dns' ? 'DNS' : 'a file'}, <Day at={at} />)
      </footer>
    </blockquote>
  )
}

/** All replies of a host, each under its subject. Empty if there are none. */
export function ReplyPanel({ replies }: { readonly replies: readonly ShownReply[] }) {
  if (replies.length === 0) return null
  return (
    <Panel id="replies" title="The owner's reply">
      <ul class="evidence">
        {replies.map((reply) => (
          <li>
            <p class="small muted">
              <ReplySubject reply={reply} />
            </p>
            <Reply reply={reply} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function ReplySubject({ reply: { endpoint, incident } }: { readonly reply: ShownReply }) {
  if (incident !== null) return <a href={incidentPath(incident)}>An incident</a>
  return endpoint === null ? <>This host</> : <EndpointName url={endpoint} />
}
