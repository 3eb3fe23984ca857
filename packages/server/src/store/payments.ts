import type { Selectable } from 'kysely'
import { searchable } from '../facts/searchable.ts'
import { ClaimStateError, StoreUnavailableError } from '../facts/storeError.ts'
import { HOUR } from '../facts/times.ts'
import type {
  Claim,
  ClaimChange,
  ClaimKey,
  ClaimOutcome,
  ClaimState,
  OpenClaim,
  WantedClaim,
} from '../ports/claims.ts'
import type { Db, Tables } from './schema.ts'
import { slicesOf } from './slices.ts'
import type { Tx } from './tx.ts'

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

/** Claims a payment, see `ClaimStore`. */
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
  const present = await readPayment(db, wanted, claimedAt)
  // Only released claims are dropped, so the one that won is there.
  if (present === undefined) throw new StoreUnavailableError('The claim that won is missing')
  return { won: false, claim: present }
}

/** Changes the state of a claim, see `ClaimStore`. */
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

/** Drops expired claims, see `ClaimStore`. */
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
export async function readPayment(db: Db, key: ClaimKey, now: number): Promise<Claim | undefined> {
  const row = await db.selectFrom('payment').selectAll().where('id', '=', idOf(key)).executeTakeFirst()
  if (row === undefined) return undefined
  return toClaim(now - row.updated_at >= ANSWER_KEPT_MS ? { ...row, answer_json: null } : row)
}

/** Reads the claims that the chain may still decide. */
export async function readUnsettled(db: Db): Promise<OpenClaim[]> {
  const rows = await db.selectFrom('payment').select(OPEN_COLUMNS).where('state', 'in', UNSETTLED).execute()
  return rows.map(toOpen)
}

/** Reads a payer's claims that are owed or may become so, see `ClaimStore`. */
export async function readUndelivered(db: Db, payer: Omit<ClaimKey, 'nonce'>): Promise<OpenClaim[]> {
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

/** Counts claims by state, without settled and released ones. */
export async function countUnsettled(db: Db): Promise<Partial<Record<ClaimState, number>>> {
  const rows = await db
    .selectFrom('payment')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .where('state', 'in', [...UNSETTLED, 'owed'])
    .groupBy('state')
    .execute()
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}
