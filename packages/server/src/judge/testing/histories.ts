import type { Observation } from '../../facts/facts.ts'
import { A, B, C, down, offer, POLYGON, POLYGON_USDC, T0, unmeasured, up } from './facts.ts'

const CLIENTS = ['touchstone', 'agent', 'library'] as const
const RECEIVERS = [A, B, C] as const
const AMOUNTS = ['10000', '10900', '12500', '20000', '500000', '0'] as const

/** How a seller behaves for some probes in a row. */
export const KINDS = [
  'steady',
  'swap',
  'price',
  'rotates',
  'dynamic',
  'cloaks',
  'cloaksPrice',
  'down',
  'invalid',
  'flaps',
  'refuses',
  'gone',
  'faults',
  'networks',
  'odd',
] as const

/** Some probes in a row of a seller that behaves in one way. */
export type Phase = {
  readonly kind: (typeof KINDS)[number]
  readonly observations: number
  readonly everyMs: number
  readonly pauseMs: number
  readonly purpose: Observation['purpose'] | 'mixed'
  readonly order: 'inTurn' | 'one' | 'random'
  /** Chooses clients, receivers and prices. */
  readonly seed: number
}

/** Expands phases into probes of one endpoint, oldest first. */
export function toObservations(phases: readonly Phase[]): Observation[] {
  const observations: Observation[] = []
  let at = T0
  let terms = { payTo: A as string, amount: '10000' as string }
  for (const { kind, observations: count, everyMs, pauseMs, purpose, order, seed } of phases) {
    const random = (n: number, salt: number) =>
      Math.floor(((seed * 9301 + salt * 49297 + 233280 * (salt % 7)) % 10007) % n)
    if (kind === 'swap') terms = { ...terms, payTo: RECEIVERS[random(3, 1)] ?? A }
    if (kind === 'price') terms = { ...terms, amount: AMOUNTS[random(6, 2)] ?? '10000' }
    for (let index = 0; index < count; index++) {
      at += index === 0 ? pauseMs : everyMs + random(3, index)
      const place = order === 'one' ? random(3, 3) : order === 'inTurn' ? index % 3 : random(3, index)
      const client = CLIENTS[place] ?? 'agent'
      const named = ['scheduled', 'confirm', 'live'] as const
      const chosen = purpose === 'mixed' ? (named[random(3, index + 5)] ?? 'live') : purpose
      const id = `o${observations.length + 1}`
      const more = { id, client, purpose: chosen, request: `r${random(2, 9)}`, latencyMs: random(300, index) }
      observations.push(observationOf(kind, at, { ...terms, ...more }, index, place, random))
    }
  }
  return observations
}

type Given = Partial<Observation> & { readonly payTo: string; readonly amount: string }

function observationOf(
  kind: Phase['kind'],
  at: number,
  given: Given,
  index: number,
  place: number,
  random: (n: number, salt: number) => number,
): Observation {
  const { payTo, amount, ...more } = given
  switch (kind) {
    case 'rotates':
      return up(at, { ...given, payTo: RECEIVERS[random(3, index + 1)] ?? A })
    case 'dynamic':
      return up(at, { ...given, amount: `${10_000 + 137 * random(60, index)}` })
    case 'cloaks':
      return up(at, place === 0 ? { ...given, payTo: payTo === B ? C : B } : given)
    case 'cloaksPrice':
      return up(at, place === 0 ? { ...given, amount: '50000' } : given)
    case 'down':
      return down(at, more)
    case 'invalid':
      return down(at, {
        ...more,
        cause: 'challenge_malformed',
        httpStatus: 402,
        problems: ['payto_malformed'],
      })
    case 'flaps':
      return random(3, index) === 0
        ? down(at, { ...more, cause: 'http_error', httpStatus: 500 })
        : up(at, given)
    case 'refuses':
      return unmeasured(at, {
        ...more,
        cause: index % 2 === 0 ? 'blocked' : 'unsupported',
        problems: ['network_unknown'],
      })
    case 'gone':
      return unmeasured(at, {
        ...more,
        cause: 'input_needed',
        httpStatus: [404, 400, 405][random(3, index)] ?? 404,
        ...(random(2, index + 3) === 0 && { reread: true as const }),
      })
    case 'faults':
      return unmeasured(at, { ...more, cause: 'own_fault', httpStatus: null })
    case 'networks':
      return up(at, {
        ...more,
        offers: [
          offer({ payTo, amountAtomic: amount }),
          offer({ network: POLYGON, asset: POLYGON_USDC, payTo: RECEIVERS[random(3, 4)] ?? A }),
        ],
      })
    case 'odd':
      return up(at, {
        ...given,
        declaresOutput: random(2, index) === 0,
        disagreements:
          random(3, index) === 0
            ? [{ field: 'amount', network: 'n', asset: 'a', scheme: 's', values: ['1', '2'] }]
            : [],
        resourceOrigin: [null, 'https://www.api.example', 'https://bank.example'][random(3, index)] ?? null,
        ...(random(3, index) === 2 && {
          resourceAsked: { at, leadsHere: random(2, index + 1) === 0 },
          resourceUrl: 'https://bank.example/x',
        }),
      })
    default:
      return up(at, given)
  }
}
