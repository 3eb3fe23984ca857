import { AsyncLocalStorage } from 'node:async_hooks'
import { withDeadline } from '../../deadline.ts'
import { createGuard, type GuardOptions } from '../../integrations/createGuard.ts'
import { createGuardedFetch } from '../../integrations/createGuardedFetch.ts'
import { createMemoryLedger } from '../../ledger/journal.ts'
import { createMpp } from '../../mpp/createMpp.ts'
import type { SigningAccount } from '../../paying/signatures/typedData.ts'
import { createUpto } from '../../upto/createUpto.ts'
import { createPublicFetch } from '../publicFetch.ts'
import { reconcileOften } from '../reconcileOften.ts'
import { createPendingApprovals } from './approvals.ts'
import { createProxy } from './createProxy.ts'
import type { CallFacts, Task } from './forward.ts'
import { listenOnPort, listenOnSocket } from './listen.ts'
import type { Decision } from './operatorPage.ts'
import { createOperatorGate } from './operatorProofs.ts'
import { bodyBytes } from './requestBody.ts'
import { createShares } from './shares.ts'

/** Options of {@link startProxy}. */
export type ProxyOptions = Pick<GuardOptions, 'policy' | 'ledger' | 'service' | 'rpcUrls' | 'now'> & {
  account: SigningAccount
  /** Tasks by their token, with the most dollars that each may cost over the life of the ledger. */
  tasks: ReadonlyMap<string, { name: string; maxUsd: string }>
  /** Secret of the operator's commands. */
  operator: string
  /** A port of 127.0.0.1, 0 for a free one; or the path of a socket, whose group may use it. */
  place: { port: number } | { socket: string; gid: number | null }
  /** Targets that are reached at any address, as `host` or `host:port`. */
  allowHosts: readonly string[]
  /** Whether agents sign by `POST /sign` instead of having their calls paid. */
  signs: boolean
  /** Calls of all tasks under way; more are answered with 503. */
  maxCalls: number
  /** Connections that no call uses; of more, the oldest are closed. */
  maxIdle: number
  env: Readonly<Record<string, string | undefined>>
}

/** A running proxy. */
export type Proxy = {
  /** A URL, or the path of the socket. */
  address: string
  /** Takes no more calls, and ends those under way after ten seconds. */
  stop(): Promise<void>
}

const MAX_DECISIONS = 50
const CALLS_OF_TASK = 100
const LEAST_CALLS = 800
const MAX_IDLE = 512
/** Models think for minutes, and answer as long. */
const EXCHANGE_MS = 900_000
const STOP_MS = 10_000

/** Returns the limits of a proxy for so many tasks. */
export function proxyLimits(tasks: number): Pick<ProxyOptions, 'maxCalls' | 'maxIdle'> {
  return {
    maxCalls: Math.max(LEAST_CALLS, tasks * CALLS_OF_TASK),
    maxIdle: MAX_IDLE,
  }
}

/** Starts a proxy that pays for its callers. @throws ConfigurationError */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const { account, service, operator, place, allowHosts, signs, env, now = Date.now } = options
  const { ledger = createMemoryLedger(), rpcUrls = {} } = options
  const open = createPublicFetch({ allowHosts, isBare: true, timeoutMs: EXCHANGE_MS, env })
  const calls = new AsyncLocalStorage<CallFacts>()
  const approvals = createPendingApprovals(now)
  const decisions: Decision[] = []
  const createTask = ({ name, maxUsd }: { name: string; maxUsd: string }): Task => {
    const guard = createGuard({
      account,
      policy: options.policy ?? {},
      service,
      ledger,
      rpcUrls,
      now,
      upto: createUpto(),
      ...(signs && { mpp: createMpp() }),
      ask: approvals.handlerOf(name, () => calls.getStore()),
      // For the operator, who sees the question.
      keepUrls: true,
      onDecision(event) {
        const call = calls.getStore()
        if (call !== undefined && event.payment !== null) call.verdict = event.verdict?.verdict ?? null
        decisions.unshift({ task: name, event })
        decisions.length = Math.min(decisions.length, MAX_DECISIONS)
      },
    }).agent(name, { maxUsd })
    const pay = createGuardedFetch({ account, guard, fetch: open })
    const showOnly: Task['call'] = (input, { maxUsd, ...init } = {}) =>
      guard.fetch(open, { payer: account.address, maxUsd })(input, init)
    return { name, guard, call: signs ? showOnly : pay, signer: guard.account(account) }
  }
  const tasks = new Map([...options.tasks].map(([token, task]) => [token, createTask(task)]))
  const count = tasks.size
  let address = ''
  let hosts = ['localhost']
  const { server, settled } = createProxy({
    open,
    approvals,
    calls,
    tasks,
    signs,
    decisions,
    maxIdle: options.maxIdle,
    hosts: () => hosts,
    gate: createOperatorGate({ secret: operator, address: () => address, now }),
    bodies: createShares(bodyBytes(count), count),
    slots: createShares(options.maxCalls, count),
  })
  address = await ('socket' in place ? listenOnSocket(server, place) : listenOnPort(server, place.port))
  if ('port' in place) {
    const { host } = new URL(address)
    hosts = [host, host.replace('127.0.0.1', 'localhost')]
  }
  const endReconciling = reconcileOften(ledger, { rpcUrls, now })
  return {
    address,
    async stop() {
      endReconciling()
      const closed = new Promise((resolve) => server.close(resolve))
      // Calls still in flight after the deadline are cut off.
      await withDeadline(settled, STOP_MS).catch(() => {})
      server.closeAllConnections()
      await closed
    },
  }
}
