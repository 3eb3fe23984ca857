import type { Context } from '../context.ts'
import { hasTerms, type Observation } from '../facts/facts.ts'
import { LIMITS } from '../judge/spec.ts'
import { isLive } from '../publish/verdict.ts'
import { readSummary } from '../store/hosts.ts'
import type { Store } from '../store/store.ts'
import type { Known } from './readEndpoint.ts'

/**
 * Marks unpaid deliveries of a host that still asks for payment as free quota, which measures nothing: this endpoint or
 * another one of the host returned terms within the lifetime of a verdict, and a path that should not exist is not
 * answered alike. Without fresh terms the answer counts as what it is, so no verdict outlives its lifetime by this.
 * @param found observations of one probe
 * @param askControl probes a path that should not exist; called if `found` has no such probe
 */
export async function settleFreeQuota(
  { clock, store }: Pick<Context, 'clock' | 'store'>,
  known: Pick<Known, 'endpoint' | 'history'>,
  found: readonly Observation[],
  askControl: () => Promise<Observation>,
): Promise<readonly Observation[]> {
  if (!found.some(isFree) || !(await asksForPayment(store, known, clock.now()))) return found
  const made = found.findLast(({ purpose }) => purpose === 'control')
  const control = made ?? (await askControl())
  const all = made === undefined ? [...found, control] : found
  if (!isRefused(control)) return all
  return all.map((probe) =>
    isFree(probe) ? { ...probe, outcome: 'not_measured', cause: 'free_quota' } : probe,
  )
}

const isFree = ({ purpose, cause, delivered }: Observation) =>
  purpose !== 'control' && cause === 'not_paid' && delivered === true

/** A control probe without an answer is no evidence about other paths. */
const isRefused = ({ httpStatus }: Observation) =>
  httpStatus !== null && (httpStatus < 200 || httpStatus > 299)

async function asksForPayment(
  store: Store,
  { endpoint, history }: Pick<Known, 'endpoint' | 'history'>,
  now: number,
): Promise<boolean> {
  const { observations } = history.stored
  if (observations.some((probe) => hasTerms(probe) && now - probe.at < LIMITS.verdictLifetimeMs)) return true
  const summary = await readSummary(store, new URL(endpoint).host)
  return summary?.endpoints.some((row) => row.endpoint !== endpoint && isLive(row, now)) === true
}
