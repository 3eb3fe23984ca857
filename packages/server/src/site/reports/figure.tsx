import type { Report } from '@touchstone402/shared'
import { Legend, ValueTable } from '../components/plotParts.tsx'
import { LinePlot, listDays } from '../components/plots.tsx'
import { seriesPath } from '../paths.ts'
import { plotSeries, type Series } from './series.ts'

/** Days in the table of a plot among others; the page of its series has all. */
const LISTED = 30

type FigureProps = {
  readonly series: Series
  /** Oldest first. */
  readonly reports: readonly Report[]
  /** Date of the report that links stay with. */
  readonly date: string
}

/** One series of a report: its plot, its values as a table, and its links. */
export function SeriesFigure({ series, reports, date }: FigureProps) {
  const { id, title } = series
  const plot = plotSeries(series, reports)
  return (
    <figure>
      <h3 id={id}>
        <a href={seriesPath(date, id)}>{title}</a>
      </h3>
      <LinePlot plot={plot} />
      <Legend plot={plot} />
      <p class="meta">
        <a href={seriesPath(date, id)} aria-label={`Permalink of ${title}`}>
          Permalink
        </a>
        <a href={seriesPath(date, id, '.png')} aria-label={`${title} as PNG`}>
          PNG
        </a>
        <a href={seriesPath(date, id, '.csv')} aria-label={`${title} as CSV`}>
          CSV
        </a>
      </p>
      <details>
        <summary>
          Values<span class="hidden"> of {title}</span>
        </summary>
        <ValueTable plot={plot} most={LISTED} />
        {listDays(plot).length > LISTED && (
          <p class="small muted">
            The newest {LISTED} days. <a href={`${seriesPath(date, id)}#values`}>All values</a>
          </p>
        )}
      </details>
    </figure>
  )
}
