import type { Queries } from './database.ts'

/** Creates the tables of ledgers if they are missing. Ledgers of any number of names share them. */
export async function createTables(client: Queries): Promise<void> {
  // Two processes that create a schema at once would fail.
  await client.query('SELECT pg_advisory_xact_lock(4022018)')
  await client.query(`
    CREATE SCHEMA IF NOT EXISTS touchstone_guard;
    -- Its row is locked by each writer, so that lines of one ledger are in the order of their transactions.
    CREATE TABLE IF NOT EXISTS touchstone_guard.ledger (
      name text PRIMARY KEY,
      seq bigint NOT NULL DEFAULT 0,
      head text,
      stopped boolean NOT NULL DEFAULT false
    );
    CREATE TABLE IF NOT EXISTS touchstone_guard.line (
      name text NOT NULL,
      seq bigint NOT NULL,
      line text NOT NULL,
      PRIMARY KEY (name, seq)
    );
    CREATE TABLE IF NOT EXISTS touchstone_guard.snapshot (
      name text PRIMARY KEY,
      seq bigint NOT NULL,
      line text NOT NULL
    );
    CREATE TABLE IF NOT EXISTS touchstone_guard.payment (
      name text NOT NULL,
      id text NOT NULL,
      payment jsonb NOT NULL,
      PRIMARY KEY (name, id)
    )`)
}
