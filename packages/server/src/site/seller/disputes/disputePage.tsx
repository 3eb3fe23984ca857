import { MAX_DISPUTE_CHARACTERS } from '../../../claims/createDisputes.ts'
import { Field } from '../../components/field.tsx'
import { Layout } from '../../components/layout.tsx'
import { Panel } from '../../components/panel.tsx'
import { Seller } from '../../components/prose.tsx'
import { CLAIMS_PATH, claimPath, DISPUTES_PATH, profilePath } from '../../paths.ts'
import type { DisputeFault } from './readDispute.ts'

const TITLE = 'Dispute a measurement'
const DESCRIPTION = 'An objection by whoever runs an x402 service, published with the answer to it.'

type DisputePageProps = {
  readonly publicUrl: string
  /** Values of the fields so far. */
  readonly given: ReadonlyMap<string, string>
  readonly fault?: DisputeFault
}

/** The form of a dispute. */
export function DisputePage({ publicUrl, given, fault }: DisputePageProps) {
  const host = given.get('host') ?? ''
  const field = (name: string) => ({
    name,
    value: given.get(name),
    fault: fault?.parameter === name ? fault.message : undefined,
  })
  return (
    <Layout title={TITLE} description={DESCRIPTION} path={DISPUTES_PATH} publicUrl={publicUrl} isUnlisted>
      <h1>{TITLE}</h1>
      <p class="lede">
        Say what is wrong, and how one can see it. The operator reads it, and publishes it with an answer on
        the profile or the incident. It changes no verdict: measurements do, so ask for a{' '}
        {host === '' ? 're-check' : <a href={profilePath(host)}>re-check</a>} as well.
      </p>
      <Panel id="dispute" title="What is wrong?">
        <form class="form" action={DISPUTES_PATH} method="post">
          <Field {...field('host')} label="Host" isRequired max={300} />
          {given.get('incident') ? (
            <Field {...field('incident')} label="Id of the incident" isRequired max={64} />
          ) : (
            <Field {...field('endpoint')} label="URL of the endpoint" isRequired />
          )}
          <Field
            {...field('text')}
            label="Text"
            hint={`At most ${MAX_DISPUTE_CHARACTERS} characters of plain text. It will be public.`}
            rows={6}
            max={MAX_DISPUTE_CHARACTERS}
            isRequired
          />
          <Field
            {...field('secret')}
            label="Secret of your claim"
            hint={
              <>
                As shown when you <a href={host === '' ? CLAIMS_PATH : claimPath(host)}>claimed the host</a>
              </>
            }
            isRequired
            max={60}
          />
          <button type="submit">Send the dispute</button>
        </form>
      </Panel>
    </Layout>
  )
}

type ReceivedProps = { readonly publicUrl: string; readonly host: string; readonly id: string }

/** Says that a dispute waits for the operator. */
export function ReceivedPage({ publicUrl, host, id }: ReceivedProps) {
  return (
    <Layout title={TITLE} description={DESCRIPTION} path={DISPUTES_PATH} publicUrl={publicUrl} isUnlisted>
      <h1>Your dispute was received</h1>
      <p class="lede" role="status">
        It is <code>{id}</code>. It is published with an answer once the operator has read it. Until then
        nobody else sees it.
      </p>
      <p>
        <a href={profilePath(host)}>
          Profile of <Seller text={host} max={120} />
        </a>
      </p>
    </Layout>
  )
}
