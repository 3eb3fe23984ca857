import { setTimeout as sleep } from 'node:timers/promises'
import { NO_CHALLENGE, type ProbeResult, type Prober } from '@touchstone402/server/parts'
import { answerOf, CLIENTS, isChangedAt, numberOf } from './history.ts'

/** Creates a prober whose sellers answer at once, so that only our own work is measured. */
export function createProber(now: () => number): Prober {
  let asked = 0
  return {
    clients: CLIENTS.length,
    async probe({ url, client }): Promise<ProbeResult> {
      await sleep(1)
      const endpoint = numberOf(url)
      const name = CLIENTS[client] ?? 'crawler'
      // A path that should not exist.
      if (Number.isNaN(endpoint)) return notFound(name)
      return { ...answerOf(endpoint, asked++, isChangedAt(endpoint, now(), now())), client: name }
    },
    document: async () => null,
    close: async () => {},
  }
}

function notFound(client: string): ProbeResult {
  return {
    client,
    method: 'GET',
    outcome: 'not_measured',
    cause: 'not_found',
    httpStatus: 404,
    latencyMs: 20,
    ...NO_CHALLENGE,
  }
}
