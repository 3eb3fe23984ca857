import { type Profile, type StatusFeed, VERDICT_LABELS, type VerdictCode } from '@touchstone402/shared'
import type { ComponentChild } from 'preact'
import { Seller } from '../components/prose.tsx'
import { VerdictMark } from '../components/verdictMark.tsx'
import { plural } from '../text.ts'
import { filterUrl } from './serviceTable.tsx'

const CODES = Object.keys(VERDICT_LABELS) as VerdictCode[]

/** How the services stand: counts by verdict, and their shares as a bar. */
export function Overview({
  services,
  status,
  children,
}: {
  services: readonly Profile[]
  status: Omit<StatusFeed, 'dataset'>
  children?: ComponentChild
}) {
  const counts = CODES.map((code) => ({ code, n: services.filter(({ verdict }) => verdict === code).length }))
  const { ecosystem } = status
  return (
    <section class="panel" aria-labelledby="overview">
      <h2 id="overview">The ecosystem now</h2>
      <div class="counts">
        {counts.map(({ code, n }) => (
          <a href={filterUrl(code)} class={`v-${code}`}>
            <span class="n">
              <VerdictMark verdict={code} />
              {n}
            </span>
            <span class="what">{VERDICT_LABELS[code]}</span>
          </a>
        ))}
      </div>
      <ShareBar counts={counts} total={services.length} />
      <p class="small muted">
        {plural(services.length, 'service')} with {plural(ecosystem.tracked, 'endpoint')}: {ecosystem.live}{' '}
        live, {ecosystem.dead} dark, {ecosystem.invalid} invalid, {ecosystem.unmeasured} not measured yet.
      </p>
      {children}
    </section>
  )
}

function ShareBar({ counts, total }: { counts: { code: VerdictCode; n: number }[]; total: number }) {
  if (total === 0) return null
  let x = 0
  return (
    <svg class="share" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      {counts.map(({ code, n }) => {
        const width = (100 * n) / total
        x += width
        return <rect class={`v-${code}`} x={x - width} width={Math.max(0, width - 0.3)} height="4" />
      })}
    </svg>
  )
}

/** What each directory lists against what works. */
export function Directories({ audit }: { audit: StatusFeed['catalogAudit'] }) {
  return (
    <section class="panel" aria-labelledby="directories">
      <h2 id="directories">Directories, checked</h2>
      {audit.length === 0 ? (
        <p class="empty">No directory has been read yet.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Directory</th>
              <th scope="col" class="end">
                Listed
              </th>
              <th scope="col" class="end">
                Working
              </th>
              <th scope="col" class="end">
                Accuracy
              </th>
            </tr>
          </thead>
          <tbody>
            {audit.map(({ directory, listed, working, accuracyPct }) => (
              <tr>
                <th scope="row">
                  <Seller text={directory} max={40} />
                </th>
                <td class="end">{listed}</td>
                <td class="end">{working}</td>
                <td class="end">{accuracyPct === null ? '–' : `${accuracyPct}%`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
