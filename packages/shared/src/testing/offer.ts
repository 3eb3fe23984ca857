import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Something that test files share: the text that they get, such as its URL, and a function that ends it. */
export type Offered = { readonly answer: string; stop(): Promise<unknown> }

/**
 * Serves an HTTP address at which test files ask for what they share. The first request for a path starts what it names, so
 * files that do not need it do not wait. It runs in the calling process, since a child of a worker may outlive the worker.
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
