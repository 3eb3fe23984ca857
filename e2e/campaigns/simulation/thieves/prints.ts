import { bad, type Kind, stolen, type Wrong } from '../parts.ts'
import { CLIENTS } from '../world/names.ts'
import type { SellerRequest } from '../world/types.ts'

type Headers = SellerRequest['headers']

const CLOAKED: Wrong = {
  verdict: 'avoid',
  flags: ['cloaked', 'payto_changed', 'payto_rotates', 'receiver_alternates'],
  visibleFromDay: 'seen',
}

/** Names by which 1.2.0 asked. */
const KNOWN_AGENTS = [/^Touchstone/, /^node$/, /^python-httpx/]

const printOf = (headers: Headers) => JSON.stringify(Object.entries(headers))
const KNOWN_PRINTS = new Set(CLIENTS.map(({ headers }) => printOf(headers)))

/** Ways to recognize the prober. */
const RECOGNIZED: Readonly<Record<string, (headers: Headers) => boolean>> = {
  agents: (headers) => KNOWN_AGENTS.some((name) => name.test(headers['user-agent'] ?? '')),
  // Most stock clients name themselves first.
  order: (headers) => Object.keys(headers)[0] !== 'user-agent',
  // A client over TLS takes Brotli, as Node's fetch does, or nothing, as curl does.
  encodings: (headers) => ['gzip, deflate', 'gzip, deflate, br'].includes(headers['accept-encoding'] ?? ''),
  // Every identity of the prober, header by header. Buyers that ask with the same client are spared too.
  everything: (headers) => KNOWN_PRINTS.has(printOf(headers)),
}

/** Hosts that show their thief's receiver to those who do not look like the prober. */
export const PRINTS: readonly Kind[] = Object.entries(RECOGNIZED).map(([name, isProber]) =>
  bad(`fingerprints-${name}`, 3, ({ index, day, host, entry }) => ({
    from: index % 2 === 0 ? 0 : day,
    change: { shown: { to: ({ headers }) => !isProber(headers), entries: [stolen(host, entry)] } },
    wrong: CLOAKED,
  })),
)
