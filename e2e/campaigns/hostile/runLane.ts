import { USDC } from '@touchstone402/economy'
import {
  createGuard,
  findGuardError,
  type Guard,
  type GuardEvent,
  type GuardOptions,
} from '@touchstone402/guard'
import { createMpp } from '@touchstone402/guard/mpp'
import type { SignedDecision } from '@touchstone402/shared'
import { INTEGRATIONS } from '../../support/integrations.ts'
import { payByMpp } from '../../support/mppClient.ts'
import { termOf } from '../../support/signingService.ts'
import { type Signed, STOCK_CLIENTS } from '../../support/stockClients.ts'
import { INJECTION, openSeller } from './openSeller.ts'
import type { AttackedIntegration, Lane, Situation } from './situations.ts'
import { HONEST, type World } from './world.ts'

/** Result of one run. */
export type Outcome = {
  signed: Signed[]
  /** Units of any token that left the wallet. */
  moved: bigint
  /** Units that the honest receiver received. */
  received: bigint
  /** Result of each call: a status with the body size, or a refusal code. */
  results: string[]
  /** Whether seller text appeared in the guard's output. */
  leaked: boolean
}

const SAFE: Partial<SignedDecision> = {
  verdict: 'safe',
  score: 95,
  receiverStability: 'stable',
  probes: 12,
  terms: [termOf(HONEST, '10000')],
}

/** Runs a scenario with one client and one challenge form, with or without a guard. */
export async function runLane(
  world: World,
  scenario: Situation,
  { client, wire, integration }: Lane,
  isGuarded: boolean,
): Promise<Outcome> {
  const { service } = world
  const wallet = isGuarded ? world.guarded : world.free
  const seller = await openSeller(world, scenario, wire)
  service.decisions.clear()
  const known = `${seller.origin}/weather`
  if (scenario.verdict !== null) service.decisions.set(known, { ...SAFE, ...scenario.verdict })
  service.fault = scenario.service ?? null
  wallet.signed.length = 0
  const events: GuardEvent[] = []
  const options: GuardOptions = {
    ...(!scenario.alone && {
      service: {
        url: service.url,
        jwksThumbprint: service.thumbprint,
        timeoutMs: scenario.service ? 400 : 5000,
        ...(scenario.cacheSeconds !== undefined && { cacheSeconds: scenario.cacheSeconds }),
      },
    }),
    onDecision: (event) => events.push(event),
    ...(scenario.policy && { policy: scenario.policy }),
    ...(scenario.ask && { ask: scenario.ask }),
  }
  const { fetch } = world.economy
  const pay = isGuarded
    ? openIntegration(integration, client)(openGuard(options, scenario.taskUsd), fetch, wallet.account)
    : client === 'mppx'
      ? payByMpp(fetch, wallet.account)
      : STOCK_CLIENTS[client](fetch, wallet.account, 'stock')
  const before = await Promise.all([world.holdings(wallet.account.address), world.holdings(HONEST)])

  const said: unknown[] = []
  const call = async (count: number): Promise<string> => {
    const url = scenario.url?.({ ...seller, count }) ?? known
    try {
      const init = typeof scenario.init === 'function' ? scenario.init(count) : scenario.init
      const response = await pay(url, { ...init, signal: AbortSignal.timeout(20_000) })
      return `${response.status}:${(await response.text()).length}`
    } catch (thrown) {
      const error = findGuardError(thrown)
      if (error === undefined) return `failed: ${(thrown as Error).cause ?? thrown}`
      said.push(error.message, error.details, error.verdict, { ...error.intent, url: '' })
      return error.code
    }
  }
  const results: string[] = []
  const { calls = 1 } = scenario
  if (scenario.atOnce)
    results.push(...(await Promise.all(Array.from({ length: calls }, (_, count) => call(count)))))
  else
    for (let count = 0; count < calls; count++) {
      results.push(await call(count))
      if (scenario.failsLater !== undefined) service.fault = scenario.failsLater
    }
  const after = await Promise.all([world.holdings(wallet.account.address), world.holdings(HONEST)])
  await seller.stop()
  return {
    signed: [...wallet.signed],
    moved: before[0] - after[0],
    received: after[1] - before[1],
    results,
    leaked: JSON.stringify([said, events]).includes(INJECTION),
  }
}

function openIntegration(
  integration: AttackedIntegration,
  client: Lane['client'],
): (typeof INTEGRATIONS)[keyof typeof INTEGRATIONS] {
  if (client === 'mppx')
    return (guard, fetch, account) => payByMpp(guard.fetch(fetch), guard.account(account))
  return INTEGRATIONS[integration === 'fetch' && client === 'x402-fetch' ? 'fetch of v1' : integration]
}

function openGuard(options: GuardOptions, taskUsd: string | undefined): Guard {
  const guard = createGuard({ ...options, mpp: createMpp() })
  return taskUsd === undefined ? guard : guard.task('research', { maxUsd: taskUsd })
}

/** Returns whether a signature is for the honest terms: listed amount and receiver, and a short validity. */
export function isHonest({ primaryType, domain, message }: Signed, price = 10_000n): boolean {
  const life = Number(message.validBefore) - Date.now() / 1000
  return (
    primaryType === 'TransferWithAuthorization' &&
    Number(domain.chainId) === 8453 &&
    String(domain.verifyingContract).toLowerCase() === USDC.toLowerCase() &&
    domain.name === 'USD Coin' &&
    String(message.to).toLowerCase() === HONEST.toLowerCase() &&
    String(message.value) === String(price) &&
    life <= 600
  )
}
