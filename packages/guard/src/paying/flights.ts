import type { CallQuery, Payment, StoredPayment } from '../ledger/ledger.ts'
import { isSameCall } from '../ledger/pending.ts'
import { createLru } from '../lru.ts'
import { readBytes, withBody } from '../readBody.ts'

/** The answer to a payment, kept for equal calls that were under way at the same time. */
export type SharedAnswer = {
  /** The callers that may share it, see `audienceOf`. */
  audience: string
  /** Returns a copy; null if the body is too large, too slow or broken. */
  copy(): Promise<Response | null>
}

type Flight = { at: number; landed: Promise<void>; land: () => void; audience: string | null }
type Answered = { entry: Payment; at: number; answer: SharedAnswer | null }

/** Calls and payments that are under way in this process, and payments that were answered lately. */
export type Flights = ReturnType<typeof createFlights>

// Payments in memory; one has about 1 kB.
const MAX_KEPT = 256
const MAX_SHARED_BYTES = 1024 * 1024
const SHARED_TIMEOUT_MS = 60_000

/** Creates an empty set of flights. */
export function createFlights() {
  let clock = 0
  /** Number of unpaid requests under way, by URL. */
  const calls = new Map<string, number>()
  /** Payments under way, by the id of their reservation. */
  const payments = new Map<string, Flight>()
  const kept = createLru<StoredPayment>(MAX_KEPT)
  const answered = createLru<Answered>(MAX_KEPT)
  const shared = new Map<string, Answered[]>()
  return {
    /** Returns a mark of the present, for `find` and `landing`. */
    mark: (): number => clock,
    /** Marks the begin of an unpaid request to a URL. */
    begin(url: string): number {
      calls.set(url, (calls.get(url) ?? 0) + 1)
      return clock
    },
    /** Marks the end of an unpaid request, after which its URL's answers are shared with one call less. */
    end(url: string): void {
      const left = (calls.get(url) ?? 1) - 1
      if (left > 0) return void calls.set(url, left)
      calls.delete(url)
      for (const one of shared.get(url) ?? []) one.answer = null
      shared.delete(url)
    },
    /** Marks a payment as under way until `land`. Returns false if it is already. */
    takeOff(id: string, audience: string | null = null): boolean {
      if (payments.has(id)) return false
      let land = () => {}
      const landed = new Promise<void>((resolve) => {
        land = resolve
      })
      payments.set(id, { at: ++clock, landed, land, audience })
      return true
    },
    land(id: string): void {
      payments.get(id)?.land()
      payments.delete(id)
    },
    /** Returns the end of a payment that began after a mark, for one audience if given; undefined if there is none. */
    landing(id: string, begun: number, audience?: string | null): Promise<void> | undefined {
      const flight = payments.get(id)
      const isSeen = audience === undefined || audience === flight?.audience
      return isSeen && flight !== undefined && flight.at > begun ? flight.landed : undefined
    },
    /** Keeps a signed payment in case a call overlaps its answer. */
    keep: kept.set,
    /** Records the answer to a payment. Its body is shared if requests to the URL are under way beside `own`. */
    answer(
      entry: Payment | undefined,
      response?: Response,
      url = '',
      audience: string | null = null,
      own = 0,
    ): void {
      if (entry === undefined) return
      const isShared = response !== undefined && audience !== null && (calls.get(url) ?? 0) > own
      const answer = isShared ? shareAnswer(response.clone(), audience) : null
      const one = { entry, at: ++clock, answer }
      answered.set(entry.id, one)
      if (answer !== null) shared.set(url, [...(shared.get(url) ?? []), one])
    },
    /** Whether a payment was answered. */
    has: (id: string): boolean => answered.get(id) !== undefined,
    /** Finds a payment that answered an equal call after a mark. */
    find({ call, once }: CallQuery, begun: number) {
      if (once === undefined || begun === clock) return undefined
      for (const { entry, at, answer } of answered.values()) {
        if (at <= begun || entry.call !== call || entry.once === undefined) continue
        if (isSameCall(entry.once, once)) return { entry, at, answer, stored: kept.get(entry.id) ?? null }
      }
      return undefined
    },
  }
}

function shareAnswer(response: Response, audience: string): SharedAnswer {
  const body = readBytes(response, MAX_SHARED_BYTES, SHARED_TIMEOUT_MS).catch(() => null)
  return {
    audience,
    async copy() {
      const bytes = await body
      if (bytes === null) return null
      const isEmpty = response.status === 204 || response.status === 304
      return withBody(response, isEmpty ? null : bytes)
    },
  }
}

const transports = new WeakMap<object, number>()
let count = 0

/**
 * Describes who may see an answer: callers with the same headers, account and task, whose requests are sent by the same
 * transport, which may add credentials. Header values may be secrets: the text stays in memory.
 */
export function audienceOf(
  headers: Headers,
  task: string | null,
  payer: string | null,
  transport: object,
): string {
  const id = transports.get(transport) ?? ++count
  transports.set(transport, id)
  return JSON.stringify([id, task, payer?.toLowerCase(), ...headers])
}
