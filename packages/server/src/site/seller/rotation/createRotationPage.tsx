import { ADDRESS_PATTERN } from '@touchstone402/shared'
import type { ComponentChildren } from 'preact'
import { toTimestamp } from '../../../domain/facts/times.ts'
import type { Page, PageAnswer, PostRequest } from '../../../http/deps.ts'
import { badQuery } from '../../../http/free/freeRoute.ts'
import { ProblemError } from '../../../http/problems.ts'
import { admit, createLimiter } from '../../../http/rateLimit.ts'
import { badField } from '../../../http/readFields.ts'
import { answerHtml, answerJson } from '../../answerHtml.tsx'
import { Field } from '../../components/field.tsx'
import { Layout } from '../../components/layout.tsx'
import { Panel } from '../../components/panel.tsx'
import { EndpointName, Snippet } from '../../components/prose.tsx'
import { readUrl } from '../../hostName.ts'
import type { PageDeps } from '../../pageDeps.ts'
import { focusPath, ROTATIONS_PATH, scanPath } from '../../paths.ts'
import { readParameter } from '../../readParameter.ts'
import { answerSeeOther } from '../../seeOther.ts'
import { checkPublished } from './checkPublished.ts'
import { type CheckedRotation, checkText } from './checkText.ts'
import { type RotationCase, readCase, textToSign } from './readCase.ts'
import { PublishedForm, RotationForm } from './rotationForm.tsx'

type RotationDeps = Pick<PageDeps, 'store' | 'clock' | 'publicUrl' | 'readDocument' | 'checks'>

// A window in real time.
const PER_CLIENT = { points: 10, windowSeconds: 60 }

/**
 * Creates the page of the text that announces a new receiver. A POST with text and signature checks them and stores
 * nothing; one without checks what the host publishes, and asks for a check of the host, which reads it as evidence.
 */
export function createRotationPage(deps: RotationDeps): Page {
  const clients = createLimiter(PER_CLIENT)
  return {
    path: ROTATIONS_PATH,
    handler: async ({ search, accepts }) => {
      const endpoint = readParameter(search, 'endpoint')
      if (endpoint === undefined && accepts === 'html') return answerHtml(<AskPage {...deps} />)
      const rotation = await findCase(deps, endpoint ?? '')
      const planned = readPlanned(search)
      if (accepts === 'html') {
        return answerHtml(
          <Frame rotation={rotation} publicUrl={deps.publicUrl}>
            <RotationForm rotation={rotation} planned={planned} />
          </Frame>,
        )
      }
      const { seenAt, ...rest } = rotation
      const firstSeenAt = seenAt === null ? null : toTimestamp(seenAt)
      return answerJson({ ...rest, firstSeenAt, text: textToSign(rotation, planned) ?? null })
    },
    post: async (request) => {
      admit(clients, request.client)
      return check(deps, request)
    },
  }
}

async function check(deps: RotationDeps, { fields, accepts, client }: PostRequest): Promise<PageAnswer> {
  const rotation = await findCase(deps, fields.get('endpoint') ?? '')
  const [text, signature] = [fields.get('text'), fields.get('signature')]
  const isSubmitted = text !== undefined || signature !== undefined
  const given = isSubmitted
    ? { text: text ?? textToSign(rotation) ?? '', signature: (signature ?? '').trim() }
    : undefined
  const checked =
    given === undefined
      ? await checkPublished(rotation, deps.readDocument ?? (async () => null))
      : await checkText(rotation, given.text, given.signature)
  if (!checked.ok) return refuse(deps, rotation, checked, { accepts, given })
  if (given === undefined) return readAsEvidence(deps, rotation, { accepts, client })
  const { entry } = checked
  const document = JSON.stringify({ rotations: [entry] }, null, 2)
  if (accepts === 'json') {
    const { endpoint } = rotation
    return answerJson({ endpoint, verified: true, published: false, publish: entry }, { maxAgeSeconds: 0 })
  }
  return answerHtml(
    <Frame rotation={rotation} publicUrl={deps.publicUrl}>
      <p>
        <b>The signature is right.</b> Serve this at{' '}
        <code>{new URL(rotation.endpoint).origin}/.well-known/x402</code>; what else is there may stay.
      </p>
      <Snippet label="Document to publish" code={document} />
      <PublishedForm endpoint={rotation.endpoint} />
    </Frame>,
    { maxAgeSeconds: 0 },
  )
}

type Refused = Extract<CheckedRotation, { ok: false }>
type Asked = Pick<PostRequest, 'accepts'> & {
  readonly given: { text: string; signature: string } | undefined
}

function refuse(deps: RotationDeps, rotation: RotationCase, { faults }: Refused, { accepts, given }: Asked) {
  const errors = faults.map((fault) => ({ ...fault, message: `${fault.parameter}: ${fault.message}` }))
  if (accepts === 'json') throw badQuery(errors, 'rotation_not_verified')
  return answerHtml(
    <Frame rotation={rotation} publicUrl={deps.publicUrl}>
      <RotationForm rotation={rotation} given={given} faults={faults} />
    </Frame>,
    { status: 400, maxAgeSeconds: 0 },
  )
}

/** Asks for the probe that reads the published announcement. */
async function readAsEvidence(
  { publicUrl, checks }: RotationDeps,
  { endpoint, host }: RotationCase,
  { accepts, client }: Pick<PostRequest, 'accepts' | 'client'>,
): Promise<PageAnswer> {
  const started = await checks?.start({ subject: { host }, client }).catch((error: unknown) => {
    if (error instanceof ProblemError) return undefined
    throw error
  })
  const next = started === undefined ? focusPath(host, endpoint) : scanPath(started.id)
  if (accepts === 'html') return answerSeeOther(next)
  const body = {
    endpoint,
    verified: true,
    published: true,
    recheck: started !== undefined,
    next: publicUrl + next,
  }
  return answerJson(body, { status: 202, maxAgeSeconds: 0 })
}

async function findCase({ store, clock }: RotationDeps, text: string): Promise<RotationCase> {
  if (text === '') throw badField('endpoint', 'missing', 'endpoint is required')
  const endpoint = readUrl(text)?.key
  if (endpoint === undefined) {
    throw badField('endpoint', 'malformed', 'endpoint: expected an absolute http or https URL')
  }
  const document = await store.endpoint(endpoint)
  if (document === undefined) throw new ProblemError(404, 'never_seen', 'This endpoint is not known.')
  const rotation = readCase(document.state, clock.now())
  if (rotation === undefined) {
    throw new ProblemError(
      404,
      'no_signing_receiver',
      'No receiver of this endpoint is known that could sign a text. Announce a change by paying the new receiver from the old one beforehand.',
    )
  }
  return rotation
}

function readPlanned(search: string): string | undefined {
  const planned = readParameter(search, 'newPayTo')
  if (planned === undefined || ADDRESS_PATTERN.test(planned)) return planned
  throw badField('newPayTo', 'malformed', 'newPayTo: expected 0x and 40 hexadecimal digits')
}

const TITLE = 'Announce a new receiver'

type FrameProps = { rotation: RotationCase; publicUrl: string; children: ComponentChildren }

function Frame({ rotation: { endpoint, host }, publicUrl, children }: FrameProps) {
  return (
    <Layout title={`${TITLE}: ${host}`} description={DESCRIPTION} path={ROTATIONS_PATH} publicUrl={publicUrl}>
      <h1>{TITLE}</h1>
      <p class="lede">
        For <EndpointName url={endpoint} />. <a href={focusPath(host, endpoint)}>Profile</a> ·{' '}
        <a href="/methodology">Method</a>
      </p>
      <Panel id="rotation" title="Text to sign">
        {children}
      </Panel>
    </Layout>
  )
}

const DESCRIPTION = 'The text that the old receiver of an x402 endpoint signs to announce a new one.'

function AskPage({ publicUrl }: Pick<RotationDeps, 'publicUrl'>) {
  return (
    <Layout title={TITLE} description={DESCRIPTION} path={ROTATIONS_PATH} publicUrl={publicUrl}>
      <h1>{TITLE}</h1>
      <p class="lede">{DESCRIPTION}</p>
      <Panel id="ask" title="Which endpoint?">
        <form class="form" action={ROTATIONS_PATH} method="get">
          <Field name="endpoint" label="URL of the endpoint" isRequired />
          <button type="submit">Show the text to sign</button>
        </form>
      </Panel>
    </Layout>
  )
}
