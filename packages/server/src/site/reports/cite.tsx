import type { Report } from '@touchstone402/shared'
import type { Config } from '../../config/config.ts'
import { Panel } from '../components/panel.tsx'
import { OutLink, Snippet } from '../components/prose.tsx'

/** Names a report: `Touchstone, State of x402, 2026-11-28, method 1.3.0`. */
export const nameReport = ({ date, scoreVersion }: Pick<Report, 'date' | 'scoreVersion'>): string =>
  `Touchstone, State of x402, ${date}, method ${scoreVersion}`

type CiteProps = {
  readonly config: Pick<Config, 'publicUrl' | 'dataLicense'>
  readonly report: Report
  /** Path that stays. */
  readonly path: string
}

/** The sentence to cite, and the licence of the data. */
export function Cite({ report, path, config }: CiteProps) {
  const { publicUrl, dataLicense } = config
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
