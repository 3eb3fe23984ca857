import { type Auditor, NotPublicError, NotSoldError } from '../../../audit/createAuditor.ts'
import { isUnmeasured } from '../../../domain/facts/facts.ts'

/** Where a submitted endpoint stands. */
export type Submission =
  | { readonly state: 'waiting' }
  | { readonly state: 'probed' }
  /** Nothing was recorded. */
  | {
      readonly state: 'refused'
      readonly reason: NotSoldError['reason'] | 'not_public'
      readonly httpStatus: number | null
    }

/** Probes submitted endpoints, some at a time. */
export type Submissions = {
  /** Returns false if too many wait. */
  submit(endpoint: string): boolean
  /** Undefined if it was not submitted to this process lately. */
  find(endpoint: string): Submission | undefined
}

const AT_ONCE = 2
/** With two at a time and at most 45 seconds for each, the last one starts within five minutes. */
const MAX_WAITING = 12
const MAX_REMEMBERED = 1000
const DEADLINE_MS = 45_000

/** Creates the queue. It is kept in memory: what a restart loses can be submitted again. */
export function createSubmissions(look: Auditor['lookSubmitted']): Submissions {
  const found = new Map<string, Submission>()
  const queue: string[] = []
  let running = 0

  const note = (endpoint: string, submission: Submission) => {
    found.delete(endpoint)
    found.set(endpoint, submission)
    const [oldest] = found.keys()
    if (found.size > MAX_REMEMBERED && oldest !== undefined) found.delete(oldest)
  }
  const next = () => {
    const endpoint = running < AT_ONCE ? queue.shift() : undefined
    if (endpoint === undefined) return
    running++
    void probe(look, endpoint).then((submission) => {
      note(endpoint, submission)
      running--
      next()
    })
    next()
  }

  return {
    submit(endpoint) {
      if (found.get(endpoint)?.state === 'waiting') return true
      if (queue.length >= MAX_WAITING) return false
      note(endpoint, { state: 'waiting' })
      queue.push(endpoint)
      next()
      return true
    },
    find: (endpoint) => found.get(endpoint),
  }
}

async function probe(look: Auditor['lookSubmitted'], endpoint: string): Promise<Submission> {
  try {
    const { observations } = await look(endpoint, AbortSignal.timeout(DEADLINE_MS))
    if (!isUnmeasured(observations)) return { state: 'probed' }
    const [first] = observations
    return { state: 'refused', reason: first?.cause ?? 'own_fault', httpStatus: first?.httpStatus ?? null }
  } catch (error) {
    if (error instanceof NotPublicError) return { state: 'refused', reason: 'not_public', httpStatus: null }
    if (!(error instanceof NotSoldError)) return { state: 'refused', reason: 'own_fault', httpStatus: null }
    const { reason, httpStatus } = error
    return { state: 'refused', reason, httpStatus }
  }
}
