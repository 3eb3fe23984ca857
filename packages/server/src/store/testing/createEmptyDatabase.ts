import { randomUUID } from 'node:crypto'
import { askFor } from '@touchstone402/shared/testing'
import pg from 'pg'

/** A database for one test file. */
export type EmptyDatabase = {
  readonly url: string
  /** Removes the database, with its connections. */
  drop(): Promise<void>
}

/** Creates an empty database on the server of the run. @throws if the server does not start */
export async function createEmptyDatabase(address: string): Promise<EmptyDatabase> {
  return createDatabase(await askFor(address))
}

/** Creates an empty database on a server. @param home URL of its database `postgres` */
export async function createDatabase(home: string): Promise<EmptyDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const run = async (statement: string) => {
    const client = new pg.Client(home)
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await run(`CREATE DATABASE ${name}`)
  return {
    url: home.replace('/postgres?', `/${name}?`),
    drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`),
  }
}
