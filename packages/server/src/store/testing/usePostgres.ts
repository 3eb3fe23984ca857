import { afterAll, beforeAll, inject } from 'vitest'
import { createEmptyDatabase, type EmptyDatabase } from './createEmptyDatabase.ts'

/** Creates a database for a test file. Returns a function that names an unused schema of it. */
export function usePostgres(): () => { url: string; schema: string } {
  let database: EmptyDatabase
  beforeAll(async () => {
    database = await createEmptyDatabase(inject('postgres'))
  })
  afterAll(() => database.drop())
  let schemas = 0
  return () => ({ url: database.url, schema: `test_${schemas++}` })
}
