import type { Report } from '@touchstone402/shared'
import { Panel } from '../components/panel.tsx'
import { OutLink, Snippet } from '../components/prose.tsx'
import type { PageDeps } from '../pageDeps.ts'

/** Names a report: `Touchstone, State of x402, 2026-11-28, method 1.3.0`. */
export const nameReport = ({ date, scoreVersion }: Pick<Report, 'date' | 'scoreVersion'>): string =>
  `Touchstone, State of x402, ${date}, method ${scoreVersion}`

type CiteProps = Pick<PageDeps, 'publicUrl' | 'dataLicense'> & {
  readonly report: Report
  /** Path that stays. */
  readonly path: string
}

/** The sentence to cite, and the licence of the data. */
export function Cite({ report, path, publicUrl, dataLicense }: CiteProps) {
  return (
    <Panel id="cite" title="Cite this">
      <Snippet label="Citation" code={`${nameReport(report)}, ${publicUrl}${path}`} />
      <p class="small">
        {dataLicense ? (
          <>
            Licence of the data: <OutLink href={dataLicense.url}>{dataLicense.name}</OutLink>.
          </>
        ) : (
          'No licence of the data is stated: what directories list is theirs, and their terms apply.'
        )}
      </p>
    </Panel>
  )
}
