import { offer } from '@touchstone402/shared/testing'
import type { TestProject } from 'vitest/node'
import { startAnvil } from './anvil.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address that answers the number of a worker with the URL of its chain, for `useChain`. */
    chains: string
  }
}

/** Offers a local chain to each worker of a test run. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { address, stop } = await offer(async () => {
    const { url, stop } = await startAnvil()
    return { answer: url, stop }
  })
  provide('chains', address)
  return stop
}
