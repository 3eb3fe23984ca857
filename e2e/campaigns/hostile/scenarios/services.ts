import { generateKeyPairSync } from 'node:crypto'
import type { SignedDecision } from '@touchstone402/shared'
import { type ServiceFault, type Signing, termOf } from '../../../support/signingService.ts'
import { attack, type Scenario } from '../situations.ts'
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
  code: Scenario['code'] = 'VERDICT_UNAVAILABLE',
) =>
  attack(category)(
    `Behind a paywall without a valid verdict, the verdict service answers with ${answer}.`,
    code,
    { payTo: THIEF, amount: '90000', service },
  )
/** Answers with a changed, signed verdict. */
const lying = (answer: string, change: Partial<SignedDecision>, by?: Signing) =>
  failing(answer, (_, response, endpoint, service) =>
    response.end(JSON.stringify(service.answer(endpoint, { ...LIE, ...change }, by))),
  )

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
  lying('safe, signed with a foreign key', {}, { key: STRANGER }),
  lying(
    'safe, signed with a foreign key without a key id',
    {},
    { key: STRANGER, header: { kid: undefined } },
  ),
  lying('safe, with no algorithm', {}, { header: { alg: 'none' } }),
  lying('safe, signed as something else', {}, { header: { typ: 'JWT' } }),
  lying('safe, by another issuer', { iss: 'https://other.example' }),
  failing('an old verdict of safe that is over', (_, response, endpoint, service) => {
    const expiresAt = new Date(Date.now() - 1000).toISOString()
    response.end(JSON.stringify(service.answer(endpoint, { ...LIE, expiresAt })))
  }),
  failing(
    'safe around a signature that is not',
    (_, response, endpoint, service) => {
      const { signature } = service.answer(endpoint, { verdict: 'avoid' })
      response.end(JSON.stringify({ ...service.answer(endpoint, LIE), signature }))
    },
    'ghost_paywall',
    'VERDICT_AVOID',
  ),
]
