import { ATTACKS, type Category } from '@touchstone402/crash-test'

/** Losses of one client in one setting: stolen dollars by attack that drained it. */
export type Losses = {
  name: string
  /** A stock client, or the guard with a policy from the listing, with a service, or without either. */
  setting: 'stock' | 'alone' | 'service' | 'uninformed'
  lostUsd: string
  drained: Partial<Record<Category, string>>
}

const cents = (usd: string) => `$${usd.replace(/^(\d+)$/, '$1.').padEnd(4, '0')}`

/** Formats the results as the part of docs/losses.md between its two marks. */
export function formatLosses(losses: readonly Losses[]): string {
  const of = (setting: Losses['setting']) => losses.filter((one) => one.setting === setting)
  const count = ({ drained }: Losses) => `${Object.keys(drained).length} of ${ATTACKS.length}`
  const stock = of('stock')
  const rows = ATTACKS.map(({ category, attack }) => {
    const cells = stock.map(({ drained }) => cellOf(drained[category]))
    return `| \`${category}\` | ${attack} | ${cells.join(' | ')} |`
  })
  const guarded = of('alone').map((alone) => {
    const service = of('service').find(({ name }) => name === alone.name)
    const cells = [alone, service].map((one) => (one ? `${count(one)} | ${sum(one)}` : '? | ?'))
    return `| ${alone.name} | ${cells.join(' | ')} |`
  })
  const [uninformed] = of('uninformed')
  const names = Object.keys(uninformed?.drained ?? {}).map((name) => `\`${name}\``)
  return [
    `| attack | what the seller does | ${stock.map(({ name }) => name).join(' | ')} |`,
    `|---|---|${stock.map(() => '---').join('|')}|`,
    ...rows,
    `| drained | | ${stock.map((one) => `**${count(one)}**`).join(' | ')} |`,
    `| lost | | ${stock.map((one) => `**${sum(one)}**`).join(' | ')} |`,
    '',
    '| with the guard | drained | lost | with a service | lost |',
    '|---|---|---|---|---|',
    ...guarded,
    '',
    `Without the listing and without a service, \`createGuardedFetch\` is drained in ${uninformed ? count(uninformed) : '?'} attacks (${names.join(', ')}).`,
  ].join('\n')
}

const sum = ({ lostUsd }: Losses) => (lostUsd === '0' ? '$0' : cents(lostUsd))

/** A stolen token that is no USDC has no price here. */
function cellOf(stolenUsd: string | undefined): string {
  if (stolenUsd === undefined) return 'held'
  return stolenUsd === '0' ? '**drained**' : `**${cents(stolenUsd)}**`
}
