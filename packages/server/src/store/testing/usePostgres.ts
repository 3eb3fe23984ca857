import { afterAll, beforeAll, inject, onTestFinished } from 'vitest'
import { createEmptyDatabase, type EmptyDatabase } from './createEmptyDatabase.ts'

/** Creates a database for a test file. Returns a function that returns where it is. */
export function usePostgres(): () => { url: string } {
  let database: EmptyDatabase
  beforeAll(async () => {
    database = await createEmptyDatabase(inject('postgres'))
  })
  afterAll(() => database.drop())
  return () => ({ url: database.url })
}

/** Creates an empty database for a test. */
export async function openEmptyDatabase(): Promise<{ url: string }> {
  const { url, drop } = await createEmptyDatabase(inject('postgres'))
  onTestFinished(drop)
  return { url }
}
