import type { Fact, Observation } from '../domain/facts/facts.ts'
import type { EndpointState } from '../domain/facts/hostDocument.ts'
import type { Judgement } from '../domain/judge/judge.ts'
import type { HostFacts, Store } from '../ports/store.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'
import { createClientChoice } from './chooseClient.ts'
import { createTurns } from './createTurns.ts'
import { judgeFacts, readRecords } from './judgeFacts.ts'
import { type Findings, type LookDeps, makeLiveLooks, makeScheduledLooks } from './makeLooks.ts'

export type AuditorDeps = Omit<LookDeps, 'clients'> & {
  readonly store: Store
  readonly readModel: ReadModel
  /** 0 to 1. */
  readonly random: () => number
}

/** What a look found, and what follows from it. */
export type Look = { readonly state: EndpointState; readonly observations: readonly Observation[] }

/** Looks at endpoints and judges them; one host at a time, so that no host is ever asked twice at once. */
export type Auditor = {
  /** One scheduled look: as one identity, repeated at once where the terms are others than before. */
  look(endpoint: string): Promise<Look>
  /**
   * A thorough look now: every identity, a control request, and the receiver read from chain.
   * @throws NotPublicError where the host may not be dialled; nothing is recorded then.
   */
  lookLive(endpoint: string, signal?: AbortSignal): Promise<Look>
  /** Judges what is already known. */
  judge(endpoint: string): Promise<EndpointState>
}

/** The endpoint's host has an address that is not public, or a port that is not open to probes. */
export class NotPublicError extends Error {
  override readonly name = 'NotPublicError'
}

/** Makes the auditor. */
export function createAuditor(deps: AuditorDeps): Auditor {
  const { store, readModel } = deps
  const look = { ...deps, clients: createClientChoice(deps.prober.clients, deps.random) }
  const queues = new Map<string, Promise<unknown>>()
  const takeTurn = createTurns()
  const inTurn = <T>(endpoint: string, work: (host: string) => Promise<T>): Promise<T> => {
    const host = new URL(endpoint).host
    const turn = (queues.get(host) ?? Promise.resolve()).then(() => work(host))
    const settled = turn.catch(() => undefined)
    queues.set(host, settled)
    void settled.then(() => {
      if (queues.get(host) === settled) queues.delete(host)
    })
    return turn
  }
  const stateOf = (host: string, endpoint: string) =>
    readModel.host(host)?.endpoints.find((known) => known.endpoint === endpoint)
  const conclude = async (endpoint: string, { observations, announcements }: Findings): Promise<Look> => {
    if (observations.length > 0) await store.append([...observations, ...announcements])
    await takeTurn()
    return { observations, state: await judgeAndPublish(deps, endpoint) }
  }
  return {
    look: (endpoint) =>
      inTurn(endpoint, async (host) => {
        await takeTurn()
        const facts = await store.hostFacts(host)
        return conclude(endpoint, await makeScheduledLooks(look, endpoint, facts, stateOf(host, endpoint)))
      }),
    lookLive: (endpoint, signal) =>
      inTurn(endpoint, async (host) => {
        const facts = await store.hostFacts(host)
        // What may not be dialled leaves no trace: anybody could fill the store with such names.
        const check = ({ cause }: Observation) => {
          if (cause === 'address_refused') throw new NotPublicError(host)
        }
        return conclude(endpoint, await makeLiveLooks(look, endpoint, facts, { signal, check }))
      }),
    judge: (endpoint) => inTurn(endpoint, () => judgeAndPublish(deps, endpoint)),
  }
}

/** Judges what is stored, appends what follows, and stores the derived state. */
async function judgeAndPublish(
  { store, readModel, clock, random }: AuditorDeps,
  endpoint: string,
): Promise<EndpointState> {
  const now = clock.now()
  const { host } = new URL(endpoint)
  const facts = await store.hostFacts(host)
  const known = readModel.host(host)?.endpoints ?? []
  const { state, changes, incidents } = judgeFacts({
    endpoint,
    facts,
    records: await readRecords(store, facts, endpoint),
    categoryPrice: readModel.categoryPrice,
    firstSeen: known.find((before) => before.endpoint === endpoint)?.firstSeen,
    now,
    random: random(),
  })
  const news = findNews(facts, changes, incidents, now)
  if (news.length > 0) await store.append(news)
  const others = known.filter((before) => before.endpoint !== endpoint)
  const endpoints = [...others, state].sort((a, b) => a.endpoint.localeCompare(b.endpoint))
  await readModel.put({ host, endpoints, updatedAt: now })
  return state
}

function findNews(
  facts: HostFacts,
  changes: Judgement['changes'],
  incidents: Judgement['incidents'],
  at: number,
): Fact[] {
  const news: Fact[] = []
  const published = new Set(facts.changes.map(({ id }) => id))
  for (const change of changes) {
    if (!published.has(change.id)) news.push({ kind: 'change', id: change.id, at, change })
  }
  const known = new Map(facts.incidents.map((incident) => [incident.id, incident.status]))
  for (const incident of incidents) {
    if (known.get(incident.id) !== incident.status)
      news.push({ kind: 'incident', id: incident.id, at, incident })
  }
  return news
}
