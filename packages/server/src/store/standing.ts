import type { Band, Report, Term, VerdictCode } from '@touchstone402/shared'
import { type RawBuilder, sql } from 'kysely'
import type { Purchase, Time } from '../facts/facts.ts'
import type { Db } from './schema.ts'
import type { Derivation, Reader, Tx } from './tx.ts'

/** Selects verdicts that stood with the report of a date. */
export type StandingQuery = {
  /** Of the report, `YYYY-MM-DD`. */
  readonly date: string
  /** Continues behind an endpoint; empty for the first page. */
  readonly after: string
  readonly limit: number
  /** As of which the later verdict is read. */
  readonly now: Time
}

/** Verdicts that stood with a report, by endpoint. */
export type StandingPage = readonly {
  readonly endpoint: string
  readonly verdict: VerdictCode
  readonly band: Band | null
  readonly terms: readonly Term[]
  /** False once the endpoint was dropped, dark for 90 days. */
  readonly isKept: boolean
  /** Its verdict now. */
  readonly later: VerdictCode
}[]

/** Reports over whose dates standing verdicts are kept. The longest period, its purchases and a month of outages fit. */
const KEPT_REPORTS = 100

/**
 * Notes the verdicts that stand with a report, each where it differs from the one before, so that an endpoint whose
 * verdict stays costs nothing. Runs in the transaction of the report; a second run for a date replaces the first.
 */
export async function noteStanding({ db, derive }: Tx, { date, asOf }: Report): Promise<void> {
  await db.deleteFrom('standing').where('date', '=', date).execute()
  await sql`
    insert into standing (endpoint, date, verdict, band, terms_json)
    select now.endpoint, ${date}, now.verdict, now.band, now.terms_json
    from (${currentVerdicts(Date.parse(asOf), derive.bands)}) as now
    left join standing as last on last.endpoint = now.endpoint and last.date = (
      select max(date) from standing where endpoint = now.endpoint and date < ${date}
    )
    where last.verdict is distinct from now.verdict or last.band is distinct from now.band
      or last.terms_json is distinct from now.terms_json`.execute(db)
  await noteDropped(db, date)
  await dropOld(db)
}

/** Selects the current verdict of each listed endpoint, and of each that stood before. */
function currentVerdicts(at: Time, bands: Derivation['bands']): RawBuilder<unknown> {
  const cases = bands.map(({ id, min }) => sql`when score >= ${sql.lit(min)} then ${sql.lit(id)}`)
  return sql`
    select url as endpoint, coalesce(terms_json, '[]') as terms_json,
      case when expires_at > ${at} then verdict else 'unknown' end as verdict,
      case when expires_at > ${at} and verdict <> 'unknown' then case ${sql.join(cases, sql` `)} end end as band
    from endpoint
    where state_json is not null and (
      listed_by_json <> '[]' or exists (select 1 from standing as stood where stood.endpoint = endpoint.url)
    )`
}

/** Notes that endpoints are gone, which are dropped once they were dark for 90 days. */
async function noteDropped(db: Db, date: string): Promise<void> {
  await sql`
    insert into standing (endpoint, date, verdict, band, terms_json)
    select last.endpoint, ${date}, null, null, '[]'
    from standing as last left join endpoint on endpoint.url = last.endpoint
    where endpoint.url is null and last.verdict is not null and last.date = (
      select max(date) from standing where endpoint = last.endpoint and date < ${date}
    )`.execute(db)
}

/** Drops what stood before all dates that may still be counted. A clock that jumps adds one date, and so drops nothing. */
async function dropOld(db: Db): Promise<void> {
  const first = await db
    .selectFrom('report')
    .select('date')
    .orderBy('date', 'desc')
    .offset(KEPT_REPORTS)
    .limit(1)
    .executeTakeFirst()
  if (first === undefined) return
  const { date } = first
  await sql`
    delete from standing where date <= ${date} and exists (
      select 1 from standing as newer
      where newer.endpoint = standing.endpoint and newer.date > standing.date and newer.date <= ${date}
    )`.execute(db)
  await sql`
    delete from standing where date <= ${date} and verdict is null and not exists (
      select 1 from standing as newer where newer.endpoint = standing.endpoint and newer.date > standing.date
    )`.execute(db)
}

type Row = {
  endpoint: string
  verdict: VerdictCode
  band: Band | null
  terms_json: string
  is_kept: number
  later: VerdictCode | null
}

/** Reads the verdicts that stood with the report of a date, by endpoint; kept for the last 100 reports. */
export async function readStandingVerdicts(
  { db }: Reader,
  { date, after, limit, now }: StandingQuery,
): Promise<StandingPage> {
  const { rows } = await sql<Row>`
    select standing.endpoint, standing.verdict, standing.band, standing.terms_json,
      case when endpoint.url is null then 0 else 1 end as is_kept,
      case when expires_at > ${now} then endpoint.verdict else 'unknown' end as later
    from standing left join endpoint on endpoint.url = standing.endpoint
    where standing.endpoint > ${after} and standing.verdict is not null and date = (
      select max(date) from standing as older where older.endpoint = standing.endpoint and older.date <= ${date}
    )
    order by standing.endpoint limit ${limit}`.execute(db)
  return rows.map(({ endpoint, verdict, band, terms_json, is_kept, later }) => ({
    endpoint,
    verdict,
    band,
    terms: JSON.parse(terms_json) as Term[],
    isKept: is_kept === 1,
    later: later ?? 'unknown',
  }))
}

/** Reads the purchases of all hosts after a time and until another, oldest first. Our budgets keep their number small. */
export async function readPurchasesBetween({ db }: Reader, from: Time, to: Time): Promise<Purchase[]> {
  const rows = await db
    .selectFrom('purchase')
    .select('fact_json')
    .where('at', '>', from)
    .where('at', '<=', to)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return rows.map(({ fact_json }) => JSON.parse(fact_json))
}
