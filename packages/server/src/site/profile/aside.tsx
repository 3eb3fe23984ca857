import { Panel } from '../components/panel.tsx'
import { Snippet } from '../components/prose.tsx'
import { formatUsd } from '../format.ts'
import { liveCheckPrice } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'
import { leafPath, liveCheckUrl, profilePath } from '../paths.ts'
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

/** The notice of every profile: run a live check before paying. */
export function Notice({ view: { profile, focus }, deps }: Props) {
  return (
    <aside class="notice" aria-label="Before paying">
      <p>
        {profile.notice} It costs {formatUsd(liveCheckPrice(deps))}.
        <code class="endpoint">GET {liveCheckUrl(deps.publicUrl, focus.state.endpoint)}</code>
      </p>
      {focus.logIndex !== undefined && (
        <p>
          This verdict is <a href={leafPath(focus.logIndex)}>leaf {focus.logIndex} of the log</a>, where it
          cannot be rewritten.
        </p>
      )}
    </aside>
  )
}
