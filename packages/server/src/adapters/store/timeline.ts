/** Records in order of time; equal times keep the order in which they came. */
export type Timeline<T> = {
  readonly entries: readonly T[]
  /** Places a record; nearly always at the end. */
  insert(record: T): void
  /** Index of the first record at or after `at`. */
  indexFrom(at: number): number
  /** Lets go of the records for which `keep` is false. */
  filter(keep: (record: T) => boolean): void
}

/** Makes an empty timeline; `timeOf` tells a record's time in milliseconds. */
export function createTimeline<T>(timeOf: (record: T) => number): Timeline<T> {
  let entries: T[] = []

  /** First index whose time is at least (or, with `after`, greater than) `at`. */
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
