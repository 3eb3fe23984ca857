import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent } from 'undici'

const isLocalName = (name: string) => /(^|\.)localhost\.?$/i.test(name)

/**
 * Resolves `localhost` and its subdomains to 127.0.0.1 as RFC 6761 requires (plain Debian does not), and other names
 * with the system's resolver.
 */
export const lookup: LookupFunction = (hostname, options, callback) => {
  if (!isLocalName(hostname)) {
    dns.lookup(hostname, options, callback)
    return
  }
  process.nextTick(() => {
    if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }])
    else callback(null, '127.0.0.1', 4)
  })
}

/** Creates a fetch that resolves the economy's names, and a function that closes its connections. */
export function createFetch(): { fetch: typeof fetch; close(): Promise<void> } {
  const dispatcher = new Agent({ connect: { lookup } })
  return {
    // The global fetch, since undici's own rejects a global Request.
    fetch: (input, init) => {
      const withDispatcher: RequestInit & { dispatcher: unknown } = { ...init, dispatcher }
      return globalThis.fetch(input, withDispatcher)
    },
    close: () => dispatcher.destroy(),
  }
}
