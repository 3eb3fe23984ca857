import { ROBOTS_NAME } from '../../domain/facts/optOut.ts'
import { CheckButton } from '../components/checkForm.tsx'
import { type Definition, Definitions, Panel } from '../components/panel.tsx'
import { Moment } from '../components/prose.tsx'
import type { PageDeps } from '../pageDeps.ts'
import { claimPath, disputePath, rotationPath, webhookPath } from '../paths.ts'
import type { ProfileView } from '../profile/loadProfile.ts'
import { readCase } from './rotation/readCase.ts'
import { RotationForm } from './rotation/rotationForm.tsx'

type Props = {
  readonly view: ProfileView
  readonly deps: PageDeps
  /** Above everything else, with the text that announces a changed receiver. @default beside the rest */
  readonly isFirst?: boolean
}

/** Actions for the owner of a service; a seller that is marked down finds them first. */
export function IsThisYours({ view, deps, isFirst = false }: Props) {
  const changed = view.shown.find(({ state }) => state.flags.includes('payto_changed'))?.state
  const rotation = changed && readCase(changed, view.now)
  const isChanged = isFirst && rotation !== undefined && rotation.newPayTo !== null
  return (
    <Panel id="yours" title="Is this yours?" isAside={!isFirst}>
      {isChanged && <RotationForm rotation={rotation} />}
      <Definitions class="ways" list={listWays(view, deps, isChanged)} />
    </Panel>
  )
}

function listWays(view: ProfileView, deps: PageDeps, isChanged: boolean): Definition[] {
  const { endpoint } = view.focus.state
  const canAnnounce = !isChanged && readCase(view.focus.state, view.now) !== undefined
  const next = Math.min(...view.shown.map(({ state }) => state.nextProbeAt))
  return [
    ...(isChanged
      ? [
          {
            term: 'If you did not move your wallet',
            text: 'Somebody else answers for your host: rotate your deployment keys, restore the receiver, then ask for a check.',
          },
        ]
      : []),
    ...(deps.hostClaims === undefined
      ? []
      : [
          {
            term: 'Claim the host',
            text: (
              <>
                <a href={claimPath(view.host)}>By a file, a DNS record or a signature</a>: the profile shows
                it.
              </>
            ),
          },
        ]),
    {
      term: 'Free check',
      text: (
        <>
          Next probe due {next > view.now ? <Moment at={next} /> : 'now'}. Fixes count from then on.
          {deps.checks !== undefined && <CheckButton subject={{ host: view.host }} />}
        </>
      ),
    },
    ...(canAnnounce
      ? [
          {
            term: 'Changing the receiver',
            text: (
              <>
                Announce it before you use it: <a href={rotationPath(endpoint)}>text to sign</a> with the old
                receiver.
              </>
            ),
          },
        ]
      : []),
    ...(deps.webhooks === undefined
      ? []
      : [
          {
            term: 'Webhooks',
            text: (
              <>
                Incidents and changes of this host, <a href={webhookPath(view.host)}>sent to your URL</a>.
              </>
            ),
          },
        ]),
    {
      term: 'A measurement is wrong',
      text: (
        <>
          {deps.disputes !== undefined && (
            <>
              <a href={disputePath(view.host, { endpoint })}>Dispute it</a> once you have claimed the host,
              and it is published with our answer.{' '}
            </>
          )}
          <a href={deps.operator.contact}>Contact us</a>, quoting the evidence ids of the finding.
        </>
      ),
    },
    {
      term: 'Opting out of probes',
      text: (
        <>
          Disallow <code>{ROBOTS_NAME}</code> in your <code>robots.txt</code>, or serve{' '}
          <code>"probes": false</code> in <code>/.well-known/x402</code>. The verdict becomes unknown.
        </>
      ),
    },
  ]
}
