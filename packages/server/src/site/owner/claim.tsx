import { DAY } from '../../facts/times.ts'
import { claimName } from '../../owners/hostClaim.ts'
import { Form } from '../components/form.tsx'
import { Day, Moment, Snippet } from '../components/prose.tsx'
import type { OwnerView } from './readView.ts'

type Props = { readonly view: OwnerView }

/** Shows whether the host is claimed, how to claim it by DNS or a file, and takes the secret. */
export function Claim({ view }: Props) {
  const { claims, isHeld, secret, carried, part } = view
  const isClaimed = claims.length > 0
  const look = { dns: 'Check the TXT record', file: 'Check the file' }
  return (
    <>
      {claims.map(({ method, since, heldAt, checkedAt }) => (
        <p>
          <b>Claimed by {method === 'file' ? 'a file' : 'a DNS record'}</b> since <Day at={since} />. Last
          found <Moment at={heldAt} />, checked again by <Moment at={checkedAt + DAY} />. The claim lapses at
          the third daily check in a row that fails.
        </p>
      ))}
      {isHeld && (
        <p>Your secret is in the forms below until you leave this page. It is in no address and in no log.</p>
      )}
      {!isClaimed && (
        <p>
          Not claimed. A claim is shown on the profile. One by DNS may confirm a later change of receiver, so
          make it before you need it.
        </p>
      )}
      {!isClaimed && <HowTo view={view} />}
      {isClaimed && !isHeld && (
        <details open={part === 'claims'}>
          <summary>Claim it again, if you lost the secret</summary>
          <HowTo view={view} />
        </details>
      )}
      {(!isHeld || part === 'claims') && (
        <Form
          view={view}
          part="claims"
          names={['secret']}
          values={{ ...carried, secret: isClaimed && !isHeld ? '' : secret }}
          buttons={isClaimed ? { held: 'Go on with this secret', ...look } : look}
        />
      )}
    </>
  )
}

/** How to prove that one runs the host. */
function HowTo({ view: { secret, token, fileUrl, host, part, fault } }: Props) {
  // A wrong secret stays in the field, and gets no line to publish.
  const isWrong = part === 'claims' && fault?.parameter === 'secret'
  if (isWrong) return null
  return (
    <ol class="steps">
      <li>
        Save this secret.
        <Snippet label="Secret" code={secret} />
      </li>
      <li>
        Publish the line below (its hash).
        <Snippet label="TXT record, or line of the file" code={token} />
        As a TXT record of <code>{claimName(host)}</code>, or as plain text at <code>{fileUrl}</code>, without
        a redirect.
      </li>
      <li>Come back and enter the saved secret; this page shows a new one on each visit.</li>
    </ol>
  )
}
