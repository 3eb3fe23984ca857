import { MINUTE } from '../../facts/times.ts'
import { messageOf } from '../../lib/errors.ts'
import { checkFacilitator as askFacilitator, type Facilitator } from '../../payments/facilitator.ts'
import type { Check, Finding } from './createHealth.ts'
import { createRecentCalls } from './recentCalls.ts'

type Step = 'verify' | 'settle'

const EVERY_MS = 30_000
/** Window over which calls are counted, and how many must fail: a payer can make one call fail. */
const WINDOW_MS = 10 * MINUTE
const FEWEST_CALLS = 3
const MOST_FAILED = 0.5

/** Counts the calls of one step. */
function createCounts() {
  const counts = { calls: 0, failed: 0, okAt: Number.NaN, reason: '' }
  return {
    counts,
    recent: createRecentCalls(WINDOW_MS),
    note({ kind, cause }: { readonly kind: string; readonly cause?: unknown }): void {
      counts.calls++
      if (kind === 'unavailable' || kind === 'unknown') {
        counts.failed++
        counts.reason = messageOf(cause)
      } else counts.okAt = performance.now()
    },
  }
}

/**
 * Watches a facilitator: every verification and settlement, and whether it still supports the network.
 * @returns the facilitator to use, and its check
 */
export function watchFacilitator(facilitator: Facilitator, network: string) {
  const steps = { verify: createCounts(), settle: createCounts() }
  const watched: Facilitator = {
    ...facilitator,
    async verify(call) {
      const outcome = await facilitator.verify(call)
      steps.verify.note(outcome)
      return outcome
    },
    async settle(call) {
      const outcome = await facilitator.settle(call)
      steps.settle.note(outcome)
      return outcome
    },
  }
  const judge = (step: Step): Finding | null => {
    const { counts, recent } = steps[step]
    const { calls, failed } = recent(counts)
    if (calls < FEWEST_CALLS || failed / calls <= MOST_FAILED) return null
    return {
      level: 'degraded',
      status: `${step} fails`,
      sentence: `${failed} of ${calls} ${step} calls failed within ten minutes: ${counts.reason}`,
    }
  }
  const check: Check = {
    name: 'facilitator',
    everyMs: EVERY_MS,
    patienceMs: EVERY_MS,
    unanswered: {
      level: 'degraded',
      status: 'unreachable',
      sentence: `FACILITATOR_URL: ${new URL(facilitator.url).host} cannot be used, so paid calls are refused`,
    },
    async run() {
      const asked = await askFacilitator(facilitator, network)
      if (asked.kind === 'unreachable') throw asked.cause
      if (asked.kind === 'unsuitable')
        return { level: 'degraded', status: 'unsuitable', sentence: asked.message }
      const [settle, verify] = [judge('settle'), judge('verify')]
      return settle ?? verify ?? { level: 'ok', status: 'ok' }
    },
    addGauges({ gaugeBy, totalBy }) {
      const age = (at: number) => (performance.now() - at) / 1000
      gaugeBy(
        'facilitator_last_age_seconds',
        'Time since the last call that the facilitator answered, by step; NaN before the first.',
        'step',
        () => ({ verify: age(steps.verify.counts.okAt), settle: age(steps.settle.counts.okAt) }),
      )
      totalBy('facilitator_failed_calls_total', 'Calls without a usable answer, by step.', 'step', () => ({
        verify: steps.verify.counts.failed,
        settle: steps.settle.counts.failed,
      }))
    },
  }
  return { facilitator: watched, check }
}
