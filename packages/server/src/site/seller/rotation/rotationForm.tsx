import type { Time } from '../../../domain/facts/facts.ts'
import { Field, SignatureField } from '../../components/field.tsx'
import { Moment, Snippet } from '../../components/prose.tsx'
import { ROTATIONS_PATH } from '../../paths.ts'
import { PUBLISHED } from './checkPublished.ts'
import type { RotationFault } from './checkText.ts'
import { type RotationCase, textToSign } from './readCase.ts'

type RotationFormProps = {
  readonly rotation: RotationCase
  /** The new receiver of a change that was not seen yet. */
  readonly planned?: string | undefined
  /** What was submitted, if something was. */
  readonly given?: { readonly text: string; readonly signature: string } | undefined
  readonly faults?: readonly RotationFault[]
}

/** The text that announces a new receiver, and a form that checks its signature. */
export function RotationForm({ rotation, planned, given, faults = [] }: RotationFormProps) {
  const text = textToSign(rotation, planned)
  const faultOf = (name: string) => faults.find(({ parameter }) => parameter === name)?.message
  const publishedFault = faultOf(PUBLISHED)
  if (text === undefined) {
    return (
      <>
        <PlanForm rotation={rotation} />
        {publishedFault !== undefined && (
          <PublishedForm endpoint={rotation.endpoint} fault={publishedFault} />
        )}
      </>
    )
  }
  const rows = text.split('\n').length
  return (
    <>
      <p>
        If you moved your wallet, sign exactly this text with the <b>old</b> receiver (
        <code>personal_sign</code>), and serve it at <code>/.well-known/x402</code>.{' '}
        <TimeRule seenAt={rotation.seenAt} />
      </p>
      <Snippet label="Text to sign" code={text} />
      <form class="form" action={ROTATIONS_PATH} method="post">
        <input type="hidden" name="endpoint" value={rotation.endpoint} />
        <Field
          name="text"
          label="Text that was signed"
          rows={rows}
          value={given?.text ?? text}
          fault={faultOf('text')}
          isRequired
        />
        <SignatureField
          label="Signature by the old receiver"
          note="The check stores nothing and changes no verdict."
          value={given?.signature}
          fault={faultOf('signature')}
        />
        <button type="submit">Check the signature</button>
      </form>
      <PublishedForm endpoint={rotation.endpoint} fault={publishedFault} />
    </>
  )
}

function TimeRule({ seenAt }: { seenAt: Time | null }) {
  return seenAt === null ? (
    <>
      <code>valid from</code> must not be later than the first use of the new receiver, so publish before you
      switch.
    </>
  ) : (
    <>
      The change was first seen at <Moment at={seenAt} />: <code>valid from</code> must not be later. A
      signature that is published late counts too.
    </>
  )
}

/** Asks for the new receiver of a change that was not seen yet. */
function PlanForm({ rotation: { endpoint } }: { rotation: RotationCase }) {
  return (
    <>
      <p>
        The receiver has not changed within 30 days. To change it, announce the new one first: name it, and
        get the text to sign.
      </p>
      <form class="form" action={ROTATIONS_PATH} method="get">
        <input type="hidden" name="endpoint" value={endpoint} />
        <Field name="newPayTo" label="New receiver" hint="0x and 40 hexadecimal digits" isRequired max={42} />
        <button type="submit">Show the text to sign</button>
      </form>
    </>
  )
}

/** Checks what the host publishes, and probes it again. */
export function PublishedForm({ endpoint, fault }: { endpoint: string; fault?: string | undefined }) {
  return (
    <form class="form" action={ROTATIONS_PATH} method="post">
      <input type="hidden" name="endpoint" value={endpoint} />
      {fault !== undefined && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <button type="submit">I published it, check now</button>
    </form>
  )
}
