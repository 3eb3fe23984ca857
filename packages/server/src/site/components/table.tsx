import type { ComponentChild } from 'preact'
import { Scroll } from './scroll.tsx'

/** A column; the first one of a table names its rows. */
export type Column<Row> = {
  /** A table in which no column has a name has no head. */
  readonly name?: ComponentChild
  /** Aligned to the end of the line, as figures are. */
  readonly isEnd?: boolean
  /** Further class of the body cells. */
  readonly class?: string
  readonly cell: (row: Row) => ComponentChild
}

type TableProps<Row> = {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowId?: (row: Row) => string
  readonly class?: string
  /** Rows become cards on narrow screens, where each cell shows the name of its column. */
  readonly isCards?: boolean
  readonly caption?: ComponentChild
  /** Label of the scrolling region around a wide table. @default the table does not scroll */
  readonly scroll?: string
}

/** A table with a header cell in each row. */
export function Table<Row>({ scroll, ...props }: TableProps<Row>) {
  const { columns, rows, rowId, isCards = false, caption } = props
  const classOf = (column: Column<Row>) =>
    [column.isEnd && 'end', column.class].filter(Boolean).join(' ') || undefined
  const table = (
    <table class={isCards ? 'rows cards' : props.class}>
      {caption !== undefined && <caption>{caption}</caption>}
      {columns.some(({ name }) => name !== undefined) && (
        <thead>
          <tr>
            {columns.map(({ name, isEnd }) => (
              <th scope="col" class={isEnd ? 'end' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((row) => (
          <tr id={rowId?.(row)}>
            {columns.map((column, index) =>
              index === 0 ? (
                <th scope="row" class={classOf(column)}>
                  {column.cell(row)}
                </th>
              ) : (
                <td class={classOf(column)} data-name={isCards ? column.name : undefined}>
                  {column.cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
  return scroll === undefined ? table : <Scroll label={scroll}>{table}</Scroll>
}
