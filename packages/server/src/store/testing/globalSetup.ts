import { offer } from '@touchstone402/shared/testing'
import type { TestProject } from 'vitest/node'
import { startPostgres } from './startPostgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the run's PostgreSQL server, for `createEmptyDatabase`. */
    postgres: string
  }
}

/** Offers one PostgreSQL server to all files of a test run. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { address, stop } = await offer(async () => {
    const { url, stop } = await startPostgres()
    return { answer: url, stop }
  })
  provide('postgres', address)
  return stop
}
