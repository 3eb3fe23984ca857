/** One migration. Never edit a published one; add a new one. */
export type Migration = { readonly name: string; readonly sql: string }

/**
 * All migrations, in order. Records are JSON text, because sellers' text may not be valid `jsonb` and must come back
 * unchanged. The other columns are for searching. Times are Unix time in ms.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: '0001-facts-documents-claims',
    sql: `
      CREATE TABLE fact (
        seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind text NOT NULL,
        -- The host; of a receiver its network and address, of a report its date.
        subject text NOT NULL,
        at bigint NOT NULL,
        -- True for an observation that outlived its folded day.
        kept boolean NOT NULL DEFAULT false,
        data text NOT NULL
      );
      CREATE INDEX fact_by_subject ON fact (subject, at, seq);
      CREATE INDEX fact_by_age ON fact (at) WHERE kind = 'observation' AND NOT kept;
      CREATE INDEX fact_receivers ON fact (subject, at DESC, seq DESC) WHERE kind = 'receiver';
      CREATE INDEX fact_reports ON fact (subject, at DESC, seq DESC) WHERE kind = 'report';

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

      CREATE TABLE daily (
        host text NOT NULL,
        endpoint text NOT NULL,
        date text NOT NULL,
        data text NOT NULL,
        PRIMARY KEY (host, date, endpoint)
      );

      CREATE TABLE document (
        host text COLLATE "C" PRIMARY KEY,
        updated_at bigint NOT NULL,
        data text NOT NULL
      );

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
]
