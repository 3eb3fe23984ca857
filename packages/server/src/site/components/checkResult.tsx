import { FLAG_RECORDS, findKnownNetwork, isFlag, type VerdictCode } from '@touchstone402/shared'
import { describeFailed, describeUntested, groupUntested, STACKS } from '@touchstone402/shared/scan'
import {
  type CheckedOffer,
  type CheckFinding,
  type CheckResult,
  isPublished,
  PUBLICATIONS,
} from '../../checks/checkRecord.ts'
import { type CheckView, KEPT_DAYS } from '../../checks/createChecks.ts'
import { formatUsd } from '../format.ts'
import { focusPath, ownerPath } from '../paths.ts'
import { cleanText, showControls } from '../text.ts'
import { CheckButton, localCommand, PublishForm } from './checkForm.tsx'
import { Packing } from './packing.tsx'
import { type Definition, Definitions, Panel } from './panel.tsx'
import { Address, EndpointName, Moment, Seller, Snippet } from './prose.tsx'
import { FindingCard, VerdictPanel } from './verdictMark.tsx'

/** Headline of a finding; a flag has one name everywhere. */
export const titleOf = ({ id, title }: CheckFinding): string =>
  title || (isFlag(id) ? FLAG_RECORDS[id].name : id)

const withOutcome = ({ checks }: CheckResult, wanted: CheckFinding['outcome']) =>
  checks.filter(({ outcome }) => outcome === wanted)

type ResultProps = { readonly view: CheckView; readonly result: CheckResult }

/** Result of checking one endpoint: the terms first, then the fixes. */
export function Result({ view: { check, before }, result }: ResultProps) {
  const { id, host, askedAt, finishedAt, publication } = check
  const { verdict, score, overruledBy, stack } = result
  const endpoint = check.endpoint ?? ''
  const failed = withOutcome(result, 'fail')
  const failedBefore = before?.result ? withOutcome(before.result, 'fail') : []
  return (
    <div class="stack">
      <VerdictPanel
        verdict={verdict}
        score={failed.length === 0 ? score : null}
        overruledBy={overruledBy}
        subject={<EndpointName url={endpoint} max={300} />}
        sentence={summarise(verdict, failed)}
        details={
          <>
            Checked <Moment at={finishedAt ?? askedAt} />, without a payment. This page is kept for{' '}
            {KEPT_DAYS} days.{' '}
            {isPublished(check) && <a href={focusPath(host, endpoint)}>Profile of {cleanText(host, 80)}</a>}
          </>
        }
      />
      <Terms result={result} />
      {before !== undefined && failedBefore.length > 0 && (
        <Panel id="before" title="Before and after" extra={<Moment at={before.askedAt} />}>
          <List checks={failedBefore} say={({ id }) => `: ${describeNow(result, id)}`} />
        </Panel>
      )}
      <Panel
        id="fix"
        title={describeFailed(failed)}
        extra={<CheckButton fields={{ url: endpoint, previous: id }} label="Re-check now" />}
      >
        {failed.map((finding) => (
          <Failure finding={finding} stack={stack} />
        ))}
        <Others title="Passed" checks={withOutcome(result, 'pass')} />
        {groupUntested(result.checks).map((group) => (
          <Others title={describeUntested(group)} checks={group.checks} />
        ))}
      </Panel>
      {publication !== null && publication !== 'listed' && (
        <Panel id="publish" title="In the index">
          <p>
            {PUBLICATIONS[publication]} Do you run it? <a href={ownerPath(host)}>Claim the host</a>.
          </p>
          {publication !== 'published' && <PublishForm url={endpoint} previous={id} />}
        </Panel>
      )}
      <Panel id="local" title="Scan it on your machine">
        <p>
          The guard makes the checks of the terms. <Packing />
        </p>
        <Snippet label="Command" code={localCommand(endpoint)} />
      </Panel>
    </div>
  )
}

const SENTENCES: Readonly<Record<VerdictCode, string>> = {
  safe: 'No measured reason not to pay this',
  caution: 'Agents should ask before they pay this',
  avoid: 'Agents should not pay this',
  unknown: 'No verdict yet',
}

function summarise(verdict: VerdictCode, failed: readonly CheckFinding[]): string {
  if (failed.some(({ id }) => id === 'no_challenge'))
    return 'Agents cannot pay this: it sends no payment terms that they can read.'
  const isHindered = verdict === 'safe' && failed.some(({ severity }) => severity === 'critical')
  return `${SENTENCES[verdict]}${isHindered ? ', but agents may be unable to' : ''}.`
}

/** Terms of the endpoint, and its challenge as received. */
function Terms({ result: { terms, sells, challenge } }: { readonly result: CheckResult }) {
  return (
    <Panel id="terms" title="Payment terms">
      {terms.length === 0 && <p>It sent no payment terms that can be read.</p>}
      {terms.map((offer) => (
        <Definitions class="facts" list={describeOffer(offer, sells)} />
      ))}
      {challenge !== null && (
        <details>
          <summary>The challenge as received ({challenge.method}, status 402)</summary>
          {challenge.header !== null && (
            <Snippet label="Header PAYMENT-REQUIRED, decoded" code={showControls(challenge.header)} />
          )}
          {challenge.body !== null && <Snippet label="Body" code={showControls(challenge.body)} />}
          {challenge.isCut && <p class="small muted">The rest is not kept.</p>}
        </details>
      )}
    </Panel>
  )
}

function describeOffer(offer: CheckedOffer, sells: string | null): Definition[] {
  const { priceUsd, amountAtomic, payTo, network, asset, method, scheme, x402Version } = offer
  const price = priceUsd === null ? 'not known in dollars' : formatUsd(priceUsd)
  return [
    { term: 'Price', text: `${price} (${amountAtomic} units)` },
    { term: 'Receiver', text: <Address value={payTo} network={network} /> },
    { term: 'Network', text: <Seller text={findKnownNetwork(network)?.label ?? network} max={80} /> },
    { term: 'Asset', text: <Address value={asset} network={network} /> },
    { term: 'Asks', text: `${method}, x402 version ${x402Version}, ${cleanText(scheme, 32)}` },
    { term: 'Sells', text: <Seller text={sells ?? 'not described'} max={300} /> },
  ]
}

/** Describes the current state of a failure of the earlier check. */
function describeNow({ checks }: CheckResult, failed: string): string {
  const words = { pass: 'fixed', fail: 'still fails', unknown: 'not tested this time' }
  return words[checks.find(({ id }) => id === failed)?.outcome ?? 'unknown']
}

type FailureProps = { readonly finding: CheckFinding; readonly stack: CheckResult['stack'] }

/** A failed check: the value, the expected value, and a fix for the detected stack. */
function Failure({ finding, stack }: FailureProps) {
  const { severity, detail, fix, recipe, change } = finding
  return (
    <FindingCard severity={severity} title={<Coded text={`${titleOf(finding)} (${severity})`} />}>
      {detail !== '' && (
        <p>
          <Coded text={cleanText(detail, 600)} />
        </p>
      )}
      {change !== undefined && (
        <p>
          <code>{cleanText(change.where, 120)}</code> is <Seller text={change.read} max={220} />, and must be{' '}
          <code>{cleanText(change.want, 220)}</code>
        </p>
      )}
      {fix !== undefined && (
        <p class="fix">
          <b>Fix:</b> <Coded text={fix} /> {recipe !== undefined && `For ${STACKS[stack]}:`}
        </p>
      )}
      {recipe !== undefined && <Snippet label={`Recipe for ${STACKS[stack]}`} code={recipe} />}
    </FindingCard>
  )
}

/** Checks that did not fail, folded. */
function Others({ title, checks }: { readonly title: string; readonly checks: readonly CheckFinding[] }) {
  if (checks.length === 0) return null
  return (
    <details>
      <summary>{title}</summary>
      <List checks={checks} say={describeOther} />
    </details>
  )
}

/** Ends the headline of a check: the one of a check that passed stands as a question where it was not made. */
function describeOther({ outcome, title }: CheckFinding): string {
  if (outcome === 'unknown') return '?'
  return title === '' ? ': no sign of it' : ''
}

type ListProps = { readonly checks: readonly CheckFinding[]; readonly say: (check: CheckFinding) => string }

/** Headlines of checks, and what is said of each. */
const List = ({ checks, say }: ListProps) => (
  <ul>
    {checks.map((check) => (
      <li>
        <Coded text={titleOf(check) + say(check)} />
      </li>
    ))}
  </ul>
)

/** Text with its parts between backticks as code. */
function Coded({ text }: { readonly text: string }) {
  return <span>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</span>
}
