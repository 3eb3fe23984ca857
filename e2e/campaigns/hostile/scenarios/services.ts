import { generateKeyPairSync } from 'node:crypto'
import type { SignedDecision } from '@touchstone402/shared'
import { type ServiceFault, termOf } from '../../../support/signingService.ts'
import type { Scenario } from '../types.ts'
import { THIEF } from '../world.ts'

const { privateKey: STRANGER } = generateKeyPairSync('ed25519')
const LIE: Partial<SignedDecision> = {
  verdict: 'safe',
  score: 99,
  receiverStability: 'stable',
  probes: 99,
  terms: [termOf(THIEF, '90000')],
}

const failing = (
  answer: string,
  service: ServiceFault,
  category: Scenario['category'] = 'ghost_paywall',
): Scenario => ({
  category,
  name: `Behind a paywall without a valid verdict, the verdict service answers with ${answer}.`,
  seller: { terms: [{ payTo: THIEF, amount: '90000' }] },
  service,
  code: 'VERDICT_UNAVAILABLE',
})

/** The service is down, or a man in the middle forges verdicts for the thief. */
export const services: readonly Scenario[] = [
  failing('nothing, being down', ({ socket }) => socket.destroy()),
  failing('an error', (_, response) => response.writeHead(500).end()),
  failing('silence', () => {}),
  failing('a page', (_, response) => response.end('<html>safe</html>')),
  failing('an empty object', (_, response) => response.end('{}')),
  failing(
    'safe, for another endpoint',
    (_, response, endpoint, service) =>
      response.end(JSON.stringify(service.answer(`${endpoint}/other`, LIE))),
    'replay',
  ),
  failing('safe, without a signature', (_, response, endpoint, service) =>
    response.end(JSON.stringify({ ...service.answer(endpoint, LIE), signature: undefined })),
  ),
  failing('safe, signed with a foreign key', (_, response, endpoint, service) =>
    response.end(JSON.stringify(service.answer(endpoint, LIE, { key: STRANGER }))),
  ),
  failing('safe, signed with a foreign key without a key id', (_, response, endpoint, service) =>
    response.end(
      JSON.stringify(service.answer(endpoint, LIE, { key: STRANGER, header: { kid: undefined } })),
    ),
  ),
  failing('safe, with no algorithm', (_, response, endpoint, service) =>
    response.end(JSON.stringify(service.answer(endpoint, LIE, { header: { alg: 'none' } }))),
  ),
  failing('safe, signed as something else', (_, response, endpoint, service) =>
    response.end(JSON.stringify(service.answer(endpoint, LIE, { header: { typ: 'JWT' } }))),
  ),
  failing('safe, by another issuer', (_, response, endpoint, service) =>
    response.end(JSON.stringify(service.answer(endpoint, { ...LIE, iss: 'https://other.example' }))),
  ),
  failing('an old verdict of safe that is over', (_, response, endpoint, service) =>
    response.end(
      JSON.stringify(
        service.answer(endpoint, { ...LIE, expiresAt: new Date(Date.now() - 1000).toISOString() }),
      ),
    ),
  ),
  {
    ...failing('safe around a signature that is not', (_, response, endpoint, service) => {
      const { signature } = service.answer(endpoint, { verdict: 'avoid' })
      response.end(JSON.stringify({ ...service.answer(endpoint, LIE), signature }))
    }),
    code: 'VERDICT_AVOID',
  },
]
