import { Field } from '../../components/field.tsx'
import { Layout } from '../../components/layout.tsx'
import { Panel } from '../../components/panel.tsx'
import { EndpointName } from '../../components/prose.tsx'
import { SUBMISSIONS_PATH } from '../../paths.ts'
import type { Submission } from './createSubmissions.ts'
import { describeRefusal } from './describeRefusal.ts'

type SubmissionPageProps = {
  readonly publicUrl: string
  readonly endpoint?: string
  readonly submission?: Submission | undefined
  /** What is wrong with the submitted URL. */
  readonly fault?: string | undefined
}

/** The form that submits an endpoint, and how a submitted one stands. */
export function SubmissionPage({ publicUrl, endpoint, submission, fault }: SubmissionPageProps) {
  const isWaiting = submission?.state === 'waiting'
  return (
    <Layout
      title={isWaiting ? 'Probing your endpoint' : 'Submit an endpoint'}
      description="Submit an x402 endpoint for free: it is probed within a minute and gets a profile."
      path={SUBMISSIONS_PATH}
      publicUrl={publicUrl}
    >
      <h1>{isWaiting ? 'Probing your endpoint' : 'Submit an endpoint'}</h1>
      {endpoint === undefined || submission === undefined || fault !== undefined ? (
        <p class="lede">
          Free. The endpoint is probed within a minute as several clients, and gets a profile if it asks for
          payment through x402. Nothing is paid, and only public addresses are called.
        </p>
      ) : (
        <p class="lede" role="status">
          <EndpointName url={endpoint} /> {describe(submission)}
        </p>
      )}
      {!isWaiting && (
        <Panel id="submit" title="Which endpoint?">
          <SubmissionForm url={endpoint} fault={fault} />
        </Panel>
      )}
    </Layout>
  )
}

/** The form that submits an endpoint. */
export function SubmissionForm({ url, fault }: { url?: string | undefined; fault?: string | undefined }) {
  return (
    <form class="form" action={SUBMISSIONS_PATH} method="post">
      <Field
        name="url"
        label="URL of the endpoint"
        hint="As an agent calls it, such as https://api.example.com/weather. Its query is ignored."
        value={url}
        fault={fault}
        isRequired
      />
      <button type="submit">Submit</button>
    </form>
  )
}

function describe(submission: Submission): string {
  switch (submission.state) {
    case 'waiting':
      return 'is being probed. This page loads again by itself.'
    case 'probed':
      return 'was probed; its profile is being written.'
    case 'refused':
      return `was not listed, and nothing was recorded. ${describeRefusal(submission)}`
  }
}
