import { asks, honest, type Kind, LISTED } from '../parts.ts'
import { CLIENTS } from '../world/names.ts'

const PROBER_AGENT = CLIENTS[0]?.headers['user-agent']

/** Honest hosts that answer or fail in their own ways. */
export const HONEST_ANSWERS: readonly Kind[] = [
  honest('wildcard-paywall', 3, () => ({ phase: { isCatchAll: true }, knownFlags: ['unverifiable'] })),
  honest('validates-first', 3, () => ({ phase: { reply: 'input_needed' }, claim: LISTED })),
  honest('refuses-bots', 4, ({ index }) =>
    index % 2 === 0
      ? { phase: { reply: 'blocked' } }
      : { refuses: ({ headers }) => headers['user-agent'] === PROBER_AGENT },
  ),
  honest('uptime-95', 4, ({ index }) => ({
    phase: { faults: index % 2 === 0 ? { rate: 0.05 } : { downMinutes: 20, everyMinutes: 400 } },
  })),
  honest('day-of-errors', 3, ({ index, day, entry }) => {
    const fault = index % 3 === 2 ? { faults: { rate: 0.6 } } : {}
    const reply = index % 3 === 0 ? 'error' : index % 3 === 1 ? 'refused' : 'challenge'
    return {
      phases: [asks(0, [entry]), asks(day, [entry], { reply, ...fault }), asks(day + 1, [entry])],
      downtime: [{ fromDay: day, toDay: day + 1 }],
      knownFlags: ['flaky'],
    }
  }),
  honest('v2-only', 2, ({ index }) => ({
    wire: 'v2',
    ...(index % 4 === 0 && { hidesOutput: true, knownFlags: ['unverifiable'] }),
  })),
  honest('v1-only', 2, () => ({ wire: 'v1' })),
  honest('same-origin-redirect', 2, () => ({ phase: { movedTo: '/api/' } })),
  honest('renames-path', 2, ({ day, entry }) => ({
    phases: [asks(0, [entry]), asks(day, [entry], { movedTo: '/v2/api' })],
  })),
  honest('post-only', 4, ({ index }) => ({
    onlyPost: true,
    claim: index % 2 === 0 ? LISTED : { ...LISTED, method: 'POST' },
  })),
  // URLs that sellers state behind a proxy, a load balancer or a forgotten setting.
  honest('behind-proxy', 4, ({ index, host }) => {
    const urls = [`http://${host}/api`, '/api', `https://www.${host}/api`, 'http://localhost:3000/api']
    const resource = urls[index % 4] ?? ''
    return { phase: { resource }, knownFlags: index % 4 === 3 ? ['unverifiable'] : [] }
  }),
]
