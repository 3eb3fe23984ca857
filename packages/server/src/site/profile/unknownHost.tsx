import { Layout, Search } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { Seller, Snippet } from '../components/prose.tsx'
import { VerdictPanel } from '../components/verdictPanel.tsx'
import { formatUsd } from '../format.ts'
import { liveCheckPrice } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'
import { liveCheckUrl } from '../paths.ts'
import { SubmissionForm } from '../seller/submissions/submissionPage.tsx'
import { cleanText } from '../text.ts'

type UnknownHostProps = {
  readonly deps: PageDeps
  readonly asked: string
  /** Undefined if `asked` is not a host name. */
  readonly host: string | undefined
}

/** The page for a host that is not in the index. Offers the live check. */
export function UnknownHost({ deps, asked, host }: UnknownHostProps) {
  const { publicUrl } = deps
  return (
    <Layout
      title={`${cleanText(asked, 80)}: not known`}
      description="This host has not been probed yet."
      path="/"
      publicUrl={publicUrl}
      hasOwnSearch
    >
      <VerdictPanel
        verdict="unknown"
        note="no measurement"
        isPage
        subject={<Seller text={asked} max={120} />}
        label={host === undefined ? 'Not a host name' : 'Not known'}
        sentence={
          host === undefined
            ? 'Search for a host name instead.'
            : 'No directory lists this host and no live check was made, so there is no measurement. Unknown is not safe.'
        }
      />
      <div class="stack below">
        {host !== undefined && deps.lookSubmitted !== undefined && (
          <Panel id="submit" title="Submit it for free">
            <SubmissionForm url={`https://${cleanText(host, 255)}/`} />
          </Panel>
        )}
        {host !== undefined && (
          <Panel id="live" title="Check it now">
            <p class="lede">
              The live check probes one endpoint from several clients, reads its receiver on chain and returns
              a verdict at once, for {formatUsd(liveCheckPrice(deps))} in USDC. The result then appears here.
            </p>
            <Snippet
              label="Live check"
              code={`GET ${liveCheckUrl(publicUrl, `https://${cleanText(host, 255)}/path`)}`}
            />
          </Panel>
        )}
        <Panel id="other" title="Search for another service">
          <Search isLarge />
        </Panel>
      </div>
    </Layout>
  )
}
