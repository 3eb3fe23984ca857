import type { ClaimFault, ClaimRequest } from '../../../claims/hostClaim.ts'
import { Field, SignatureField } from '../../components/field.tsx'
import { Snippet } from '../../components/prose.tsx'
import { CLAIMS_PATH } from '../../paths.ts'
import type { Ways } from './describeWays.ts'

type FormProps = {
  readonly host: string
  readonly ways: Ways
  readonly secret: string
  readonly request: ClaimRequest | undefined
  readonly fault: ClaimFault | undefined
}

/** Claims a host by a file or a TXT record. */
export function PublishForm({ host, ways: { file, dns }, secret, request, fault }: FormProps) {
  const Fault = ({ method }: Pick<ClaimRequest, 'method'>) =>
    request?.method !== method || fault === undefined ? null : (
      <p class="fault" role="alert">
        {fault.message}
      </p>
    )
  return (
    <form class="form" action={CLAIMS_PATH} method="post">
      <input type="hidden" name="host" value={host} />
      <Field
        name="secret"
        label="Your secret"
        hint="If you come back after publishing, enter the secret that you kept."
        value={secret}
        fault={fault?.parameter === 'secret' ? fault.message : undefined}
        isRequired
        max={60}
      />
      <div class="field">
        <p>
          A file at <code>{file.url}</code> with this line, as plain text and without a redirect:
        </p>
        <Snippet label="Line of the file" code={file.line} />
        <Fault method="file" />
        <button type="submit" name="method" value="file">
          Check the file
        </button>
      </div>
      <div class="field">
        <p>
          Or a TXT record of <code>{dns.name}</code>:
        </p>
        <Snippet label="TXT record" code={dns.value} />
        <Fault method="dns" />
        <button type="submit" name="method" value="dns">
          Check the TXT record
        </button>
      </div>
    </form>
  )
}

/** Claims a host by a signature of a receiver that it offers now. */
export function SignForm({ host, ways: { signature }, secret, request, fault }: FormProps) {
  const isAsked = request?.method === 'signature'
  const faultOf = (name: string) => (isAsked && fault?.parameter === name ? fault.message : undefined)
  return (
    <>
      <p>
        Sign exactly this text with a receiver that the host offers now (<code>personal_sign</code>). It is
        accepted for seven days. A contract wallet claims by file or DNS.
      </p>
      <Snippet label="Text to sign" code={signature.text} />
      <form class="form" action={CLAIMS_PATH} method="post">
        <input type="hidden" name="host" value={host} />
        <input type="hidden" name="secret" value={secret} />
        <input type="hidden" name="date" value={signature.date} />
        {faultOf('date') !== undefined && <p class="fault">{faultOf('date')}</p>}
        <Field
          name="address"
          label="Receiver"
          hint="0x and 40 hexadecimal digits"
          value={isAsked ? request.address : ''}
          fault={faultOf('address')}
          isRequired
          max={42}
        />
        <SignatureField value={isAsked ? request.signature : ''} fault={faultOf('signature')} />
        <button type="submit" name="method" value="signature">
          Check the signature
        </button>
      </form>
    </>
  )
}
