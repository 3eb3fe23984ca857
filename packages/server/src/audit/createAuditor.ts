import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Fact, isUnmeasured, type Observation } from '../domain/facts/facts.ts'
import type { EndpointState } from '../domain/facts/hostDocument.ts'
import type { Judgement } from '../domain/judge/judge.ts'
import type { HostFacts, Store } from '../ports/oldStore.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'
import { createClientChoice } from './chooseClient.ts'
import { judgeFacts } from './judgeFacts.ts'
import { type Findings, type ProbeDeps, probeLive, probeOnSchedule } from './probeEndpoint.ts'
import { readRecords } from './readRecords.ts'

export type AuditorDeps = Omit<ProbeDeps, 'clients'> & {
  readonly store: Store
  readonly readModel: ReadModel
  /** 0 to 1. */
  readonly random: () => number
}

/** Probes of an endpoint and the state derived from them. */
export type Look = { readonly state: EndpointState; readonly observations: readonly Observation[] }

/** Probes and judges endpoints. Work on one host is serialised. */
export type Auditor = {
  /** Makes one scheduled probe as one client, repeated at once if the terms differ from before. */
  look(endpoint: string): Promise<Look>
  /**
   * Makes a live check: probes as every client, makes a control probe, and reads the receiver from chain.
   * Records nothing about an unknown endpoint that could not be measured.
   * @throws NotPublicError if the host may not be dialled; nothing is recorded then
   */
  lookLive(endpoint: string, signal?: AbortSignal): Promise<Look>
  /** Judges the recorded facts. */
  judge(endpoint: string): Promise<EndpointState>
}

/** The endpoint's host has a non-public address or a port that probes may not use. */
export class NotPublicError extends Error {
  override readonly name = 'NotPublicError'
}

/** Creates the auditor. */
export function createAuditor(deps: AuditorDeps): Auditor {
  const { store, readModel } = deps
  const probeDeps = { ...deps, clients: createClientChoice(deps.prober.clients, deps.random) }
  const queues = new Map<string, Promise<unknown>>()
  const serialise = <T>(endpoint: string, work: (host: string) => Promise<T>): Promise<T> => {
    const host = new URL(endpoint).host
    const result = (queues.get(host) ?? Promise.resolve()).then(() => work(host))
    const settled = result.catch(() => undefined)
    queues.set(host, settled)
    void settled.then(() => {
      if (queues.get(host) === settled) queues.delete(host)
    })
    return result
  }
  let lastTurn: Promise<void> = Promise.resolve()
  /** Yields one turn of the event loop per caller: many judgements may resume after one write and would block requests. */
  const takeTurn = () => {
    lastTurn = lastTurn.then(() => nextTurn())
    return lastTurn
  }
  const conclude = async (endpoint: string, { observations, announcements }: Findings): Promise<Look> => {
    if (observations.length > 0) await store.append([...observations, ...announcements])
    await takeTurn()
    return { observations, state: await judgeAndPublish(deps, endpoint) }
  }
  return {
    look: (endpoint) =>
      serialise(endpoint, async (host) => {
        await takeTurn()
        const facts = await store.hostFacts(host)
        const state = readModel.host(host)?.endpoints.find((known) => known.endpoint === endpoint)
        return conclude(endpoint, await probeOnSchedule(probeDeps, endpoint, facts, state))
      }),
    lookLive: (endpoint, signal) =>
      serialise(endpoint, async (host) => {
        const facts = await store.hostFacts(host)
        // Record nothing for refused addresses: anyone could fill the store with such names.
        const check = ({ cause }: Observation) => {
          if (cause === 'address_refused') throw new NotPublicError(host)
        }
        const findings = await probeLive(probeDeps, endpoint, facts, { signal, check })
        const { observations } = findings
        const isKnown = [...facts.observations, ...facts.listings].some((fact) => fact.endpoint === endpoint)
        if (isKnown || !isUnmeasured(observations)) return conclude(endpoint, findings)
        // Record nothing: such checks are free, so anyone could fill the store with hosts.
        return { observations, state: (await judgeNow(deps, endpoint)).state }
      }),
    judge: (endpoint) => serialise(endpoint, () => judgeAndPublish(deps, endpoint)),
  }
}

/** Judges the recorded facts. */
async function judgeNow({ store, readModel, clock, random }: AuditorDeps, endpoint: string) {
  const now = clock.now()
  const { host } = new URL(endpoint)
  const facts = await store.hostFacts(host)
  const known = readModel.host(host)?.endpoints ?? []
  const judged = judgeFacts({
    endpoint,
    facts,
    recordsOf: await readRecords(store, endpoint, facts.observations),
    categoryPrice: readModel.categoryPrice,
    firstSeen: known.find((before) => before.endpoint === endpoint)?.firstSeen,
    now,
    random: random(),
  })
  return { ...judged, now, host, facts, known }
}

/** Judges the recorded facts, appends new changes and incidents, and stores the derived state. */
async function judgeAndPublish(deps: AuditorDeps, endpoint: string): Promise<EndpointState> {
  const { state, now, host, facts, known, ...found } = await judgeNow(deps, endpoint)
  const news = findNews(facts, found, now)
  if (news.length > 0) await deps.store.append(news)
  const others = known.filter((before) => before.endpoint !== endpoint)
  const endpoints = [...others, state].sort((a, b) => a.endpoint.localeCompare(b.endpoint))
  await deps.readModel.put({ host, endpoints, updatedAt: now })
  return state
}

function findNews(
  facts: HostFacts,
  { changes, incidents }: Pick<Judgement, 'changes' | 'incidents'>,
  at: number,
): Fact[] {
  const published = new Set(facts.changes.map(({ id }) => id))
  const statuses = new Map(facts.incidents.map(({ id, status }) => [id, status]))
  return [
    ...changes
      .filter(({ id }) => !published.has(id))
      .map((change) => ({ kind: 'change' as const, id: change.id, at, change })),
    ...incidents
      .filter(({ id, status }) => statuses.get(id) !== status)
      .map((incident) => ({ kind: 'incident' as const, id: incident.id, at, incident })),
  ]
}
