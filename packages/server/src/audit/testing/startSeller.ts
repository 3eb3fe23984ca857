import type { IncomingMessage, ServerResponse } from 'node:http'
import { encodeBase64Json } from '@touchstone402/shared'
import type { Chain } from '@touchstone402/transfers'
import { createHostDocuments, readHostRows } from '../../directories/createHostDocuments.ts'
import { readHostPage } from '../../directories/hostPage.ts'
import type { Unread } from '../../facts/facts.ts'
import { T0 } from '../../judge/testing/facts.ts'
import type { Prober } from '../../lib/prober.ts'
import { challengeV2, serve, start } from '../../probe/testing/harness.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { clockAt } from '../../testing/clockAt.ts'
import { countIds } from '../../testing/countIds.ts'
import { type AuditContext, createAuditContext } from '../auditContext.ts'
import { createAuditor } from '../createAuditor.ts'
import type { ContractReader } from '../isSignedBy.ts'
import { NO_PARTS, QUIET } from './quiet.ts'

/** A route of a seller. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/** Returns the challenge for the requested URL. */
export const challengeFor = ({ headers, url }: IncomingMessage) => ({
  ...challengeV2(),
  resource: { url: `http://${headers.host}${url}` },
})
/** Answers with a challenge. */
export const pay: Handler = (request, response) =>
  response.writeHead(402, { 'payment-required': encodeBase64Json(challengeFor(request)) }).end('{}')
/** Creates a route that answers with a status. */
export const answer =
  (status: number): Handler =>
  (_request, response) =>
    response.writeHead(status).end()

const BLOCK = { number: 0, hash: '0x', time: 0 } as const

/** A chain on which nothing was ever paid. */
const NO_PAYMENTS: Pick<Chain, 'blockAtOrBefore' | 'blockTimes' | 'payments'> = {
  blockAtOrBefore: async () => BLOCK,
  blockTimes: async () => new Map(),
  payments: async () => [],
}

/** Starts a seller with one route, and an auditor with a real prober and a clock that can be advanced. */
export async function startSeller(contracts: ContractReader | null = null) {
  const seller = {
    quote: pay,
    elsewhere: answer(404),
    openApi: '',
    wellKnown: '',
    robots: '',
    asked: [] as string[],
    /** Why its documents cannot be parsed; null if they can. */
    unread: null as Unread | null,
    /** Whether documents cannot be fetched, by a fault of ours. */
    isOutOfReach: false,
  }
  const port = await serve((request, response) => {
    const url = request.url ?? ''
    if (url.startsWith('/quote')) {
      seller.asked.push(`${request.method} ${url}`)
      return seller.quote(request, response)
    }
    if (url === '/openapi.json' && seller.openApi !== '') return response.end(seller.openApi)
    if (url === '/robots.txt' && seller.robots !== '') return response.end(seller.robots)
    if (url === '/.well-known/x402' && seller.wellKnown !== '') return response.end(seller.wellKnown)
    return seller.elsewhere(request, response)
  })
  const endpoint = `http://shop.test:${port}/quote`
  const host = `shop.test:${port}`
  let now = T0
  const clock = clockAt(() => now)
  const ids = countIds()
  const store = createMemoryStore()
  const reach = start([port])
  const prober: Prober = {
    ...reach,
    async document(url, signal, onOwnFault, maxBytes) {
      if (!seller.isOutOfReach) return reach.document(url, signal, onOwnFault, maxBytes)
      onOwnFault?.('own_fault')
      return null
    },
  }
  const hostDocuments = createHostDocuments({
    parse: async (texts) => seller.unread ?? readHostPage(texts),
    now: clock.now,
  })
  const audit: AuditContext = {
    ...createAuditContext(
      { ...QUIET, clock, ids, random: () => 0.5, store },
      {
        ...NO_PARTS,
        prober,
        readDeclared: (_, origin) => readHostRows(hostDocuments, prober, origin),
      },
    ),
    chain: contracts && { ...NO_PAYMENTS, ...contracts },
    receivers: { refresh: async () => {} },
  }
  const auditor = createAuditor(audit)
  /** Forgets which policies were read, as a restart does. */
  const restart = () => audit.policies.clear()
  const probe = async (afterMs: number) => {
    now += afterMs
    return (await auditor.probe(endpoint)).state
  }
  const readDeclared = (origin: string) => readHostRows(hostDocuments, prober, origin, 0)
  return {
    seller,
    endpoint,
    host,
    port,
    store,
    auditor,
    clock,
    probe,
    restart,
    now: () => now,
    ids,
    readDeclared,
  }
}
