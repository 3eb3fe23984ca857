import { setImmediate as nextTurn } from 'node:timers/promises'
import { StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import { type Key, keyOf } from './keys.ts'
import { type Committed, fromBytes, type Row, type Source, toBytes } from './source.ts'

/** One call's reads and writes. It reads what earlier calls of the same batch wrote, and its own. */
export type Transaction = Source & {
  put(key: Key, value: Buffer): void
  delete(key: Key): void
  /** Adds to a counter; one that reaches 0 is removed. */
  add(counter: Key, number: number): void
  /** Returns a number that no other record has; later ones are larger. */
  nextSequence(): number
  /** Returns a number that stands for an endpoint or host in the keys of its looks. */
  nextSubject(): number
  /** Calls back once the batch is written. */
  afterwards(callback: () => void): void
}

/** Changes of a batch; undefined deletes. */
export type Changes = ReadonlyMap<Key, Buffer | undefined>

/** Writes changes, all or none; `sync` waits until they survive a crash of the machine. */
export type WriteBatch = (changes: Changes, sync: boolean) => Promise<void>

export type Writer = {
  /**
   * Runs a call's work after all earlier ones, and resolves once its batch is written. If the work throws, nothing of it
   * is written. @param durable whether it waits for the disk
   * @throws StoreUnavailableError if the batch cannot be written
   */
  run<T>(work: (transaction: Transaction) => Promise<T>, durable?: boolean): Promise<T>
  /** Refuses more work and waits for what is under way. */
  close(): Promise<void>
}

type Numbers = { readonly subject: number; readonly sequence: number }

/** Work of one batch; more waits for the next, so that no caller waits for ever. */
const MAX_CALLS = 256
/** Changes of one batch, after which it is written. */
const MAX_CHANGES = 8_192

const NUMBERS = keyOf('n')

/**
 * Creates the one writer of a store. Calls that arrive while a batch is written go into the next one, one after the
 * other, so that reading and writing back needs no locks and one flush of the disk serves many calls.
 */
export async function createWriter(committed: Committed, write: WriteBatch): Promise<Writer> {
  const known = await committed.get(NUMBERS)
  let numbers: Numbers = known ? fromBytes<Numbers>(known) : { subject: 0, sequence: 0 }
  const waiting: {
    work: (batch: Batch) => Promise<() => void>
    durable: boolean
    fail: (error: unknown) => void
  }[] = []
  let running: Promise<void> | undefined
  let closed = false

  const take = <K extends keyof Numbers>(kind: K): number => {
    numbers = { ...numbers, [kind]: numbers[kind] + 1 }
    return numbers[kind] - 1
  }

  const writeWaiting = async (): Promise<void> => {
    // What arrives in the same turn goes into the same batch.
    await nextTurn()
    while (waiting.length > 0) {
      const batch = createBatch(committed)
      const before = numbers
      const done: { settle: () => void; fail: (error: unknown) => void }[] = []
      let sync = false
      for (let calls = 0; calls < MAX_CALLS && batch.changes.size < MAX_CHANGES; calls++) {
        const call = waiting.shift()
        if (call === undefined) break
        try {
          done.push({ settle: await call.work(batch), fail: call.fail })
          sync ||= call.durable
        } catch (error) {
          call.fail(error)
        }
      }
      try {
        if (numbers !== before) batch.changes.set(NUMBERS, toBytes(numbers))
        await batch.addUp()
        if (batch.changes.size > 0) await write(batch.changes, sync)
        for (const { settle } of done) settle()
      } catch (error) {
        for (const { fail } of done) fail(error)
      }
    }
    running = undefined
  }

  return {
    run: (work, durable = true) =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(new StoreUnavailableError('The store is closed'))
          return
        }
        waiting.push({
          durable,
          fail: reject,
          async work(batch) {
            const own = createBatch(batch.source)
            const callbacks: (() => void)[] = []
            const result = await work({
              ...own.source,
              put: (key, value) => void own.changes.set(key, value),
              delete: (key) => void own.changes.set(key, undefined),
              add: own.add,
              nextSequence: () => take('sequence'),
              nextSubject: () => take('subject'),
              afterwards: (callback) => void callbacks.push(callback),
            })
            batch.merge(own)
            return () => {
              for (const callback of callbacks) callback()
              resolve(result)
            }
          },
        })
        running ??= writeWaiting()
      }),
    async close() {
      closed = true
      await running
    },
  }
}

type Batch = {
  readonly changes: Map<Key, Buffer | undefined>
  readonly sums: Map<Key, number>
  readonly source: Source
  add(counter: Key, number: number): void
  merge(other: Batch): void
  /** Turns sums into changes of counters. */
  addUp(): Promise<void>
}

/** Creates changes over what lies below them. */
function createBatch(below: Source): Batch {
  const changes = new Map<Key, Buffer | undefined>()
  const sums = new Map<Key, number>()
  const add = (counter: Key, number: number) => void sums.set(counter, (sums.get(counter) ?? 0) + number)
  return {
    changes,
    sums,
    add,
    source: overlay(changes, below),
    merge(other) {
      for (const [key, value] of other.changes) changes.set(key, value)
      for (const [counter, number] of other.sums) add(counter, number)
    },
    async addUp() {
      const added = [...sums].filter(([, number]) => number !== 0)
      const present = await below.getMany(added.map(([counter]) => counter))
      for (const [index, [counter, number]] of added.entries()) {
        const sum = Number(present[index] ?? 0) + number
        changes.set(counter, sum === 0 ? undefined : Buffer.from(`${sum}`))
      }
    },
  }
}

/** Reads changes over what lies below them. */
function overlay(changes: Changes, below: Source): Source {
  return {
    get: async (key) => (changes.has(key) ? changes.get(key) : below.get(key)),
    async getMany(keys) {
      const missing = keys.filter((key) => !changes.has(key))
      const found = await below.getMany(missing)
      let index = 0
      return keys.map((key) => (changes.has(key) ? changes.get(key) : found[index++]))
    },
    async *list(range, { reverse = false, limit = Number.POSITIVE_INFINITY } = {}) {
      const own = [...changes.keys()].filter((key) => key >= range.gte && key < range.lt).sort()
      // Rows below that are replaced or deleted do not count.
      const enough = Number.isFinite(limit) ? { limit: limit + own.length } : {}
      const rows = merged(own, changes, below.list(range, { reverse, ...enough }), reverse)
      let left = limit
      for await (const row of rows) {
        if (left <= 0) return
        left -= 1
        yield row
      }
    },
  }
}

/** Merges changed keys, which are sorted, into rows. */
async function* merged(
  own: readonly Key[],
  changes: Changes,
  rows: AsyncIterable<Row>,
  reverse: boolean,
): AsyncIterable<Row> {
  const keys = reverse ? own.toReversed() : own
  const isBefore = (a: Key, b: Key) => (reverse ? a > b : a < b)
  let index = 0
  const take = function* (until?: Key): Iterable<Row> {
    for (let key = keys[index]; key !== undefined; key = keys[index]) {
      if (until !== undefined && !isBefore(key, until)) return
      index += 1
      const value = changes.get(key)
      if (value !== undefined) yield [key, value]
    }
  }
  for await (const row of rows) {
    yield* take(row[0])
    if (!changes.has(row[0])) yield row
  }
  yield* take()
}
