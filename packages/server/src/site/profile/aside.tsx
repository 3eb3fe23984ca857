import { ROBOTS_NAME } from '../../domain/judge/optOut.ts'
import { rotationMessage } from '../../domain/judge/rotation.ts'
import { Definitions, Panel } from '../components/panel.tsx'
import { Moment, Snippet } from '../components/prose.tsx'
import { contactUrl } from '../contactUrl.ts'
import { formatUsd } from '../format.ts'
import { liveCheckPrice } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'
import { liveCheckUrl, profilePath, recheckPath } from '../paths.ts'
import { cleanText } from '../text.ts'
import type { ProfileView } from './loadProfile.ts'

type Props = { readonly view: ProfileView; readonly deps: PageDeps }

/** Code that guards an agent's payments with this service. */
export function GuardSnippet({ view, deps: { publicUrl } }: Props) {
  const code = `import { createGuardedFetch } from '@touchstone402/guard/fetch'

const pay = createGuardedFetch({
  account,
  service: { url: '${publicUrl}' },
})
await pay(${JSON.stringify(view.focus.state.endpoint)})`
  return (
    <Panel id="guard" title="Pay safely with the guard" isAside>
      <p>Refuses to sign a payment whose receiver, price or network differs from what was measured here.</p>
      <Snippet label="Guard" code={code} />
    </Panel>
  )
}

/** The badge, with code to embed it. */
export function BadgeSnippet({ view: { profile }, deps: { publicUrl } }: Props) {
  const badge = `/badge/${encodeURIComponent(profile.host)}.svg`
  const link = `${publicUrl}${profilePath(profile.host)}`
  return (
    <Panel id="badge" title="Badge" isAside>
      <p>
        <img src={badge} alt={`Touchstone: ${profile.label}`} height={20} />
      </p>
      <Snippet label="Badge in Markdown" code={`[![Touchstone](${publicUrl}${badge})](${link})`} />
      <Snippet
        label="Badge in HTML"
        code={`<a href="${link}"><img src="${publicUrl}${badge}" alt="Touchstone"></a>`}
      />
    </Panel>
  )
}

/** Actions for the owner of a service. */
export function OwnerActions({ view, deps }: Props) {
  const next = Math.min(...view.shown.map(({ state }) => state.nextProbeAt))
  const contact = contactUrl(deps)
  const recheck = (
    <>
      Next probe due {next > view.now ? <Moment at={next} /> : 'now'}. Fixes count from then on.
      {deps.recheck !== undefined && (
        <form action={recheckPath(view.host)} method="get">
          <button type="submit">Re-check now</button>
        </form>
      )}
    </>
  )
  const receiver = (
    <>
      Announce it before you use it: serve <code>newPayTo</code>, <code>validFrom</code> and a{' '}
      <code>signature</code> by the old receiver at <code>/.well-known/x402</code>.
      <Rotation view={view} />
    </>
  )
  const dispute = (
    <>
      {contact === undefined ? 'Contact the operator of this service' : <a href={contact}>Contact us</a>},
      quoting the evidence ids of the finding.
    </>
  )
  const optOut = (
    <>
      Disallow <code>{ROBOTS_NAME}</code> in your <code>robots.txt</code>, or serve{' '}
      <code>"probes": false</code> in <code>/.well-known/x402</code>. The verdict becomes unknown.
    </>
  )
  return (
    <Panel id="yours" title="Is this your service?" isAside>
      <Definitions
        list={[
          { term: 'Free re-check', text: recheck },
          { term: 'Changing the receiver', text: receiver },
          { term: 'A measurement is wrong', text: dispute },
          { term: 'Opting out of probes', text: optOut },
        ]}
      />
    </Panel>
  )
}

/** The message that announces a new receiver, with placeholders for the new address and its date. */
function Rotation({ view: { host, focus } }: { view: ProfileView }) {
  const { network, payTo } = focus.state
  if (network === null || payTo === null) return null
  const text = rotationMessage({
    host: cleanText(host, 255),
    network: cleanText(network, 64),
    oldPayTo: cleanText(payTo, 128),
    newPayTo: '<newPayTo>',
    validFrom: '<validFrom>',
  })
  return (
    <details>
      <summary>Message to sign</summary>
      <Snippet label="Message to sign" code={text.replace('<newpayto>', '<newPayTo>')} />
    </details>
  )
}

/** The notice of every profile: run a live check before paying. */
export function Notice({ view: { profile, focus }, deps }: Props) {
  return (
    <aside class="notice" aria-label="Before paying">
      <p>
        {profile.notice} It costs {formatUsd(liveCheckPrice(deps))}.
        <code class="endpoint">GET {liveCheckUrl(deps.publicUrl, focus.state.endpoint)}</code>
      </p>
    </aside>
  )
}
