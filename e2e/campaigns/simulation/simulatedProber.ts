import type { Clock, ProbeResult, Prober, ProbeTarget } from '@touchstone402/server/parts'
import { addressOf, CLIENTS } from './names.ts'
import { phaseAt } from './phases.ts'
import type { Entry, Host, Phase } from './types.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Creates a prober that returns scripted responses without a network. */
export function createSimulatedProber(
  hosts: ReadonlyMap<string, Host>,
  clock: Clock,
  start: number,
  random: () => number,
): Prober {
  let requests = 0
  return {
    clients: CLIENTS.length,
    async probe(target) {
      const { host: name, pathname } = new URL(target.url)
      const host = hosts.get(name)
      const client = CLIENTS[target.client] ?? CLIENTS[0]
      if (host === undefined) return result(target, client, 'down', 'refused', null)
      const since = clock.now() - start
      const phase = phaseAt(host, since / DAY)
      requests++
      return answer({ host, phase, target, client, since, random, requests, isControl: pathname !== '/api' })
    },
    async document(url) {
      const { host: name, pathname } = new URL(url)
      const host = hosts.get(name)
      if (host === undefined || pathname !== '/.well-known/x402') return null
      return phaseAt(host, (clock.now() - start) / DAY).wellKnown ?? null
    },
    async close() {},
  }
}

type Asked = {
  host: Host
  phase: Phase
  target: ProbeTarget
  client: string
  since: number
  random: () => number
  requests: number
  isControl: boolean
}

function answer(asked: Asked): ProbeResult {
  const { host, phase, target, client, isControl } = asked
  if (phase.reply === 'blocked' || host.refuses === client)
    return result(target, client, 'not_measured', 'blocked', 403)
  if (phase.reply === 'refused' || isFailing(asked)) return result(target, client, 'down', 'refused', null)
  if (isControl && phase.reply !== 'page' && host.isWildcard !== true)
    return result(target, client, 'not_measured', 'input_needed', 404)
  if (host.onlyPost === true && target.method !== 'POST')
    return result(target, client, 'not_measured', 'input_needed', 405)
  if (phase.reply === 'input_needed') return result(target, client, 'not_measured', 'input_needed', 422)
  if (phase.reply === 'page') return result(target, client, 'down', 'not_paid', 200)
  if (phase.reply === 'malformed') return result(target, client, 'down', 'challenge_malformed', 402)
  return challenge(asked)
}

function isFailing({ phase, since, random }: Asked): boolean {
  const { faults } = phase
  if (faults === undefined) return false
  if ('rate' in faults) return random() < faults.rate
  return since % (faults.everyMinutes * MINUTE) < faults.downMinutes * MINUTE
}

function challenge(asked: Asked): ProbeResult {
  const { host, phase, target, client } = asked
  const entries = phase.shownTo?.client === client ? phase.shownTo.entries : phase.entries
  return {
    ...result(target, client, 'up', 'challenge', 402),
    versions: [2],
    offers: entries.map((entry) => ({
      x402Version: 2,
      scheme: entry.scheme ?? 'exact',
      network: entry.network,
      asset: entry.asset,
      payTo: receiverOf(entry, asked),
      amountAtomic: amountOf(entry, asked),
      unsafeFlow: entry.unsafeFlow ?? null,
    })),
    resourceOrigin: `https://${host.host}`,
    declaresInput: true,
    declaresOutput: host.hidesOutput !== true,
    disagreements: phase.disagrees === true ? [disagreementOf(entries)] : [],
  }
}

function receiverOf(entry: Entry, { phase, requests, random }: Asked): string {
  if (phase.receivers === undefined) return entry.payTo
  if (phase.receivers === 'per_request') return addressOf(`deposit ${requests}`)
  const { pool } = phase.receivers
  return pool[Math.floor(random() * pool.length)] ?? entry.payTo
}

function amountOf(entry: Entry, { phase, since, random }: Asked): string {
  const { amounts } = phase
  if (amounts === undefined) return entry.amountAtomic
  if ('day' in amounts) return since % DAY < DAY / 2 ? amounts.day : amounts.night
  return amounts.anyOf[Math.floor(random() * amounts.anyOf.length)] ?? entry.amountAtomic
}

function disagreementOf(entries: readonly Entry[]) {
  const [first] = entries
  const receivers = [...new Set(entries.map(({ payTo }) => payTo))]
  return {
    field: receivers.length > 1 ? ('payTo' as const) : ('amount' as const),
    network: first?.network ?? '',
    asset: first?.asset ?? '',
    scheme: 'exact',
    values: receivers.length > 1 ? receivers : entries.map(({ amountAtomic }) => amountAtomic),
  }
}

function result(
  target: ProbeTarget,
  client: string,
  outcome: ProbeResult['outcome'],
  cause: ProbeResult['cause'],
  httpStatus: number | null,
): ProbeResult {
  return {
    client,
    method: target.method,
    outcome,
    cause,
    httpStatus,
    latencyMs: httpStatus === null ? null : 80,
    versions: [],
    offers: [],
    resourceOrigin: null,
    declaresInput: false,
    declaresOutput: false,
    disagreements: [],
    problems: [],
  }
}
