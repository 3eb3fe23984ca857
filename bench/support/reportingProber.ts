import { setTimeout as sleep } from 'node:timers/promises'
import { NO_CHALLENGE, type ProbeResult, type Prober } from '@touchstone402/server/testing'
import { answerOf, CLIENTS, isChangedAt, numberOf } from '../../e2e/support/history.ts'

/** Creates a prober whose sellers answer in the time that it reports, without a network. */
export function createProber(now: () => number): Prober {
  let asked = 0
  return {
    clients: CLIENTS.length,
    async probe({ url, client }): Promise<ProbeResult> {
      const endpoint = numberOf(url)
      const name = CLIENTS[client] ?? 'crawler'
      // A path that should not exist.
      const answer = Number.isNaN(endpoint)
        ? notFound(name)
        : { ...answerOf(endpoint, asked++, isChangedAt(endpoint, now(), now())), client: name }
      await sleep(answer.latencyMs ?? 0)
      return answer
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
