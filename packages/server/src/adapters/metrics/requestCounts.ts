/** Requests by route, method, class of status and whether the answer lay ready. */
export type RequestCounts = {
  /** @param status null where the client left before the answer */
  count(route: string, method: string, status: number | null, fromMemory: boolean): void
  list(): Iterable<{ labels: Record<'route' | 'method' | 'status' | 'memory', string>; count: number }>
}

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']
// By the first digit of the status.
const CLASSES = ['aborted', '1xx', '2xx', '3xx', '4xx', '5xx']
const MEMORY = ['false', 'true']

/**
 * Creates them. They are plain numbers, made into series when somebody asks: to look a series up by its labels costs
 * more than an answer from memory.
 */
export function createRequestCounts(): RequestCounts {
  const byRoute = new Map<string, number[]>()
  return {
    count(route, method, status, fromMemory) {
      let counts = byRoute.get(route)
      if (counts === undefined) {
        counts = Array<number>((METHODS.length + 1) * CLASSES.length * MEMORY.length).fill(0)
        byRoute.set(route, counts)
      }
      const known = METHODS.indexOf(method)
      const verb = known < 0 ? METHODS.length : known
      const outcome = status === null ? 0 : Math.min(5, Math.max(1, Math.floor(status / 100)))
      const place = (verb * CLASSES.length + outcome) * MEMORY.length + (fromMemory ? 1 : 0)
      counts[place] = (counts[place] ?? 0) + 1
    },
    *list() {
      for (const [route, counts] of byRoute) {
        for (const [place, count] of counts.entries()) {
          if (count === 0) continue
          const outcome = Math.floor(place / MEMORY.length)
          const labels = {
            route,
            method: METHODS[Math.floor(outcome / CLASSES.length)] ?? 'other',
            status: CLASSES[outcome % CLASSES.length] ?? '',
            memory: MEMORY[place % MEMORY.length] ?? '',
          }
          yield { labels, count }
        }
      }
    },
  }
}
