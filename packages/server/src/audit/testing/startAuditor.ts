import { record, T0, up } from '../../judge/testing/facts.ts'
import type { ProbeResult, ProbeTarget } from '../../lib/prober.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import { clockAt } from '../../testing/clockAt.ts'
import { countIds } from '../../testing/countIds.ts'
import { type AuditContext, createAuditContext } from '../auditContext.ts'
import { createAuditor } from '../createAuditor.ts'
import { NO_PARTS, QUIET } from './quiet.ts'

const CLIENTS = ['touchstone', 'agent', 'library']

/** Answers a probe; omitted fields are those of a successful one. */
type Answer = (target: ProbeTarget, client: string) => Partial<ProbeResult> & { payTo?: string }

/** Creates an auditor with a memory store, a manual clock and a scripted prober. */
export function startAuditor(documents: Record<string, string> = {}, random = () => 0.5) {
  let now = T0
  const asked: { url: string; method: string; client: string }[] = []
  const refreshed: string[] = []
  const chainDeadlines: (number | undefined)[] = []
  const limitsAsked: (number | undefined)[] = []
  const host = {
    answer: ((): Partial<ProbeResult> => ({})) as Answer,
    /** Answers a path that should not exist. */
    control: (() => ({
      outcome: 'not_measured',
      cause: 'input_needed',
      httpStatus: 404,
      offers: [],
    })) as Answer,
  }
  const clock = clockAt(() => now)
  const ids = countIds()
  const store = createMemoryStore()
  const prober = {
    clients: CLIENTS.length,
    async probe(target: ProbeTarget): Promise<ProbeResult> {
      const client = CLIENTS[target.client] ?? ''
      asked.push({ url: target.url, method: target.method, client })
      limitsAsked.push(target.deadlineMs)
      if (target.url.includes('no-such-path')) return result({ ...host.control(target, client), client })
      return result({ method: target.method, client, ...host.answer(target, client) })
    },
    document: async (url: string) => documents[new URL(url).pathname] ?? null,
    close: async () => {},
  }
  const audit: AuditContext = {
    ...createAuditContext(
      { ...QUIET, clock, ids, random, store },
      { ...NO_PARTS, prober, readDeclared: async () => [] },
    ),
    receivers: {
      refresh: async (_network, payTo, options) => {
        refreshed.push(payTo)
        chainDeadlines.push(options?.deadlineAt)
        await store.write('append', [record(now, { id: ids.newId('rcv'), address: payTo })])
      },
    },
  }
  const auditor = createAuditor(audit)
  const advance = (ms: number) => {
    now += ms
  }
  return {
    audit,
    auditor,
    store,
    asked,
    refreshed,
    chainDeadlines,
    limitsAsked,
    host,
    advance,
    now: () => now,
  }
}

function result(changes: ReturnType<Answer>): ProbeResult {
  const {
    kind: _kind,
    id: _id,
    at: _at,
    endpoint: _endpoint,
    host: _host,
    purpose: _purpose,
    ...rest
  } = up(T0, changes)
  return rest
}
