import { ATTACKS, type CrashReport } from '@touchstone402/crash-test'

/** Report of one client. */
export type ClientReport = CrashReport & { name: string }

/** Formats the results of all clients as the table of docs/losses.md. */
export function formatLosses(reports: readonly ClientReport[]): string {
  const rows = ATTACKS.map(({ category, attack }) => {
    const cells = reports.map(({ categories }) => cellOf(categories.find((one) => one.category === category)))
    return `| \`${category}\` | ${attack} | ${cells.join(' | ')} |`
  })
  const totals = reports.map(({ drained, categories }) => `**${drained} of ${categories.length}**`)
  return [
    `| attack | what the seller does | ${reports.map(({ name }) => name).join(' | ')} |`,
    `|---|---|${reports.map(() => '---').join('|')}|`,
    ...rows,
    `| drained | | ${totals.join(' | ')} |`,
  ].join('\n')
}

function cellOf(result: ClientReport['categories'][number] | undefined): string {
  if (result === undefined) return '?'
  return result.result === 'drained' ? '**drained**' : result.result.replace('_', ' ')
}
