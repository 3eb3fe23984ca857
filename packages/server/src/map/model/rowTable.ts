/** Rows that entries of a map share. A row keeps its number while anything names it, so that diffs stay small. */
export type RowTable<Row> = {
  /** By number; a row that nothing names stays until another takes its number. */
  readonly rows: Uint8Array[]
  /** Version in which each row was last set. */
  readonly setIn: number[]
  /** Returns the number of a row that is known. */
  find(row: Row): number | undefined
  /** Returns the number of a row, and counts one more user of it. */
  take(row: Row): number
  /** Counts one more user of a row that is known. */
  keep(number: number): void
  /** Counts one user less; true if it was the last. */
  release(number: number): boolean
}

/** Options of {@link createRowTable}. */
export type RowTableOptions<Row> = {
  /** Returns the version in the making. */
  readonly version: () => number
  /** Returns a text that only equal rows share. It finds a known row, so that only new ones are encoded. */
  readonly nameOf: (row: Row) => string
  readonly encode: (row: Row) => Uint8Array
  readonly decode: (bytes: Uint8Array) => Row
  /** Rows of the map that goes on. */
  readonly initial?: readonly Uint8Array[]
}

/** Creates a table. */
export function createRowTable<Row>(options: RowTableOptions<Row>): RowTable<Row> {
  const { version, nameOf, encode, decode, initial = [] } = options
  const rows = [...initial]
  const setIn = rows.map(version)
  const users = rows.map(() => 0)
  const names: (string | undefined)[] = rows.map((bytes) => nameOf(decode(bytes)))
  const numbers = new Map(names.map((name, number) => [name, number]))
  const free: number[] = []
  // Another row may have the name by now.
  const forget = (number: number) => {
    const name = names[number]
    if (numbers.get(name) === number) numbers.delete(name)
    names[number] = undefined
  }
  return {
    rows,
    setIn,
    find: (row) => numbers.get(nameOf(row)),
    take(row) {
      const name = nameOf(row)
      const known = numbers.get(name)
      if (known !== undefined) {
        users[known] = (users[known] ?? 0) + 1
        return known
      }
      const bytes = encode(row)
      const number = free.pop() ?? rows.length
      if (number < rows.length) forget(number)
      rows[number] = bytes
      setIn[number] = version()
      users[number] = 1
      names[number] = name
      numbers.set(name, number)
      return number
    },
    keep(number) {
      users[number] = (users[number] ?? 0) + 1
    },
    release(number) {
      const left = (users[number] ?? 0) - 1
      users[number] = left
      if (left > 0) return false
      // Its name no longer finds it, or a row could be found and reused at the same time.
      forget(number)
      free.push(number)
      return true
    },
  }
}
