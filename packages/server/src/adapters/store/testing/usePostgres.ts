import { afterAll, beforeAll } from 'vitest'
import { type RunningPostgres, startPostgres } from './startPostgres.ts'

/** Starts a PostgreSQL server for a test file. Returns a function that makes a database with an unused schema. */
export function usePostgres(): () => { url: string; schema: string } {
  let server: RunningPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())
  let schemas = 0
  return () => ({ url: server.url, schema: `test_${schemas++}` })
}
