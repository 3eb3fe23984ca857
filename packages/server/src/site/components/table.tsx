import type { ComponentChild } from 'preact'

/** A column; the first one of a table names its rows. */
export type Column<Row> = {
  /** A table in which no column has a name has no head. */
  readonly name?: string
  /** Aligned to the end of the line, as figures are. */
  readonly isEnd?: boolean
  /**
   * Share of a card's line: a third, half, or the whole of it, which needs no name in front.
   * @default a third
   */
  readonly share?: 'half' | 'whole'
  readonly cell: (row: Row) => ComponentChild
  /** Link that sorts the table by it. @default none */
  readonly sort?: { readonly href: string; readonly isCurrent: boolean }
}

type TableProps<Row> = {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowId?: (row: Row) => string | undefined
  /** Label of the scrolling region around the table. */
  readonly scroll: string
  readonly class?: string
  /** Shown instead of a table without rows. */
  readonly empty?: string
}

/**
 * A table with a header cell in each row, in a region that scrolls on its own, also by keyboard. On narrow screens rows
 * become cards, where each cell shows the name of its column.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { columns, rows, rowId, empty, scroll } = props
  if (rows.length === 0 && empty !== undefined) return <p class="empty">{empty}</p>
  const classOf = ({ isEnd, share }: Column<Row>) =>
    [isEnd && 'end', share].filter(Boolean).join(' ') || undefined
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll regions must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={scroll}>
      <table class={props.class}>
        {columns.some(({ name }) => name !== undefined) && (
          <thead>
            <tr>
              {columns.map(({ name, isEnd, sort }) => (
                <th
                  scope="col"
                  class={isEnd ? 'end' : undefined}
                  {...(sort?.isCurrent && { 'aria-sort': 'other' as const })}
                >
                  {sort === undefined ? name : <a href={sort.href}>{name}</a>}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row) => (
            <tr id={rowId?.(row)}>
              {columns.map((column, index) => {
                const Cell = index === 0 ? 'th' : 'td'
                return (
                  <Cell
                    {...(index === 0 && { scope: 'row' })}
                    data-name={index === 0 || column.share === 'whole' ? undefined : column.name}
                    class={classOf(column)}
                  >
                    {column.cell(row)}
                  </Cell>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
