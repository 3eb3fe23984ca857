/** Number of rows or keys in one statement. SQLite takes 32,766 values, PostgreSQL 65,535; no row has over 30. */
export const ROWS_AT_ONCE = 500

/** Cuts rows or keys into what one statement takes. */
export function* slicesOf<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) yield rows.slice(from, from + ROWS_AT_ONCE)
}
