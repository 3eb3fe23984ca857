import { Layout, Search } from '../components/layout.tsx'
import { Seller } from '../components/prose.tsx'
import { Snippet } from '../components/scroll.tsx'
import { VerdictMark } from '../components/verdictMark.tsx'
import { formatUsd } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { cleanText } from '../text.ts'
import { liveCheckPrice, liveCheckUrl } from './aside.tsx'

/** The page for a host that the index does not hold: says so and offers the live check. */
export function UnknownHost(props: { deps: PageDeps; asked: string; host: string | undefined }) {
  const { deps, asked, host } = props
  const { publicUrl } = deps
  return (
    <Layout
      title={`${cleanText(asked, 80)}: not known`}
      description="This host has not been looked at yet."
      path="/services"
      publicUrl={publicUrl}
      hasOwnSearch
    >
      <section class="panel hero v-unknown" aria-labelledby="host">
        <div class="plate">
          <VerdictMark verdict="unknown" />
          <span class="of">no measurement</span>
        </div>
        <div class="says">
          <h1 id="host">
            <Seller text={asked} max={120} />
          </h1>
          <p class="verdict">{host === undefined ? 'No host name' : 'Not known'}</p>
          <p class="sentence">
            {host === undefined
              ? 'This is not a host name. Look for another one.'
              : 'No directory lists this host and nobody has asked for it, so nothing can be said about it. Unknown is not safe.'}
          </p>
        </div>
      </section>
      <div class="columns">
        <div class="stack">
          {host !== undefined && (
            <section class="panel" aria-labelledby="live">
              <h2 id="live">Have it measured now</h2>
              <p class="lede">
                The live check looks at one endpoint from several clients, reads its receiver on chain and
                gives a verdict at once, for {formatUsd(liveCheckPrice(deps))} in USDC. The result appears
                here.
              </p>
              <Snippet
                label="Live check"
                code={`GET ${liveCheckUrl(publicUrl, `https://${cleanText(host, 255)}/path`)}`}
              />
            </section>
          )}
          <section class="panel" aria-labelledby="other">
            <h2 id="other">Look for another service</h2>
            <Search query="" isLarge />
          </section>
        </div>
      </div>
    </Layout>
  )
}
