import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the files of a test run share: what they are told of it, and how it ends. */
export type Offered = { readonly answer: string; stop(): Promise<unknown> }

/**
 * Offers what all files of a test run share, at an HTTP address. Each path of it is started by the first file that asks,
 * so that other files do not wait. It belongs to the calling process, since what a worker starts may outlive the worker.
 * @param start called once for each path, without its slash
 */
export async function offer(
  start: (path: string) => Promise<Offered>,
): Promise<{ address: string; stop(): Promise<void> }> {
  const offered = new Map<string, Promise<Offered>>()
  const server = createServer(({ url = '' }, response) => {
    const started = offered.get(url) ?? start(url.slice(1))
    offered.set(url, started)
    started.then(
      ({ answer }) => response.end(answer),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close()
      server.closeAllConnections()
      for (const started of await Promise.allSettled(offered.values()))
        if (started.status === 'fulfilled') await started.value.stop()
    },
  }
}

/** Asks for what is offered, and waits until it has started. @throws Error that says why it does not start */
export async function askFor(address: string, path = ''): Promise<string> {
  const response = await fetch(`${address}/${path}`)
  const answer = await response.text()
  if (!response.ok) throw new Error(answer)
  return answer
}
