import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { type Anvil, startAnvil } from './anvil.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address that answers the number of a worker with the URL of its chain, for `useChain`. */
    chains: string
  }
}

/**
 * Offers a local chain to each worker of a test run, which starts when its first file asks for it. It belongs to this
 * process, since a thread's children outlive it.
 */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const chains = new Map<string, Promise<Anvil>>()
  const server = createServer(({ url = '' }, response) => {
    const chain = chains.get(url) ?? startAnvil()
    chains.set(url, chain)
    chain.then(
      (anvil) => response.end(anvil.url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  provide('chains', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    server.closeAllConnections()
    for (const chain of chains.values()) await (await chain).stop()
  }
}
