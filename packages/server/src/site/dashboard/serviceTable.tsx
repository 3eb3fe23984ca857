import { type Profile, VERDICT_LABELS, type VerdictCode } from '@touchstone402/shared'
import { profilePath } from '../components/incidentList.tsx'
import { Seller } from '../components/prose.tsx'
import { Scroll } from '../components/scroll.tsx'
import { VerdictTag } from '../components/verdictMark.tsx'

const PAGE_SIZE = 25

/** Which part of the list is asked for. */
export type ListView = {
  readonly verdict: VerdictCode | undefined
  /** From 1. */
  readonly page: number
}

/** Reads the part of the list from query parameters; what makes no sense is the first page of all. */
export function readListView(verdict: string | undefined, page: string | undefined): ListView {
  return {
    verdict: (Object.keys(VERDICT_LABELS) as VerdictCode[]).find((code) => code === verdict),
    page: page !== undefined && /^[1-9][0-9]{0,5}$/.test(page) ? Number(page) : 1,
  }
}

/** The services, best first, a page at a time. */
export function ServiceTable({ services, view }: { services: readonly Profile[]; view: ListView }) {
  const matching = services.filter(({ verdict }) => view.verdict === undefined || verdict === view.verdict)
  const pages = Math.max(1, Math.ceil(matching.length / PAGE_SIZE))
  const page = Math.min(view.page, pages)
  const shown = matching.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
  return (
    <section class="panel" aria-labelledby="services">
      <div class="head">
        <h2 id="services">Services</h2>
        <Filters current={view.verdict} />
      </div>
      {shown.length === 0 ? (
        <p class="empty">No service here yet.</p>
      ) : (
        <Scroll label="Table of services">
          <table class="rows cards">
            <thead>
              <tr>
                <th scope="col">Host</th>
                <th scope="col">Verdict</th>
                <th scope="col" class="end">
                  Score
                </th>
                <th scope="col" class="end">
                  Live
                </th>
                <th scope="col">Price</th>
                <th scope="col">Receiver</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((profile) => (
                <tr>
                  <th scope="row" class="host">
                    <a href={profilePath(profile.host)}>
                      <Seller text={profile.host} max={80} />
                    </a>
                  </th>
                  <td data-name="Verdict">
                    <VerdictTag verdict={profile.verdict} />
                  </td>
                  <td class="end trust" data-name="Score">
                    {profile.trustScore ?? '–'}
                  </td>
                  <td class="end" data-name="Live">
                    {profile.liveness}
                  </td>
                  <td data-name="Price">{profile.pricePerCall}</td>
                  <td data-name="Receiver">{profile.receiverStability ?? '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {pages > 1 && (
        <nav class="pages" aria-label="Pages">
          {page > 1 ? <a href={pageUrl(view, page - 1)}>Previous</a> : <span />}
          <span class="muted">
            {page} of {pages}
          </span>
          {page < pages ? <a href={pageUrl(view, page + 1)}>Next</a> : <span />}
        </nav>
      )}
    </section>
  )
}

function Filters({ current }: { current: VerdictCode | undefined }) {
  return (
    <nav class="filters" aria-label="Filter by verdict">
      <a href="/#services" {...(current === undefined && { 'aria-current': 'true' as const })}>
        All
      </a>
      {(Object.keys(VERDICT_LABELS) as VerdictCode[]).map((code) => (
        <a href={filterUrl(code)} {...(current === code && { 'aria-current': 'true' as const })}>
          {VERDICT_LABELS[code]}
        </a>
      ))}
    </nav>
  )
}

/** The dashboard with the services of one verdict. */
export function filterUrl(verdict: VerdictCode): string {
  return `/?verdict=${verdict}#services`
}

function pageUrl({ verdict }: ListView, page: number): string {
  return `/?${verdict === undefined ? '' : `verdict=${verdict}&`}page=${page}#services`
}
