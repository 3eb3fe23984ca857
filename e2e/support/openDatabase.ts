import { createEmptyDatabase } from '@touchstone402/server/testing'
import { inject, onTestFinished } from 'vitest'

/** Creates an empty database on the server of the run, which goes with the test. Returns its URL. */
export async function openDatabase(): Promise<string> {
  const { url, drop } = await createEmptyDatabase(inject('postgres'))
  onTestFinished(drop)
  return url
}
