import { walletAt } from '@touchstone402/economy'
import type { Offer, Reply, Script } from '../support/scriptedHosts.ts'
import { offerOf } from '../support/seller.ts'

/** Hours at which the attackers act: the hijack, the escape from its record, and the second offer. */
export const [HIJACK, ESCAPE, SECOND] = [3, 20, 72]
/** Hour at which 145 subdomains and five honest sellers open. */
export const FARM_OPENS = 76
/** Number of subdomains. */
export const FARM = 145

export const RIVAL = walletAt(290).address
export const THIEF = walletAt(291).address
const OTHER_THIEF = walletAt(292).address

const CENT = '10000'
const receiverOf = (index: number) => walletAt(160 + index).address
const POLYGON_USDC = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'

/** An offer in USDC on Polygon. */
const onPolygon = (payTo: string): Offer => ({
  ...offerOf(payTo, CENT),
  network: 'eip155:137',
  asset: POLYGON_USDC,
})
const NOT_FOUND: Reply = { status: 404, body: '{}' }

/** Creates a seller that asks for a cent. */
const honest = (index: number, more: Partial<Script> = {}): Script => ({
  reply: ({ path }) => (path === '/api' ? [offerOf(receiverOf(index), CENT)] : NOT_FOUND),
  ...more,
})

/** A document of the seller that declares its endpoint. */
const declaring = (index: number, path = '/api') => ({
  resources: [{ path, method: 'GET', accepts: [offerOf(receiverOf(index), CENT)] }],
})

let asked = 0
/** Dear at two of five requests, in an order in which any few probes show both. */
const isDear = () => [1, 4].includes((3 * asked++) % 5)

/** Sellers that attack, and sellers that are attacked. */
export const ATTACKS: Readonly<Record<string, Script>> = {
  random: {
    reply: () => [offerOf(receiverOf(0), isDear() ? '500000' : '1000')],
  },
  second: {
    reply: ({ hours }) => {
      const own = offerOf(receiverOf(1), CENT)
      return hours < SECOND ? [own] : [onPolygon(RIVAL), own]
    },
  },
  thief: {
    reply: ({ path, hours }) => {
      if (path !== (hours < ESCAPE ? '/api' : '/v2/api')) return NOT_FOUND
      return [offerOf(hours < HIJACK ? receiverOf(2) : THIEF, CENT)]
    },
    listed: (hours) => [{ path: '/api' }, ...(hours < ESCAPE ? [] : [{ path: '/v2/api' }])],
  },
  optout: {
    reply: ({ path, hours }) =>
      path === '/api' ? [offerOf(hours < HIJACK ? receiverOf(3) : OTHER_THIEF, CENT)] : NOT_FOUND,
    wellKnown: (hours) => (hours < ESCAPE ? undefined : { probes: false }),
  },
  // Listed by a rival alone: at another price, to another receiver.
  victim: honest(4, { listed: () => [{ path: '/api', accepts: [offerOf(RIVAL, '100')] }] }),
  // Listed by a rival with a method and a body that it refuses.
  'victim-of-input': {
    reply: ({ method, path, body }) => {
      if (path !== '/api') return NOT_FOUND
      if (method !== 'GET') return { status: 405, headers: { allow: 'GET' }, body: '{}' }
      return body === '' ? [offerOf(receiverOf(5), CENT)] : { status: 400, body: '{}' }
    },
    listed: () => [
      {
        path: '/api',
        input: { type: 'http', method: 'DELETE', bodyType: 'json', body: { everything: true } },
      },
    ],
  },
  // A stranger lists an order beside what the seller declares.
  lure: {
    reply: ({ path }) =>
      path === '/api' || path === '/order'
        ? [offerOf(receiverOf(6), path === '/api' ? '20000' : '1000')]
        : NOT_FOUND,
    wellKnown: () => ({
      resources: [{ path: '/api?q=today', method: 'GET', accepts: [offerOf(receiverOf(6), '20000')] }],
    }),
    listed: () => [
      { path: '/api', input: { type: 'http', method: 'GET', queryParams: { account: 'stranger' } } },
      { path: '/order', input: { type: 'http', method: 'POST', bodyType: 'json', body: { item: 100 } } },
    ],
  },
}

/** Opens sellers from an hour on. */
const later = (script: Script): Script => ({
  ...script,
  listed: (hours) => (hours < FARM_OPENS ? [] : [{ path: '/api' }]),
})

/** 145 subdomains of one domain, and five honest sellers, which open at the same time. */
export const FARM_AND_OTHERS: Readonly<Record<string, Script>> = Object.fromEntries([
  ...Array.from({ length: FARM }, (_, index) => [
    `s${index}.farm`,
    later(honest(20, { wellKnown: () => declaring(20) })),
  ]),
  ...[0, 1, 2, 3, 4].map((index) => [
    `late-${index}`,
    later(honest(10 + index, { wellKnown: () => declaring(10 + index) })),
  ]),
])

export { CENT, declaring, honest, NOT_FOUND, onPolygon, receiverOf }
