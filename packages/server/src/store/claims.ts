import type { Selectable } from 'kysely'
import { searchable } from '../facts/searchable.ts'
import { ClaimStateError, StoreUnavailableError } from '../facts/storeError.ts'
import { HOUR } from '../facts/times.ts'
import type { Tables } from './schema.ts'
import { slicesOf } from './slices.ts'
import type { Reader, Tx } from './tx.ts'

/** Identifies an authorization on chain, which can be settled once. Letter case makes no difference. */
export type ClaimKey = {
  /** CAIP-2. */
  readonly network: string
  readonly asset: string
  readonly from: string
  readonly nonce: string
}

/**
 * State of a claimed payment.
 *
 * - `claimed`: this call alone may settle it. → settling, refused, released
 * - `settling`: the facilitator is asked to settle it. → reported, settled, unknown, refused, released
 * - `reported`: settled according to the facilitator. → settled, missing
 * - `settled`: seen on chain and delivered; final.
 * - `unknown`: the facilitator's answer leaves open whether it moved. → settled, owed, released
 * - `refused`: not delivered, and the facilitator was asked to settle it: it may still do so. → claimed, owed, released
 * - `owed`: settled on chain, and not delivered. → settled
 * - `missing`: reported, and not on chain in time. → settled
 * - `released`: never sent to be settled, or no longer usable according to the chain. → claimed
 */
export type ClaimState =
  | 'claimed'
  | 'settling'
  | 'reported'
  | 'settled'
  | 'unknown'
  | 'refused'
  | 'owed'
  | 'missing'
  | 'released'

/** A payment to be claimed. */
export type WantedClaim = ClaimKey & {
  /** Method and canonical URL with its query: the only thing the payment buys. */
  readonly binding: string
  readonly payTo: string
  readonly amountAtomic: string
  /** Expiry of the authorization, Unix time in seconds. */
  readonly validBefore: number
  /** Unix time in ms. */
  readonly claimedAt: number
  /** Origin of the facilitator that is asked to settle; unknown for claims of early versions. */
  readonly facilitator?: string | undefined
}

/** A payment and how far it got. */
export type Claim = WantedClaim & {
  readonly state: ClaimState
  /** Unix time in ms. */
  readonly updatedAt: number
  /** Unix time in ms at which the facilitator was first asked to settle it; null if it never was. */
  readonly sentAt: number | null
  /** The settlement transaction, once known. */
  readonly txHash: string | null
  /** The delivered answer, replayed for an identical request. */
  readonly answer: StoredAnswer | null
}

/** A claim without its answer, which may be large. */
export type OpenClaim = Omit<Claim, 'answer'>

/** An answer kept for replay, at most 24 hours. */
export type StoredAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body as text, or null if it is a snapshot, which is too large to keep. */
  readonly body: string | null
  /** Id of the snapshot. */
  readonly snapshot?: string
}

/** Result of an attempt to claim, with the claim that stands now. */
export type ClaimOutcome = { readonly won: boolean; readonly claim: Claim }

/** Fields that change with the state of a claim; omitted ones stay as they were. */
export type ClaimChange = {
  /** Unix time in ms. */
  readonly at: number
  readonly txHash?: string | null
  readonly answer?: StoredAnswer | null
}

/** How long a delivered answer is kept for replay. */
export const ANSWER_KEPT_MS = 24 * HOUR

const COMES_FROM: Readonly<Record<ClaimState, readonly ClaimState[]>> = {
  claimed: ['released', 'refused'],
  settling: ['claimed'],
  reported: ['settling'],
  settled: ['settling', 'unknown', 'owed', 'reported', 'missing'],
  unknown: ['settling'],
  refused: ['claimed', 'settling'],
  owed: ['unknown', 'refused'],
  missing: ['reported'],
  released: ['claimed', 'settling', 'unknown', 'refused'],
}

const UNSETTLED = ['claimed', 'settling', 'unknown', 'refused', 'reported', 'missing'] satisfies ClaimState[]
const UNDELIVERED = ['unknown', 'refused', 'owed'] satisfies ClaimState[]

/** Most undelivered claims of a payer that are read. */
const MAX_UNDELIVERED = 20

/** Returns what the ids of a payer's authorizations begin with, the same in any letter case. */
const payerOf = ({ network, asset, from }: Omit<ClaimKey, 'nonce'>) =>
  `${network} ${asset} ${from} `.toLowerCase()

/** Returns the id of an authorization. */
const idOf = (key: ClaimKey) => searchable(payerOf(key) + key.nonce.toLowerCase())

type Row = Selectable<Tables['payment']>

/** Columns of a claim without its answer, which may be large. */
const OPEN_COLUMNS = ['state', 'updated_at', 'sent_at', 'tx_hash', 'wanted_json'] satisfies (keyof Row)[]

type OpenRow = Pick<Row, (typeof OPEN_COLUMNS)[number]>

function toOpen({ wanted_json, state, updated_at, sent_at, tx_hash }: OpenRow): OpenClaim {
  const wanted: WantedClaim = JSON.parse(wanted_json)
  return { ...wanted, state: state as ClaimState, updatedAt: updated_at, sentAt: sent_at, txHash: tx_hash }
}

const toClaim = (row: OpenRow & Pick<Row, 'answer_json'>): Claim => ({
  ...toOpen(row),
  answer: row.answer_json === null ? null : JSON.parse(row.answer_json),
})

/**
 * Claims a payment. Wins if no claim exists for its key, or the existing one was released or refused: of several equal attempts
 * exactly one wins.
 */
export async function claimPayment({ db }: Tx, wanted: WantedClaim): Promise<ClaimOutcome> {
  const { claimedAt } = wanted
  await db
    .updateTable('payment')
    .set({ answer_json: null, answered_at: null })
    .where('answered_at', '<=', claimedAt - ANSWER_KEPT_MS)
    .execute()
  const row = {
    state: 'claimed',
    updated_at: claimedAt,
    tx_hash: null,
    answer_json: null,
    answered_at: null,
    wanted_json: JSON.stringify(wanted),
  }
  const won = await db
    .insertInto('payment')
    .values({ id: idOf(wanted), sent_at: null, ...row })
    .onConflict((on) => on.column('id').doUpdateSet(row).where('payment.state', 'in', COMES_FROM.claimed))
    .returningAll()
    .executeTakeFirst()
  if (won !== undefined) return { won: true, claim: toClaim(won) }
  const present = await readClaim({ db }, wanted, claimedAt)
  // Only released claims are dropped, so the one that won is there.
  if (present === undefined) throw new StoreUnavailableError('The claim that won is missing')
  return { won: false, claim: present }
}

/**
 * Changes the state of a claim.
 * @throws ClaimStateError if there is no such claim, or its state does not lead there
 */
export async function advancePayment(
  { db }: Tx,
  key: ClaimKey,
  to: Exclude<ClaimState, 'claimed'>,
  { at, txHash, answer }: ClaimChange,
): Promise<Claim> {
  const moved = await db
    .updateTable('payment')
    .set({
      state: to,
      updated_at: at,
      ...(to === 'settling' && { sent_at: (eb) => eb.fn.coalesce('sent_at', eb.val(at)) }),
      answered_at: (eb) => eb.case().when('answered_at', 'is', null).then(null).else(at).end(),
      ...(txHash !== undefined && { tx_hash: txHash }),
      ...(answer !== undefined && {
        answer_json: answer === null ? null : JSON.stringify(answer),
        answered_at: answer === null ? null : at,
      }),
    })
    .where('id', '=', idOf(key))
    .where('state', 'in', [...COMES_FROM[to]])
    .returningAll()
    .executeTakeFirst()
  if (moved !== undefined) return toClaim(moved)
  const present = await db
    .selectFrom('payment')
    .select('state')
    .where('id', '=', idOf(key))
    .executeTakeFirst()
  throw new ClaimStateError(
    `Cannot set a claim to ${to}: ${present ? `it is ${present.state}` : 'no such claim'}`,
  )
}

/** Most claims that are dropped at a time. */
const MAX_DROPPED = 1000

/**
 * Drops some released claims, the oldest first, whose payments expired before a Unix time in ms: those cannot be claimed again.
 * Nothing that settled or still may is dropped. Returns their number, at most 1000.
 */
export async function dropExpiredPayments({ db }: Tx, before: number): Promise<number> {
  const rows = await db
    .selectFrom('payment')
    .select(['id', 'wanted_json'])
    .where('state', '=', 'released')
    .orderBy('updated_at')
    .limit(MAX_DROPPED)
    .execute()
  const isExpired = ({ wanted_json }: Pick<Row, 'wanted_json'>) =>
    (JSON.parse(wanted_json) as WantedClaim).validBefore * 1000 < before
  let dropped = 0
  for (const ids of slicesOf(rows.filter(isExpired).map(({ id }) => id))) {
    // Another process may have claimed one meanwhile.
    const gone = db.deleteFrom('payment').where('id', 'in', ids).where('state', '=', 'released')
    dropped += Number((await gone.executeTakeFirstOrThrow()).numDeletedRows)
  }
  return dropped
}

/** Reads a claim as it may be shown at a time: without its answer once that has expired. */
export async function readClaim({ db }: Reader, key: ClaimKey, now: number): Promise<Claim | undefined> {
  const row = await db.selectFrom('payment').selectAll().where('id', '=', idOf(key)).executeTakeFirst()
  if (row === undefined) return undefined
  return toClaim(now - row.updated_at >= ANSWER_KEPT_MS ? { ...row, answer_json: null } : row)
}

/** Reads the claims that the chain may still decide: in any state but settled, owed and released. */
export async function readUnsettled({ db }: Reader): Promise<OpenClaim[]> {
  const rows = await db.selectFrom('payment').select(OPEN_COLUMNS).where('state', 'in', UNSETTLED).execute()
  return rows.map(toOpen)
}

/** Reads a payer's claims that are owed, or may become so: unknown and refused ones. Owed ones and the latest first, at most 20. */
export async function readUndelivered({ db }: Reader, payer: Omit<ClaimKey, 'nonce'>): Promise<OpenClaim[]> {
  const start = payerOf(payer)
  const rows = await db
    .selectFrom('payment')
    .select(OPEN_COLUMNS)
    .where('state', 'in', UNDELIVERED)
    .where('id', '>=', start)
    // A nonce is hexadecimal.
    .where('id', '<', `${start}g`)
    .orderBy((eb) => eb.case().when('state', '=', 'owed').then(0).else(1).end())
    .orderBy('updated_at', 'desc')
    .limit(MAX_UNDELIVERED)
    .execute()
  return rows.map(toOpen)
}

/** Counts claims by state, without settled and released ones; a state without any may be left out. */
export async function countUnsettled({ db }: Reader): Promise<Partial<Record<ClaimState, number>>> {
  const rows = await db
    .selectFrom('payment')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .where('state', 'in', [...UNSETTLED, 'owed'])
    .groupBy('state')
    .execute()
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}
