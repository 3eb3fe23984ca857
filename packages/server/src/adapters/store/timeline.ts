/** Records in order of time; equal times keep insertion order. */
export type Timeline<T> = {
  readonly entries: readonly T[]
  /** Inserts a record, nearly always at the end. */
  insert(record: T): void
  /** Returns the index of the first record at or after a time. */
  indexFrom(at: number): number
  /** Removes the records for which `keep` is false. */
  filter(keep: (record: T) => boolean): void
}

/** Creates an empty timeline; `timeOf` returns a record's time in ms. */
export function createTimeline<T>(timeOf: (record: T) => number): Timeline<T> {
  let entries: T[] = []

  /** Returns the first index whose time is at least `at`, or greater if `after`. */
  const search = (at: number, after: boolean): number => {
    let low = 0
    let high = entries.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const entry = entries[middle]
      const time = entry === undefined ? at : timeOf(entry)
      if (time < at || (after && time === at)) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    get entries() {
      return entries
    },
    insert(record) {
      const last = entries.at(-1)
      if (last === undefined || timeOf(last) <= timeOf(record)) entries.push(record)
      else entries.splice(search(timeOf(record), true), 0, record)
    },
    indexFrom: (at) => search(at, false),
    filter(keep) {
      entries = entries.filter(keep)
    },
  }
}
