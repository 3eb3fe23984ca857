import type { PoolClient } from 'pg'
import { StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import type {
  Claim,
  ClaimKey,
  ClaimState,
  ClaimStore,
  OpenClaim,
  WantedClaim,
} from '../../../ports/claims.ts'
import { advancedClaim, claimId, leadsTo, newClaim, withoutStaleAnswer } from '../claimRules.ts'
import type { Database } from './database.ts'

type Row = {
  state: ClaimState
  updated_at: string
  tx_hash: string | null
  answer: string | null
  wanted: string
}

const COLUMNS = 'state, updated_at, tx_hash, answer, wanted'
/** Page size of `all`. */
const PAGE = 500
const UNSETTLED = `state NOT IN ('settled', 'released')`

/** Creates claims shared by all processes on one database. Each step is one statement, so the database decides races. */
export function createPostgresClaims(database: Database, now: () => number): ClaimStore {
  const find = async (key: ClaimKey): Promise<Claim | undefined> => {
    const [row] = await database.query<Row>(`SELECT ${COLUMNS} FROM claim WHERE id = $1`, [claimId(key)])
    return row && withoutStaleAnswer(claimOf(row), now())
  }

  const claim: ClaimStore['claim'] = async (wanted) => {
    const [won] = await database.query<Row>(
      `INSERT INTO claim (id, state, updated_at, wanted) VALUES ($1, 'claimed', $2, $3)
         ON CONFLICT (id) DO UPDATE
           SET state = 'claimed', updated_at = $2, tx_hash = NULL, answer = NULL, wanted = $3
           WHERE claim.state = 'released'
         RETURNING ${COLUMNS}`,
      [claimId(wanted), wanted.claimedAt, JSON.stringify(wantedOf(wanted))],
    )
    if (won) return { won: true, claim: newClaim(wantedOf(wanted)) }
    const present = await find(wanted)
    // Claims are never deleted, so the one that won must be there.
    if (!present) throw new StoreUnavailableError('The claim that won is missing from the database')
    return { won: false, claim: present }
  }

  const advance: ClaimStore['advance'] = async (key, to, change) => {
    const [row] = await database.query<Row>(
      `UPDATE claim SET state = $2, updated_at = $3,
           tx_hash = CASE WHEN $4 THEN $5 ELSE tx_hash END,
           answer = CASE WHEN $6 THEN $7 ELSE answer END
         WHERE id = $1 AND state = ANY ($8)
         RETURNING ${COLUMNS}`,
      [
        claimId(key),
        to,
        change.at,
        change.txHash !== undefined,
        change.txHash ?? null,
        change.answer !== undefined,
        change.answer ? JSON.stringify(change.answer) : null,
        leadsTo(to),
      ],
    )
    if (row) return claimOf(row)
    const present = await find(key)
    // Another process changed the state between the two statements.
    if (present && leadsTo(to).includes(present.state)) return advance(key, to, change)
    return advancedClaim(present, to, change)
  }

  return {
    claim,
    advance,
    get: find,
    async *all() {
      let last = ''
      for (let isMore = true; isMore; ) {
        const rows = await database.query<Row & { id: string }>(
          `SELECT id, ${COLUMNS} FROM claim WHERE id > $1 ORDER BY id LIMIT ${PAGE}`,
          [last],
        )
        for (const row of rows) yield claimOf(row)
        last = rows.at(-1)?.id ?? last
        isMore = rows.length === PAGE
      }
    },
    async unsettled() {
      const rows = await database.query<Omit<Row, 'answer'>>(
        `SELECT state, updated_at, tx_hash, wanted FROM claim WHERE ${UNSETTLED}`,
      )
      return rows.map(openClaimOf)
    },
    async countUnsettled() {
      const rows = await database.query<{ state: ClaimState; count: string }>(
        `SELECT state, count(*) FROM claim WHERE ${UNSETTLED} GROUP BY state`,
      )
      return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]))
    },
  }
}

/** Writes claims as they stand elsewhere. */
export async function putClaims(client: PoolClient, claims: readonly Claim[]): Promise<void> {
  const rows = claims.map(rowOf)
  await client.query(
    `INSERT INTO claim (id, state, updated_at, tx_hash, answer, wanted)
     SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[])
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at,
       tx_hash = excluded.tx_hash, answer = excluded.answer, wanted = excluded.wanted`,
    [0, 1, 2, 3, 4, 5].map((column) => rows.map((row) => row[column])),
  )
}

/** Returns the row of a claim. */
export function rowOf(claim: Claim): [string, ClaimState, number, string | null, string | null, string] {
  const answer = claim.answer && JSON.stringify(claim.answer)
  const wanted = JSON.stringify(wantedOf(claim))
  return [claimId(claim), claim.state, claim.updatedAt, claim.txHash, answer, wanted]
}

function claimOf(row: Row): Claim {
  const answer: Claim['answer'] = row.answer === null ? null : JSON.parse(row.answer)
  return { ...openClaimOf(row), answer }
}

function openClaimOf(row: Omit<Row, 'answer'>): OpenClaim {
  const wanted: WantedClaim = JSON.parse(row.wanted)
  return { ...wanted, state: row.state, updatedAt: Number(row.updated_at), txHash: row.tx_hash }
}

/** Picks the fields of a wanted claim from an object that may hold more. */
function wantedOf(claim: WantedClaim): WantedClaim {
  const { network, asset, from, nonce, binding, payTo, amountAtomic, validBefore, claimedAt, facilitator } =
    claim
  return { network, asset, from, nonce, binding, payTo, amountAtomic, validBefore, claimedAt, facilitator }
}
