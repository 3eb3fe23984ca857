import { OPERATIONS } from '@touchstone402/shared'
import { ROBOTS_NAME } from '../../domain/judge/optOut.ts'
import { rotationMessage } from '../../domain/judge/rotation.ts'
import { profilePath } from '../components/incidentList.tsx'
import { Moment } from '../components/prose.tsx'
import { Snippet } from '../components/scroll.tsx'
import { formatUsd } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { recheckPath } from '../recheck/createRecheckPage.ts'
import { cleanText } from '../text.ts'
import type { ProfileView } from './loadProfile.ts'

/** Dollars that a live check costs at this service. */
export function liveCheckPrice({ prices }: Pick<PageDeps, 'prices'>): number {
  return Number(prices?.trust ?? OPERATIONS.trust.priceUsd)
}

/** Lines that guard an agent's payments by this service. */
export function GuardSnippet({ publicUrl, endpoint }: { publicUrl: string; endpoint: string }) {
  const code = [
    "import { createGuardedFetch } from '@touchstone402/guard/fetch'",
    '',
    'const pay = createGuardedFetch({',
    '  account,',
    `  service: { url: '${publicUrl}' },`,
    '})',
    `await pay(${JSON.stringify(endpoint)})`,
  ].join('\n')
  return (
    <section class="panel aside" aria-labelledby="guard">
      <h2 id="guard">Pay it under guard</h2>
      <p>
        Refuses before a signature exists when receiver, price or network differ from what was measured here.
      </p>
      <Snippet label="Guard" code={code} />
    </section>
  )
}

/** The badge and the lines that show it elsewhere. */
export function BadgeSnippet({ publicUrl, host, label }: { publicUrl: string; host: string; label: string }) {
  const badge = `/badge/${encodeURIComponent(host)}.svg`
  const link = `${publicUrl}${profilePath(host)}`
  return (
    <section class="panel aside" aria-labelledby="badge">
      <h2 id="badge">Badge</h2>
      <p>
        <img src={badge} alt={`Touchstone: ${label}`} height={20} />
      </p>
      <Snippet label="Badge in Markdown" code={`[![Touchstone](${publicUrl}${badge})](${link})`} />
      <Snippet
        label="Badge in HTML"
        code={`<a href="${link}"><img src="${publicUrl}${badge}" alt="Touchstone"></a>`}
      />
    </section>
  )
}

/** What the owner of a service can do about its profile. */
export function Yours({ view, contact, canAsk }: YoursProps) {
  const next = Math.min(...view.endpoints.map(({ state }) => state.nextProbeAt))
  return (
    <section class="panel aside" aria-labelledby="yours">
      <h2 id="yours">Is this yours?</h2>
      <dl>
        <div>
          <dt>Looked at again, free of charge</dt>
          <dd>
            {next > view.now ? (
              <>
                The next look is due <Moment at={next} />.
              </>
            ) : (
              'The next look is due now.'
            )}{' '}
            What was fixed counts from then on.
            {canAsk && (
              <form action={recheckPath(view.host)} method="get">
                <button type="submit">Look again now</button>
              </form>
            )}
          </dd>
        </div>
        <div>
          <dt>A new receiver</dt>
          <dd>
            Announce it before you use it: serve <code>newPayTo</code>, <code>validFrom</code> and a{' '}
            <code>signature</code> of the old receiver at <code>/.well-known/x402</code>.
            <Rotation view={view} />
          </dd>
        </div>
        <div>
          <dt>A measurement is wrong</dt>
          <dd>
            {contact === undefined ? (
              'Tell whoever runs this service, with the evidence ids of the finding.'
            ) : (
              <>
                <a href={contact}>Write to us</a> with the evidence ids of the finding.
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>You do not want to be looked at</dt>
          <dd>
            Name <code>{ROBOTS_NAME}</code> in your <code>robots.txt</code>, or serve{' '}
            <code>"probes": false</code> in <code>/.well-known/x402</code>. The verdict becomes unknown.
          </dd>
        </div>
      </dl>
    </section>
  )
}

type YoursProps = {
  readonly view: ProfileView
  readonly contact?: string | undefined
  /** Whether a look can be asked for; at most one an hour. */
  readonly canAsk: boolean
}

/** The text that announces a new receiver, ready but for the new address and its date. */
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
      <summary>The text to sign</summary>
      <Snippet label="Text to sign" code={text.replace('<newpayto>', '<newPayTo>')} />
    </details>
  )
}

/** What to do before paying: the notice that every profile carries. */
export function Notice({ notice, price, publicUrl, endpoint }: NoticeProps) {
  return (
    <aside class="notice" aria-label="Before paying">
      <p>
        {notice} It costs {formatUsd(price)}.
        <code class="endpoint">GET {liveCheckUrl(publicUrl, endpoint)}</code>
      </p>
    </aside>
  )
}

type NoticeProps = {
  readonly notice: string
  readonly price: number
  readonly publicUrl: string
  readonly endpoint: string
}

/** Where an endpoint is checked now, for its price. */
export function liveCheckUrl(publicUrl: string, endpoint: string): string {
  return `${publicUrl}${OPERATIONS.trust.path}?endpoint=${encodeURIComponent(endpoint)}`
}
