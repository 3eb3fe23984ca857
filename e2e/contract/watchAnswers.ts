import type { Checker, Received } from './createChecker.ts'

/** Sends calls and collects the violations in their responses. */
export type Watch = {
  /** A fetch for stock clients that checks each response as an operation's. */
  fetch: typeof fetch
  /** Counts a response that belongs to no operation, with its violations. */
  note(what: string, faults: readonly string[]): void
  readonly answers: number
  readonly violations: readonly string[]
  /** Number of responses by status. */
  readonly statuses: Readonly<Record<string, number>>
}

/** Creates a fetch that checks every response. */
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
      // Each call uses another client address, to stay below the rate limit.
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
