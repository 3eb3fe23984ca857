import type { Checker, Received } from './createChecker.ts'

/** Sends calls and keeps what was wrong with their answers. */
export type Watch = {
  /** A fetch for stock clients; each of its answers is checked as an operation's. */
  fetch: typeof fetch
  /** Counts an answer that is no operation's, with what is wrong with it. */
  note(what: string, faults: readonly string[]): void
  readonly answers: number
  readonly violations: readonly string[]
  /** How often each status came. */
  readonly statuses: Readonly<Record<string, number>>
}

/** Makes the one way to the service through which every answer is checked. */
export function watchAnswers(check: Checker): Watch {
  const violations: string[] = []
  const statuses: Record<string, number> = {}
  let answers = 0
  let client = 0
  const note = (what: string, faults: readonly string[]) => {
    answers += 1
    violations.push(...faults.map((fault) => `${what}: ${fault}`))
  }
  return {
    async fetch(input, init) {
      const request = new Request(input, init)
      // Each call comes from a client of its own, or the limit on calls would answer most of them.
      if (!request.headers.has('x-forwarded-for')) {
        client += 1
        request.headers.set('x-forwarded-for', `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`)
      }
      const response = await fetch(request, { redirect: 'manual' })
      const { pathname, search } = new URL(request.url)
      const received: Received = {
        method: request.method,
        path: pathname,
        status: response.status,
        headers: response.headers,
        body: await response.clone().text(),
      }
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      note(`${request.method} ${pathname}${search.slice(0, 200)} ${response.status}`, check(received))
      return response
    },
    note,
    get answers() {
      return answers
    },
    violations,
    statuses,
  }
}
