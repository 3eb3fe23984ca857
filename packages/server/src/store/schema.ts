import type { Generated, Kysely } from 'kysely'

// Times are Unix times in ms. Yes and no are 1 and 0. Columns are for what is searched; `…_json` holds what is shown.

/** A kind of column, with the type of its values. */
export type Column<T = unknown> = {
  readonly kind: 'number' | 'text' | 'integer' | 'big' | 'real' | 'blob'
  readonly isNullable: boolean
  /** Never there; carries the type. */
  readonly value?: T
}

const kind = <T>(name: Column['kind']): Column<T> => ({ kind: name, isNullable: false })
const orNull = <T>(column: Column<T>): Column<T | null> => ({ ...column, isNullable: true })

/** A number that the database gives, by which rows of one table name those of another. */
const number = kind<Generated<number>>('number')
const text = kind<string>('text')
const integer = kind<number>('integer')
/** An integer of up to 53 bits, such as a time. */
const big = kind<number>('big')
const real = kind<number>('real')
const blob = kind<Uint8Array>('blob')
const [textOrNull, integerOrNull, bigOrNull, realOrNull] = [
  orNull(text),
  orNull(integer),
  orNull(big),
  orNull(real),
]

/** A table: its columns, the columns of its key, and those of each index, unique ones apart. */
export type Table = {
  readonly columns: Readonly<Record<string, Column>>
  readonly key: readonly string[]
  readonly unique?: readonly (readonly string[])[]
  readonly indexes?: readonly (readonly string[])[]
}

/** A fact as JSON, with its id and time. */
const fact = { id: text, at: big, fact_json: text }
/** A feed of facts about endpoints, read by time, by host and by endpoint. */
const feed = { ...fact, host: text, endpoint: text }
const feedIndexes = [
  ['at', 'id'],
  ['host', 'at', 'id'],
  ['endpoint', 'at', 'id'],
]

/** The tables of the first version. */
export const START = {
  /** A listed or judged endpoint. Columns from `verdict` on are null until it is judged. */
  endpoint: {
    columns: {
      id: number,
      url: text,
      host: text,
      /** Registrable domain. */
      domain: text,
      due_at: bigOrNull,
      /** When a directory last listed it. */
      listed_at: bigOrNull,
      /** As of the judgement; unknown from `expires_at` on. */
      verdict: textOrNull,
      status: textOrNull,
      score: integerOrNull,
      expires_at: bigOrNull,
      dark_since: bigOrNull,
      derived_at: bigOrNull,
      category: textOrNull,
      price_usd: realOrNull,
      stability: textOrNull,
      receiver_profile: textOrNull,
      /** Network and address in their normal form. */
      receiver: textOrNull,
      flags_json: textOrNull,
      listed_by_json: textOrNull,
      unhealthy_in_json: textOrNull,
      /** Row shown in lists. */
      row_json: textOrNull,
      state_json: textOrNull,
    },
    key: ['id'],
    unique: [['url']],
    indexes: [
      ['host', 'due_at'],
      ['due_at'],
      ['domain'],
      ['receiver', 'host'],
      ['verdict', 'score'],
      ['dark_since'],
      ['derived_at'],
    ],
  },
  /** A host with an endpoint. Columns from `rank` to `valid_until` are null until one is judged. */
  host: {
    columns: {
      name: text,
      domain: text,
      /** When its next endpoint is due, or since when it waits for a turn. */
      due_at: bigOrNull,
      /** When its own documents are due to be read. */
      documents_at: bigOrNull,
      /** Verdict and score: 1000 for each place of the verdict, best first, and 100 less the score. */
      rank: integerOrNull,
      live: integerOrNull,
      first_seen: bigOrNull,
      updated_at: bigOrNull,
      /** When the first of its verdicts expires, after which the columns above are recomputed. */
      valid_until: bigOrNull,
      /** The newest control probe. */
      control_json: textOrNull,
    },
    key: ['name'],
    indexes: [
      ['due_at'],
      ['documents_at'],
      ['rank', 'name'],
      ['live', 'rank', 'name'],
      ['first_seen', 'name'],
      ['valid_until'],
    ],
  },
  look: {
    columns: {
      endpoint_id: big,
      at: big,
      /** Orders probes of one time. */
      n: integer,
      id: text,
      client: text,
      latency_ms: realOrNull,
      asked_at: bigOrNull,
      /** Place of its shape. */
      shape: integer,
      /** 1 if an incident cites it, so that it outlives the retention. */
      is_cited: integerOrNull,
    },
    key: ['endpoint_id', 'at', 'n'],
  },
  /** Fields shared by probes of one endpoint. */
  shape: {
    columns: { endpoint_id: big, n: integer, hash: text, shape_json: text },
    key: ['endpoint_id', 'n'],
    unique: [['endpoint_id', 'hash']],
  },
  day: {
    columns: {
      endpoint_id: big,
      date: text,
      up: integer,
      down: integer,
      not_measured: integer,
      p50_ms: realOrNull,
      p90_ms: realOrNull,
    },
    key: ['endpoint_id', 'date'],
  },
  listing: { columns: { ...fact, endpoint_id: big, directory: text }, key: ['endpoint_id', 'at', 'id'] },
  purchase: {
    columns: { ...fact, endpoint_id: big, host: text },
    key: ['endpoint_id', 'at', 'id'],
    indexes: [['host', 'at']],
  },
  announcement: { columns: { ...fact, host: text }, key: ['host', 'at', 'id'] },
  receiver: { columns: { ...fact, receiver: text, is_answered: integer }, key: ['receiver', 'at', 'id'] },
  change: { columns: feed, key: ['id'], indexes: feedIndexes },
  incident: {
    columns: { ...feed, is_open: integer, written_at: big },
    key: ['id'],
    indexes: [...feedIndexes, ['is_open', 'at', 'id']],
  },
  report: { columns: { date: text, at: big, fact_json: text }, key: ['date'] },
  lease: { columns: { name: text, token: text, until: big }, key: ['name'] },
  /** A payment of a caller, which can be delivered once. */
  payment: {
    columns: {
      id: text,
      state: text,
      updated_at: big,
      tx_hash: textOrNull,
      wanted_json: text,
      answer_json: textOrNull,
      /** When the answer was kept; null without one. */
      answered_at: bigOrNull,
    },
    key: ['id'],
    indexes: [['answered_at'], ['state']],
  },
  /** A small thing that expires. */
  document: {
    columns: { kind: text, id: text, expires_at: big, data_json: text },
    key: ['kind', 'id'],
    indexes: [['expires_at']],
  },
  /** A leaf of the log. Without a place it waits for one. */
  log_leaf: {
    columns: {
      id: number,
      place: bigOrNull,
      key: text,
      leaf: text,
      opening: textOrNull,
      about_json: textOrNull,
    },
    key: ['id'],
    indexes: [
      ['place', 'id'],
      ['key', 'id'],
    ],
  },
  log_tile: { columns: { level: integer, place: big, hashes: blob }, key: ['level', 'place'] },
  /** One row. */
  log_head: { columns: { id: integer, head_json: text }, key: ['id'] },
  map_file: { columns: { name: text, data: blob }, key: ['name'] },
  mcp_audit: { columns: { name: text, audit_json: text }, key: ['name'] },
} as const satisfies Record<string, Table>

/** Tells which program may read the store. It has one row, of id 1. */
export const META = {
  columns: { id: integer, format: integer },
  key: ['id'],
} as const satisfies Table

/**
 * Verdicts that stood with a daily report, a row where one differs from the report before. Without a verdict the endpoint
 * was dropped.
 */
export const STANDING = {
  columns: { endpoint: text, date: text, verdict: textOrNull, band: textOrNull, terms_json: text },
  key: ['endpoint', 'date'],
  indexes: [['date']],
} as const satisfies Table

/** All tables of this version. */
export const TABLES = {
  ...START,
  look: { ...START.look, columns: { ...START.look.columns, gap_ms: bigOrNull } },
  endpoint: { ...START.endpoint, columns: { ...START.endpoint.columns, terms_json: textOrNull } },
  payment: {
    ...START.payment,
    columns: {
      ...START.payment.columns,
      /** When the facilitator was first asked to settle it; null if it never was, or before this column. */
      sent_at: bigOrNull,
    },
  },
  meta: META,
  standing: STANDING,
} as const

type All = typeof TABLES

/** The tables, as Kysely knows them. */
export type Tables = {
  [K in keyof All]: {
    [C in keyof All[K]['columns']]: All[K]['columns'][C] extends Column<infer T> ? T : never
  }
}
export type Db = Kysely<Tables>
