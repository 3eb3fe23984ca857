import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { type RunningPostgres, startPostgres } from './startPostgres.ts'

/** The PostgreSQL server of a test run, which its processes share. */
export type SharedPostgres = {
  /** Answers with the connection string of the server, and starts it at the first request. */
  readonly address: string
  stop(): Promise<void>
}

/** A database for one test file. */
export type EmptyDatabase = {
  readonly url: string
  /** Removes the database, with its connections. */
  drop(): Promise<void>
}

/** Offers a PostgreSQL server that starts when a test file first needs it, so that other files do not wait for it. */
export async function servePostgres(): Promise<SharedPostgres> {
  let started: Promise<RunningPostgres> | undefined
  const server = createServer((_, response) => {
    started ??= startPostgres()
    started.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    async stop() {
      server.close()
      server.closeAllConnections()
      await (await started)?.stop()
    },
  }
}

/** Creates an empty database on the server of the run. @throws if the server does not start */
export async function createEmptyDatabase(address: string): Promise<EmptyDatabase> {
  const response = await fetch(address)
  const home = await response.text()
  if (!response.ok) throw new Error(`PostgreSQL does not start: ${home}`)
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
