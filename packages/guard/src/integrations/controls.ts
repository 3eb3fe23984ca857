import type { Pin, Strikes } from '../ledger/ledger.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import { type GuardBudget, readBudget } from './budget.ts'

/**
 * Budgets, the kill switch, strikes and pins of a guard.
 * @example
 * const isSafe = async (controls: GuardControls) => (await controls.strikes()).length === 0
 */
export type GuardControls = {
  /** Returns what is spent, reserved and left of each budget. */
  budget(): Promise<GuardBudget>
  /**
   * Stops all payments of every process that shares the ledger, before its next signature, until `resume`.
   * With a file ledger, a file `STOP` beside it does the same.
   */
  stop(): Promise<void>
  /** Allows payments again after `stop`. */
  resume(): Promise<void>
  /** Returns paid calls without delivery, by endpoint. */
  strikes(): Promise<Strikes[]>
  /** Forgets the strikes of a host, such as `api.example.com` or `localhost:8080`. */
  clearStrike(host: string): Promise<void>
  /** Returns the receivers that the guard has pinned. */
  pins(): Promise<Pin[]>
  /** Forgets the pinned receivers of a host, so that the next one paid is pinned. */
  clearPin(host: string): Promise<void>
}

/** Creates the controls of a guard. */
export function createControls(context: GuardContext): GuardControls {
  const { ledger } = context
  const refreshed = async <T>(work: () => T | Promise<T>): Promise<T> => {
    await ledger.refresh()
    return work()
  }
  return {
    budget: () => readBudget(context),
    stop: () => ledger.setStopped(true),
    resume: () => ledger.setStopped(false),
    strikes: () => refreshed(() => ledger.strikes()),
    clearStrike: (host) => refreshed(() => ledger.clear('strikes', host.toLowerCase())),
    pins: () => refreshed(() => ledger.pins()),
    clearPin: (host) => refreshed(() => ledger.clear('pins', host.toLowerCase())),
  }
}
