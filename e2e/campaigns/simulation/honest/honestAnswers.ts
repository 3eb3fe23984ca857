import { CLIENTS } from '../names.ts'
import { asks, baseEntry, type HonestKind, honest, LISTED, type Maker, nameOf } from './honestParts.ts'

const PROBER_AGENT = CLIENTS[0]?.headers['user-agent']

const dayOfErrors: Maker = (index, day) => {
  const entry = baseEntry('day-of-errors', index)
  const fault = index % 3 === 2 ? { faults: { rate: 0.6 } } : {}
  const reply = index % 3 === 0 ? 'error' : index % 3 === 1 ? 'refused' : 'challenge'
  return honest('day-of-errors', index, {
    phases: [asks(0, [entry]), asks(day, [entry], { reply, ...fault }), asks(day + 1, [entry])],
    downtime: [{ fromDay: day, toDay: day + 1 }],
    knownFlags: ['flaky'],
  })
}

/** URLs that sellers state behind a proxy, a load balancer or a forgotten setting. */
const behindProxy: Maker = (index) => {
  const host = nameOf('behind-proxy', index)
  const resource = [`http://${host}/api`, '/api', `https://www.${host}/api`, 'http://localhost:3000/api'][
    index % 4
  ]
  return honest('behind-proxy', index, {
    phase: resource === undefined ? {} : { resource },
    knownFlags: index % 4 === 3 ? ['unverifiable'] : [],
  })
}

/** Honest hosts that answer or fail in their own ways. */
export const HONEST_ANSWERS: readonly HonestKind[] = [
  {
    kind: 'wildcard-paywall',
    count: 8,
    make: (index) =>
      honest('wildcard-paywall', index, { phase: { isCatchAll: true }, knownFlags: ['unverifiable'] }),
  },
  {
    kind: 'validates-first',
    count: 8,
    make: (index) => honest('validates-first', index, { phase: { reply: 'input_needed' }, claim: LISTED }),
  },
  {
    kind: 'refuses-bots',
    count: 8,
    make: (index) =>
      index % 2 === 0
        ? honest('refuses-bots', index, { phase: { reply: 'blocked' } })
        : honest('refuses-bots', index, { refuses: ({ headers }) => headers['user-agent'] === PROBER_AGENT }),
  },
  {
    kind: 'uptime-95',
    count: 8,
    make: (index) =>
      honest('uptime-95', index, {
        phase: { faults: index % 2 === 0 ? { rate: 0.05 } : { downMinutes: 20, everyMinutes: 400 } },
      }),
  },
  { kind: 'day-of-errors', count: 6, make: dayOfErrors },
  {
    kind: 'v2-only',
    count: 8,
    make: (index) =>
      honest('v2-only', index, {
        wire: 'v2',
        ...(index % 4 === 0 && { hidesOutput: true, knownFlags: ['unverifiable'] }),
      }),
  },
  { kind: 'v1-only', count: 8, make: (index) => honest('v1-only', index, { wire: 'v1' }) },
  {
    kind: 'same-origin-redirect',
    count: 8,
    make: (index) => honest('same-origin-redirect', index, { phase: { movedTo: '/api/' } }),
  },
  {
    kind: 'renames-path',
    count: 8,
    make: (index, day) => {
      const entry = baseEntry('renames-path', index)
      return honest('renames-path', index, {
        phases: [asks(0, [entry]), asks(day, [entry], { movedTo: '/v2/api' })],
      })
    },
  },
  {
    kind: 'post-only',
    count: 8,
    make: (index) =>
      honest('post-only', index, {
        onlyPost: true,
        claim: index % 2 === 0 ? LISTED : { ...LISTED, method: 'POST' },
      }),
  },
  { kind: 'behind-proxy', count: 8, make: behindProxy },
]
