import type { ClaimFault, ClaimRequest, HostClaim } from '../../../claims/hostClaim.ts'
import { HostField } from '../../components/field.tsx'
import { Layout } from '../../components/layout.tsx'
import { Panel } from '../../components/panel.tsx'
import { Seller, Snippet } from '../../components/prose.tsx'
import { CLAIMS_PATH, disputePath, profilePath } from '../../paths.ts'
import { ClaimedBy } from './claimedBy.tsx'
import { PublishForm, SignForm } from './claimForms.tsx'
import type { Ways } from './describeWays.ts'

const TITLE = 'Claim a host'
const DESCRIPTION =
  'Shows that you run an x402 service: by a file, a DNS record, or a signature of its receiver.'

/** Asks which host somebody claims. */
export function AskPage({ publicUrl }: { readonly publicUrl: string }) {
  return (
    <Layout title={TITLE} description={DESCRIPTION} path={CLAIMS_PATH} publicUrl={publicUrl}>
      <h1>{TITLE}</h1>
      <p class="lede">{DESCRIPTION}</p>
      <Panel id="ask" title="Which host?">
        <form class="form" action={CLAIMS_PATH} method="get">
          <HostField />
          <button type="submit">Show how to claim it</button>
        </form>
      </Panel>
    </Layout>
  )
}

type ClaimPageProps = {
  readonly host: string
  readonly publicUrl: string
  readonly ways: Ways
  readonly secret: string
  /** Claims that hold already. */
  readonly held: readonly HostClaim[]
  /** What was sent, and what is wrong with it. */
  readonly request?: ClaimRequest
  readonly fault?: ClaimFault
  /** What was sent as the secret, where that is at fault. */
  readonly wrongSecret?: string
}

/** The three ways to claim a host. */
export function ClaimPage({ host, publicUrl, ways, secret, held, request, ...props }: ClaimPageProps) {
  const { fault, wrongSecret } = props
  const given = { request, fault }
  return (
    <Layout
      title={`${TITLE}: ${host}`}
      description={DESCRIPTION}
      path={CLAIMS_PATH}
      publicUrl={publicUrl}
      isUnlisted
    >
      <h1>
        Claim <Seller text={host} max={120} />
      </h1>
      <p class="lede">
        Choose one way. A claim is shown on the <a href={profilePath(host)}>profile</a>, lets you dispute a
        measurement, and is checked again each day. It changes no verdict.
      </p>
      <ClaimedBy claims={held} />
      <div class="stack">
        <Panel id="secret" title="Keep your secret">
          <p>
            The tokens below belong to this secret, and this page shows another one to everybody else. Keep it
            to yourself: it proves later that the claim is yours.
          </p>
          <Snippet label="Secret" code={secret} />
        </Panel>
        <Panel id="publish" title="By a file or by DNS">
          <PublishForm host={host} ways={ways} secret={wrongSecret ?? secret} {...given} />
        </Panel>
        <Panel id="sign" title="By a signature of the receiver">
          <SignForm host={host} ways={ways} secret={secret} {...given} />
        </Panel>
      </div>
    </Layout>
  )
}

type ClaimedPageProps = {
  readonly claim: HostClaim
  readonly publicUrl: string
  readonly secret: string
}

/** Says that a host is claimed. */
export function ClaimedPage({ claim, publicUrl, secret }: ClaimedPageProps) {
  const { host, method } = claim
  return (
    <Layout title={TITLE} description={DESCRIPTION} path={CLAIMS_PATH} publicUrl={publicUrl} isUnlisted>
      <h1>
        <Seller text={host} max={120} /> is claimed
      </h1>
      <ClaimedBy claims={[claim]} />
      <Panel id="next" title="What is next">
        <p>
          {method === 'signature'
            ? 'The claim holds while the address is a receiver of the host.'
            : 'The claim holds while the token is published.'}{' '}
          It is checked each day, and lapses after three checks in a row that fail. To{' '}
          <a href={disputePath(host)}>dispute a measurement</a> you need your secret:
        </p>
        <Snippet label="Secret" code={secret} />
        <p>
          <a href={profilePath(host)}>Profile of the host</a>
        </p>
      </Panel>
    </Layout>
  )
}
