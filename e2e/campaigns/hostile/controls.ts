import { gzipSync } from 'node:zlib'
import { encodeBase64Json } from '@touchstone402/shared'
import { termOf } from '../../support/signingService.ts'
import { formControls } from './formControls.ts'
import { challenge, deliver } from './openSeller.ts'
import { ALONE, chargeOf } from './scenarios/protocols.ts'
import { at, BOTH, type Control, eachNew, V2 } from './situations.ts'
import { HONEST } from './world.ts'

const PREVIOUS = `0x${'12'.repeat(20)}`
/** One payment in two calls. Integrations that cannot send a payment again have no part. */
const RETRIED = { calls: 2, payments: 1, integrations: ['hooks'] } as const

/** Honest sellers that the guard must pay, since a guard that refuses everything would be useless. */
export const controls: readonly Control[] = [
  { name: 'a plain call' },
  { name: 'a new seller, without a service', alone: true },
  {
    name: 'ten calls of one seller in a row, without a service',
    alone: true,
    url: eachNew,
    calls: 10,
    lanes: V2,
  },
  {
    name: 'a price within three times the usual one, without a service',
    alone: true,
    terms: ({ payments }) => [payments < 3 ? {} : { amount: '10000' }],
    calls: 4,
    url: eachNew,
    lanes: V2,
  },
  { name: 'both versions in one challenge', lanes: BOTH },
  {
    name: 'a redirect within the origin',
    before: ({ path }, response) =>
      path === '/old' && Boolean(response.writeHead(308, { location: '/weather' }).end()),
    url: at('/old'),
  },
  {
    name: 'POST with a body',
    init: { method: 'POST', body: '{"city":"Oslo"}', headers: { 'content-type': 'application/json' } },
  },
  { name: 'a query', url: at('/weather?city=Oslo&units=metric') },
  {
    name: 'two networks on offer',
    terms: [{ network: 'eip155:137', asset: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359' }, {}],
  },
  { name: 'a resource with another path', resource: ({ origin }) => `${origin}/v2/weather/current` },
  {
    name: 'a resource with the scheme of the proxy in front',
    resource: ({ origin }) => `${origin.replace('http:', 'https:')}/weather`,
  },
  { name: 'a charge by MPP alone', ...ALONE, authenticate: () => chargeOf({}) },
  {
    name: 'a charge by MPP in its own header',
    ...ALONE,
    authenticate: () => chargeOf({ header: 'X-Credential' }),
  },
  {
    name: 'equal offers by x402 and MPP',
    authenticate: () => chargeOf({}),
    lanes: [{ client: 'mppx', wire: 'v2' }, ...V2],
    integrations: [],
  },
  { name: 'an L402 challenge beside x402', authenticate: () => 'L402 macaroon="AGI=", invoice="lnbc1"' },
  { name: 'a price below the highest one', verdict: { terms: [termOf(HONEST, '50000')] } },
  { name: 'the first payment to a cheap unknown endpoint', verdict: null },
  { name: 'a new receiver, for a cent', verdict: { receiverStability: 'new', probes: 1 } },
  {
    name: 'an expensive call that was checked',
    amount: '90000',
    verdict: { terms: [termOf(HONEST, '90000')] },
    price: 90_000n,
  },
  { name: 'ten calls in a row', calls: 10, lanes: V2 },
  { name: 'five concurrent calls', url: eachNew, calls: 5, atOnce: true },
  {
    name: 'a free page',
    before: (_, response) => Boolean(response.end('free')),
    verdict: null,
    calls: 1,
    price: 0n,
  },
  { name: 'an approved verdict of caution', verdict: { verdict: 'caution' }, ask: async () => true },
  {
    name: 'the service down after the first call',
    calls: 2,
    failsLater: (_, response) => response.writeHead(503).end(),
  },
  { name: 'a receiver in lower case', payTo: HONEST.toLowerCase() },
  { name: 'a host in upper case', url: ({ port }) => `HTTP://API.localhost:${port}/weather` },
  { name: 'a path with needless escapes', url: at('/%77eather') },
  {
    name: 'a long chunked response',
    onPaid(_, response) {
      for (let piece = 0; piece < 20; piece++) response.write('sunny '.repeat(2000))
      response.end()
    },
  },
  {
    name: 'an unreadable receipt',
    onPaid(_, response) {
      response.setHeader('PAYMENT-RESPONSE', 'hello')
      response.setHeader('X-PAYMENT-RESPONSE', encodeBase64Json({}))
      deliver(response, null)
    },
  },
  { name: 'five minutes to pay', maxTimeoutSeconds: 300 },
  {
    name: 'a server error that passes, and the retry',
    onPaid: ({ payments }, response) =>
      payments === 1 ? response.writeHead(503).end() : deliver(response, null),
    ...RETRIED,
  },
  {
    name: 'a connection that is lost once, and the retry',
    onPaid: ({ payments, request }, response) =>
      payments === 1 ? request.socket.destroy() : deliver(response, null),
    ...RETRIED,
  },
  {
    name: 'a facilitator that is slow once and asks again, and the retry',
    onPaid: (call, response) =>
      call.payments === 1 ? challenge({}, [{}], call, 'both', response) : deliver(response, null),
    ...RETRIED,
  },
  {
    name: 'a compressed answer',
    onPaid(_, response) {
      response.setHeader('content-encoding', 'gzip')
      response.end(gzipSync('{"weather":"sunny"}'))
    },
  },
  {
    name: 'a created resource with its content',
    onPaid: (_, response) => response.writeHead(201).end('{"id":1}'),
    init: { method: 'PUT', body: '{}' },
  },
  {
    name: 'an answer that takes its time',
    onPaid: (_, response) => void setTimeout(() => deliver(response, null), 300),
  },
  { name: 'a challenge without a resource', document: { resource: undefined } },
  {
    name: 'a relative resource',
    resource: () => '/weather',
    // The stock v1 client refuses to read it.
    lanes: [
      { client: '@x402/fetch', wire: 'v2' },
      { client: '@x402/fetch', wire: 'v1' },
    ],
  },
  {
    name: 'a network beside that no table knows',
    terms: [{ network: 'eip155:987654321', asset: HONEST }, {}],
  },
  {
    name: 'tiers of price for one resource',
    terms: [{ amount: '30000' }, {}, { amount: '20000' }],
    verdict: { terms: [termOf(HONEST, '30000')] },
  },
  {
    name: 'a receiver that was announced and replaced',
    verdict: { receiverStability: 'stable', terms: [termOf(HONEST, '10000'), termOf(PREVIOUS, '10000')] },
  },
  { name: 'a long query', url: ({ origin }) => `${origin}/weather?q=${'a'.repeat(4000)}` },
  { name: 'a task within its budget', taskUsd: '0.02', url: eachNew, calls: 2 },
  ...formControls,
]
