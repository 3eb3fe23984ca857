import { PublishedObservationSchema, UNPAYABLE, type Unpayable } from '@touchstone402/shared'
import { LogError } from '@touchstone402/transparency'
import { z } from 'zod'
import { extend, omit } from 'zod/mini'
import {
  ANNOUNCEMENT_BASES,
  type Announcement,
  type Observation,
  type Purchase,
  type ReceiverRecord,
} from '../../facts/facts.ts'
import type { ListedInput } from '../../publish/publishedInputs.ts'

/** A fact of a published day beside its probes. */
export type InputLine = ListedInput | Announcement | Purchase | ReceiverRecord

const MAX_TEXT = 8_192
const text = z.string().max(MAX_TEXT)
const atomic = z.string().regex(/^\d{1,78}$/)
/** Latest time that is read, in Unix ms: sentences add months to one. */
export const MAX_TIME = 8e15
const time = z.int().min(0).max(MAX_TIME)
const count = z.int().min(0)
const entry = { id: text, at: time }

/** Days are published whole. */
const LineSchema = extend(omit(PublishedObservationSchema, { day: true, userAgent: true, exactFrom: true }), {
  client: text,
})

/** Validates the fields that the judge computes with; the others are only compared. */
const SafeObservationSchema = z.object({
  at: z.iso.datetime(),
  offers: z
    .array(z.object({ amountAtomic: atomic, unpayable: z.enum(keysOf(UNPAYABLE)).nullish() }))
    .max(1_000),
  resourceOrigin: z.url().nullable(),
  disagreements: z.array(z.string().transform(readDisagreement)),
})

const InputSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('listing'),
    ...entry,
    directory: text,
    endpoint: text,
    method: text.nullable(),
    declaresInput: z.boolean(),
    declaresOutput: z.boolean(),
    category: text.nullable(),
    claims: z.object({
      network: text.nullable(),
      asset: text.nullable(),
      payTo: text.nullable(),
      amountAtomic: atomic.nullable(),
      priceUsd: z.number().nullable(),
      healthy: z.boolean().nullable(),
      calls: z.number().nullable(),
    }),
    claimedAt: time.nullable(),
    ownClaim: z.boolean(),
  }),
  z.object({
    kind: z.literal('announcement'),
    ...entry,
    host: text,
    network: text,
    oldPayTo: text,
    newPayTo: text,
    validFrom: time,
    basis: z.enum(ANNOUNCEMENT_BASES),
    expiresAt: z.exactOptional(time),
    claimedAt: z.exactOptional(time),
    txHash: text.nullable(),
  }),
  z.object({
    kind: z.literal('purchase'),
    ...entry,
    endpoint: text,
    host: text,
    network: text,
    payTo: text,
    amountAtomic: atomic,
    settled: z.boolean(),
    delivered: z.boolean(),
    txHash: text.nullable(),
    httpStatus: z.exactOptional(z.int().nullable()),
    hasInput: z.exactOptional(z.literal(true)),
    shownFrom: z.exactOptional(time),
  }),
  z.object({
    kind: z.literal('receiver'),
    ...entry,
    network: text,
    address: text,
    category: z.enum(['established', 'dormant', 'blank']),
    isContract: z.boolean(),
    receiptsEver: count,
    receipts30d: count,
    receipts90d: count,
    payers30d: count,
    payers90d: count,
    selfFundedExcluded: count,
    firstReceiptAt: time.nullable(),
    lastReceiptAt: time.nullable(),
    lastOutflowAt: time.nullable(),
    historyFrom: time,
    isWholeLife: z.exactOptional(z.boolean()),
    sanctions: z.exactOptional(z.object({ contract: text, isListed: z.boolean().nullable() })),
    blockNumber: count,
    blockHash: text,
  }),
])

/** Reads the probes of a day. @throws LogError `malformed_leaf` that names line and field */
export function readObservations(body: string, date: string): Observation[] {
  return readLines(body, `probes of ${date}`, (value) => {
    check(SafeObservationSchema, value)
    return toObservation(check(LineSchema, value))
  })
}

/** Reads one published probe. @throws LogError `malformed_leaf` that names the field */
export function readProbe(value: unknown): Observation {
  const [probe] = readObservations(`${JSON.stringify(value)}\n`, 'the finding')
  if (probe === undefined) throw new LogError('malformed_leaf', 'the finding has no probe')
  return probe
}

function toObservation(line: z.infer<typeof LineSchema>): Observation {
  const { leadsHere, request, gapMs, input, reread, delivered, offersSignedBy, offers, ...rest } = line
  const { disagreements, cause, ...plain } = rest
  const at = Date.parse(line.at)
  return {
    ...plain,
    kind: 'observation',
    at,
    host: new URL(line.endpoint).host,
    // Causes that this release does not know count as others do that it has no rule for.
    cause: cause as Observation['cause'],
    offers: offers.map(({ unpayable, stockRefuses, ...offer }) => ({
      ...offer,
      ...(stockRefuses !== undefined && { stockRefuses }),
      ...(unpayable !== undefined && { unpayable: unpayable as Unpayable | null }),
    })),
    disagreements: disagreements.map(readDisagreement),
    ...(leadsHere !== undefined && { resourceAsked: { at, leadsHere } }),
    ...(request !== undefined && { request }),
    ...(gapMs !== undefined && { gapMs }),
    ...(input !== undefined && { input }),
    ...(reread === true && { reread }),
    ...(delivered === true && { delivered }),
    ...(offersSignedBy !== undefined && { offersSignedBy }),
  }
}

/** Reads what a day's judgements read beside its probes. @throws LogError `malformed_leaf` that names line and field */
export function readInputs(body: string, date: string): InputLine[] {
  return readLines(body, `inputs of ${date}`, (value) => check(InputSchema, value))
}

class LineError extends Error {}

function check<T>(schema: z.core.$ZodType<T>, value: unknown): T {
  const result = z.safeParse(schema, value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new LineError(`${issue?.path.join('.') || 'line'}: ${issue?.message ?? 'is invalid'}`)
}

function readLines<T>(body: string, what: string, read: (value: unknown) => T): T[] {
  const lines = body.split('\n')
  // Each line ends with a line feed, so the last piece is empty.
  return lines.slice(0, -1).map((line, at) => {
    try {
      return read(JSON.parse(line))
    } catch (error) {
      if (!(error instanceof LineError || error instanceof SyntaxError)) throw error
      throw new LogError('malformed_leaf', `${what}, line ${at + 1}: ${error.message}`)
    }
  })
}

const DisagreementSchema = z.object({
  field: z.enum(['payTo', 'amount']),
  network: text,
  asset: text,
  scheme: text,
  values: z.array(text),
})

/** Reads a contradiction within an answer, which is published as JSON text. */
function readDisagreement(line: string): z.infer<typeof DisagreementSchema> {
  return check(DisagreementSchema, JSON.parse(line))
}

function keysOf<K extends string>(table: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(table) as K[]
}
