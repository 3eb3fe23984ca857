import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Observation, Time } from '../../../domain/facts/facts.ts'
import { decodeLook, encodeLook } from '../looks/lookBytes.ts'
import { joinLook, readShape, type Shape, splitLook } from '../looks/splitLook.ts'
import type { Transaction } from './createWriter.ts'
import { between, type Key, keyOf, MAX_TIME, openText, readUint, text, time, uint, within } from './keys.ts'
import { collect, fromBytes, type ListOptions, read, type Source, toBytes } from './source.ts'

/** Counters of the looks at one subject: an endpoint, or the control probes of a host. */
export type LooksMeta = {
  /** Number of the subject, which stands for it in keys. */
  readonly number: number
  /** Looks and shapes ever written: the next numbers. */
  readonly looks: number
  readonly shapes: number
  /** Time of the newest look. */
  readonly newestAt: Time
  /** No kept look is older. */
  readonly oldestAt: Time
  /** Time of the newest look when looks past the retention were last dropped. */
  readonly droppedAt: Time
}

const NUMBER_BYTES = 4
const HASH_BYTES = 16
/** Looks that are encoded or decoded in one turn of the event loop. */
const LOOKS_A_TURN = 256

/** Key of what is known of the looks at an endpoint. */
export const looksAt = (endpoint: string): Key => keyOf('m', text(endpoint))
/** Key of what is known of the control probes of a host. */
export const controlsOf = (host: string): Key => keyOf('M', text(host))

const looksPrefix = (number: number) => keyOf('l', uint(number, NUMBER_BYTES))
const citedPrefix = (number: number) => keyOf('c', uint(number, NUMBER_BYTES))
const shapeKey = (number: number, shape: number) =>
  keyOf('s', uint(number, NUMBER_BYTES), uint(shape, NUMBER_BYTES))

/** Appends looks at one subject. Reads once for each of their shapes, and not for each look. */
export async function appendLooks(
  tx: Transaction,
  subject: Key,
  looks: readonly Observation[],
): Promise<LooksMeta> {
  const before = await read<LooksMeta>(tx, subject)
  const times = looks.map(({ at }) => at)
  for (const at of times) {
    if (!Number.isInteger(at) || at < 0 || at > MAX_TIME) throw new RangeError(`No time of a look: ${at}`)
  }
  const oldestAt = times.reduce((a, b) => Math.min(a, b), before?.oldestAt ?? MAX_TIME)
  const newestAt = times.reduce((a, b) => Math.max(a, b), before?.newestAt ?? 0)
  const number = before?.number ?? tx.nextSubject()
  const shapes = createShapes(tx, number, before?.shapes ?? 0)
  let sequence = before?.looks ?? 0
  for (const [index, observation] of looks.entries()) {
    if (index % LOOKS_A_TURN === LOOKS_A_TURN - 1) await nextTurn()
    const { shape, look } = splitLook(observation)
    const known = shapes.known(shape) ?? (await shapes.find(shape))
    const key = looksPrefix(number) + time(look.at) + uint(sequence, NUMBER_BYTES)
    tx.put(key, Buffer.from(encodeLook(known, look)))
    sequence += 1
  }
  const droppedAt = before?.droppedAt ?? oldestAt
  const meta = { number, looks: sequence, shapes: shapes.count(), newestAt, oldestAt, droppedAt }
  tx.put(subject, toBytes(meta))
  return meta
}

/** Numbers the shapes of a subject. */
function createShapes(tx: Transaction, subject: number, count: number) {
  const numbers = new Map<string, number>()
  let next = count
  return {
    known: (shape: string) => numbers.get(shape),
    async find(shape: string): Promise<number> {
      const hash = createHash('sha256').update(shape).digest().toString('latin1', 0, HASH_BYTES)
      const key = keyOf('h', uint(subject, NUMBER_BYTES), hash)
      const stored = await tx.get(key)
      const number = stored === undefined ? next++ : Number(stored)
      if (stored === undefined) {
        tx.put(key, Buffer.from(`${number}`))
        tx.put(shapeKey(subject, number), Buffer.from(shape))
      }
      numbers.set(shape, number)
      return number
    },
    count: () => next,
  }
}

/** A look with its key. */
export type KeptLook = { readonly key: Key; readonly look: Observation }

/** Selects looks by time, both ends inclusive. */
export type LookRange = { readonly from?: Time; readonly to?: Time }

/** Reads kept looks at a subject, oldest first or, in `reverse`, newest first. */
export async function* readLooks(
  source: Source,
  number: number,
  { from = 0, to = MAX_TIME, ...options }: LookRange & ListOptions = {},
): AsyncIterable<KeptLook> {
  const prefix = looksPrefix(number)
  const shapes = new Map<number, Shape>()
  const shapeOf = async (shape: number) => {
    const stored = await source.get(shapeKey(number, shape))
    if (stored === undefined) throw new Error(`The shape ${shape} of number ${number} is missing`)
    const known = readShape(stored.toString())
    shapes.set(shape, known)
    return known
  }
  for await (const [key, value] of source.list(between(prefix, from, to), options)) {
    const { shape, look } = decodeLook(value, readUint(key, prefix.length))
    yield { key, look: joinLook(shapes.get(shape) ?? (await shapeOf(shape)), look) }
  }
}

/** Returns the newest look at a subject as of a time. */
export async function newestLook(source: Source, subject: Key, to: Time): Promise<Observation | undefined> {
  const meta = await read<LooksMeta>(source, subject)
  if (meta === undefined) return undefined
  for await (const { look } of readLooks(source, meta.number, { to, reverse: true, limit: 1 })) return look
  return undefined
}

/** Keeps a look when it is past the retention. */
export function keepCited(tx: Transaction, number: number, look: Observation): void {
  tx.put(citedPrefix(number) + openText(look.id), toBytes(look))
}

/** Returns all looks past the retention that are kept. */
export function keptCited(source: Source, number: number): Promise<Observation[]> {
  return collect(source, within(citedPrefix(number)), (bytes) => fromBytes<Observation>(bytes))
}

/** Returns the looks of some ids, oldest first. Reads back from the newest until all are found. */
export async function readCited(
  source: Source,
  endpoint: string,
  ids: readonly string[],
): Promise<Observation[]> {
  const meta = await read<LooksMeta>(source, looksAt(endpoint))
  if (meta === undefined || ids.length === 0) return []
  const wanted = new Set(ids)
  const kept = await source.getMany([...wanted].map((id) => citedPrefix(meta.number) + openText(id)))
  const found = kept.flatMap((bytes) => (bytes ? [fromBytes<Observation>(bytes)] : []))
  for (const { id } of found) wanted.delete(id)
  if (wanted.size > 0) {
    for await (const { look } of readLooks(source, meta.number, { reverse: true })) {
      if (!wanted.delete(look.id)) continue
      found.push(look)
      if (wanted.size === 0) break
    }
  }
  return found.reverse().sort((a, b) => a.at - b.at)
}
