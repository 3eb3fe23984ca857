import { formatUsdc } from '@touchstone402/shared'
import type { ReceiverChange } from '../../owners/announcement.ts'
import { Field, Form } from '../components/form.tsx'
import { Address, Day } from '../components/prose.tsx'
import { readUrl } from '../hostName.ts'
import { shortenAddress } from '../text.ts'
import { Again, Part } from './part.tsx'
import type { OwnerView } from './readView.ts'
import { WithoutOldKey } from './withoutOldKey.tsx'

type Props = { readonly view: OwnerView }

const SECTION = 'announcements'

/** The text that announces a new receiver, and the checks of its signature and of what is published. */
export function Announce({ view }: Props) {
  const { changes, carried } = view
  const asked = readUrl(carried.endpoint ?? '')?.key ?? ''
  const change = changes.find(({ endpoints }) => endpoints.includes(asked)) ?? changes[0]
  return (
    <Part id={SECTION} title="Announce a receiver">
      {changes.length > 1 && (
        <Again view={view} section={SECTION} own={['endpoint']}>
          <p class="chips">
            {changes.map((one) => (
              <button
                type="submit"
                name="endpoint"
                value={one.endpoints[0]}
                {...(one === change && { 'aria-current': 'true' as const })}
              >
                {shortenAddress(one.newPayTo ?? one.oldPayTo)}
              </button>
            ))}
          </p>
        </Again>
      )}
      {change === undefined ? (
        <p>No receiver of this host is known that could announce a new one.</p>
      ) : change.announcedFrom !== null ? (
        <p>
          <b>Announced</b>: <Address value={change.oldPayTo} network={change.network} /> to{' '}
          <Address value={change.newPayTo ?? ''} network={change.network} />, from{' '}
          <Day at={change.announcedFrom} /> on.
        </p>
      ) : (
        <Sign view={view} change={change} />
      )}
    </Part>
  )
}

type ChangeProps = Props & { readonly change: ReceiverChange }

/** The ways to announce a change: by the old receiver, or without it. */
function Sign({ view, change }: ChangeProps) {
  const [endpoint, isPlanned] = [`${change.endpoints[0]}`, change.firstSeenAt === null]
  return (
    <>
      <p>
        {isPlanned
          ? 'Announce a new receiver before you use it: put its address into the line "new".'
          : 'The receiver changed. If you moved your wallet, publish the signed text, even late. If you did not, someone else answers for your host: rotate your deployment keys and restore the receiver.'}{' '}
        Sign exactly this text with the <b>old</b> receiver (<code>personal_sign</code>); its{' '}
        <code>valid from</code> must not be later than the first use. The check stores nothing.
      </p>
      <Form
        view={view}
        part={SECTION}
        names={['text', 'signature']}
        values={{ ...view.carried, text: change.text, endpoint }}
        buttons={{ signed: 'Check the signature', published: 'Check what is published' }}
      />
      {isPlanned ? <Pay view={view} change={change} /> : <WithoutOldKey view={view} change={change} />}
    </>
  )
}

/** The payment on chain by which an old receiver that cannot sign a text announces the new one. */
function Pay({ view, change }: ChangeProps) {
  const { amountAtomic, oldPayTo, network, endpoints } = change
  const planned = view.carried.newPayTo ?? ''
  return (
    <>
      {amountAtomic !== null && (
        <p>
          Or, before its first use, pay <b>exactly {formatUsdc(BigInt(amountAtomic))} USDC</b> on Base from{' '}
          <Address value={oldPayTo} network={network} /> to <Address value={planned} network={network} />.
        </p>
      )}
      <Again view={view} section={SECTION} own={['endpoint', 'newPayTo']}>
        <input type="hidden" name="endpoint" value={endpoints[0]} />
        <Field
          id="f-new-receiver"
          name="newPayTo"
          label="New receiver"
          value={planned}
          hint="Shows the exact amount that announces it on chain."
        />
        <button type="submit">Show text and amount</button>
      </Again>
    </>
  )
}
