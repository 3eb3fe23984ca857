/** One migration. Never edit a published one; add a new one. */
export type Migration = { readonly name: string; readonly sql: string }

/**
 * All migrations, in order. Records are JSON text, because sellers' text may not be valid `jsonb` and must come back
 * unchanged. The other columns are for searching. Times are Unix time in ms.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: '0001-published-claims',
    sql: `
      CREATE TABLE published (
        kind text NOT NULL,
        id text NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY,
        host text NOT NULL,
        endpoint text NOT NULL,
        at bigint NOT NULL,
        data text NOT NULL,
        PRIMARY KEY (kind, id)
      );
      CREATE INDEX published_by_time ON published (kind, at, seq);
      CREATE INDEX published_by_host ON published (host, kind, at, seq);
      CREATE INDEX published_by_endpoint ON published (endpoint, kind, at, seq);

      CREATE TABLE claim (
        id text PRIMARY KEY,
        state text NOT NULL,
        updated_at bigint NOT NULL,
        tx_hash text,
        answer text,
        -- What the claim was made with.
        wanted text NOT NULL
      );
      CREATE INDEX claim_open ON claim (state) WHERE state IN ('claimed', 'settling', 'unknown');
      CREATE INDEX claim_answered ON claim (updated_at) WHERE answer IS NOT NULL;
    `,
  },
  {
    name: '0002-mcp-audits',
    sql: 'CREATE TABLE mcp_audit (name text COLLATE "C" PRIMARY KEY, data text NOT NULL);',
  },
  {
    name: '0003-claims-confirmed-on-chain',
    sql: `
      DROP INDEX claim_open;
      CREATE INDEX claim_open ON claim (state) WHERE state NOT IN ('settled', 'released');
    `,
  },
  {
    name: '0004-looks-by-day',
    sql: `
      -- Text in "C" order is compared by its bytes, as this program compares it.
      CREATE TABLE endpoint (
        number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        endpoint text COLLATE "C" NOT NULL UNIQUE,
        host text COLLATE "C" NOT NULL,
        -- The document's two parts; null until the endpoint is judged.
        state text,
        carried text
      ) WITH (fillfactor = 80);
      CREATE INDEX endpoint_by_host ON endpoint (host, endpoint);

      -- What looks at an endpoint have in common.
      CREATE TABLE shape (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        endpoint integer NOT NULL,
        hash bytea NOT NULL,
        -- Time of a look that has it, at most a day before the last one.
        used_at bigint NOT NULL,
        data text NOT NULL,
        UNIQUE (endpoint, hash)
      );
      CREATE INDEX shape_by_use ON shape (used_at);

      CREATE SEQUENCE look_order;
      CREATE TABLE look (
        endpoint integer NOT NULL,
        at bigint NOT NULL,
        seq bigint NOT NULL DEFAULT nextval('look_order'),
        -- The number of its shape and what differs, see looks/.
        data bytea NOT NULL,
        PRIMARY KEY (endpoint, at, seq)
      ) PARTITION BY RANGE (at);
      -- Looks of days that have no partition of their own.
      CREATE TABLE look_other PARTITION OF look DEFAULT;
      CREATE INDEX look_other_by_time ON look_other (at);

      -- Looks that incidents cite, past the retention.
      CREATE TABLE kept_look (
        endpoint integer NOT NULL,
        id text NOT NULL,
        at bigint NOT NULL,
        data text NOT NULL,
        PRIMARY KEY (endpoint, id)
      );
      -- What was carried at "until", before which looks are dropped.
      CREATE TABLE base (
        endpoint integer PRIMARY KEY,
        until bigint NOT NULL,
        data text
      );
      CREATE TABLE day (
        endpoint integer NOT NULL,
        -- Days since 1970.
        day integer NOT NULL,
        up integer NOT NULL,
        down integer NOT NULL,
        not_measured integer NOT NULL,
        p50 double precision,
        p90 double precision,
        PRIMARY KEY (endpoint, day)
      );

      CREATE TABLE summary (
        host text COLLATE "C" PRIMARY KEY,
        updated_at bigint NOT NULL,
        -- Time from which "indexed" is out of date; null if it never is.
        valid_until bigint,
        data text NOT NULL,
        -- What the host adds to totals and ranks.
        indexed text NOT NULL
      ) WITH (fillfactor = 80);
      CREATE INDEX summary_by_age ON summary (updated_at);
      CREATE INDEX summary_by_validity ON summary (valid_until) WHERE valid_until IS NOT NULL;
      CREATE TABLE total (name text COLLATE "C" PRIMARY KEY, n bigint NOT NULL) WITH (fillfactor = 50);
      CREATE TABLE rank (
        index text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        PRIMARY KEY (index, key)
      );
      CREATE TABLE due (
        list text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (list, key)
      );
      CREATE INDEX due_by_time ON due (list, at, key);

      ALTER TABLE published ADD COLUMN is_open boolean NOT NULL DEFAULT false;
      CREATE INDEX published_open ON published (kind, at, seq) WHERE is_open;
      -- The latest report of each day and the newest control probe of each host.
      CREATE TABLE newest (
        kind text COLLATE "C" NOT NULL,
        subject text COLLATE "C" NOT NULL,
        at bigint NOT NULL,
        data text NOT NULL,
        PRIMARY KEY (kind, subject)
      );
      CREATE TABLE fact (
        seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind text COLLATE "C" NOT NULL,
        -- The endpoint of a listing or purchase, the host of an announcement, network and address of a receiver.
        subject text COLLATE "C" NOT NULL,
        -- Of a purchase.
        host text COLLATE "C",
        -- Whether the record of a receiver has a clear answer of the sanctions oracle.
        is_answered boolean NOT NULL DEFAULT false,
        at bigint NOT NULL,
        data text NOT NULL
      );
      CREATE INDEX fact_of_subject ON fact (kind, subject, at, seq);
      CREATE INDEX fact_of_host ON fact (kind, host, at, seq) WHERE host IS NOT NULL;
      CREATE INDEX fact_answered ON fact (subject, at, seq) WHERE is_answered;
      CREATE TABLE receiver (subject text COLLATE "C" PRIMARY KEY);

      -- Has a row while a copy into this database runs.
      CREATE TABLE copying (since timestamptz NOT NULL DEFAULT now());
    `,
  },
  {
    name: '0005-log',
    sql: `
      CREATE SEQUENCE log_order;
      -- Leaves without a place in the tree yet.
      CREATE TABLE log_waiting (
        number bigint PRIMARY KEY,
        key text COLLATE "C" NOT NULL,
        leaf text NOT NULL,
        opening text,
        -- Notification for the endpoint whose answers name the leaf.
        about text
      );
      -- Where the newest leaf of each key is: one of the two is null.
      CREATE TABLE log_key (key text COLLATE "C" PRIMARY KEY, waiting bigint, index bigint);
      CREATE TABLE log_entry (index bigint PRIMARY KEY, leaf text NOT NULL, opening text);
      CREATE TABLE log_tile (
        level integer NOT NULL,
        index bigint NOT NULL,
        hashes bytea NOT NULL,
        PRIMARY KEY (level, index)
      ) WITH (fillfactor = 50);
      -- One row: the number of leaves, and the published checkpoint.
      CREATE TABLE log_state (size bigint NOT NULL, head text);
      INSERT INTO log_state VALUES (0, NULL);
    `,
  },
  {
    name: '0006-map-files',
    sql: `
      CREATE TABLE map_file (name text COLLATE "C" PRIMARY KEY, data bytea NOT NULL);
      -- Hashes do not compress.
      ALTER TABLE map_file ALTER COLUMN data SET STORAGE EXTERNAL;
    `,
  },
  {
    name: '0007-expiring',
    sql: `
      -- Documents that are dropped at their expiry, such as scans.
      CREATE TABLE expiring (
        kind text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        expires_at bigint NOT NULL,
        data text NOT NULL,
        PRIMARY KEY (kind, id)
      );
      CREATE INDEX expiring_by_time ON expiring (expires_at);
    `,
  },
]
