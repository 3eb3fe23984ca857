import type { TestProject } from 'vitest/node'
import { servePostgres } from './servePostgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the run's PostgreSQL server, for `createEmptyDatabase`. */
    postgres: string
  }
}

/** Offers one PostgreSQL server to all files of a test run. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { address, stop } = await servePostgres()
  provide('postgres', address)
  return stop
}
