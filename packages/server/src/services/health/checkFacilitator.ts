import { messageOf } from '../../errors.ts'
import { checkFacilitator as askFacilitator, type Facilitator } from '../../payments/facilitator.ts'
import type { Check, Finding } from './createHealth.ts'

type Step = 'verify' | 'settle'

const EVERY_MS = 30_000

/**
 * Watches a facilitator: every verification and settlement, and whether it still says that it settles on the network.
 * @returns the facilitator to use, and its check
 */
export function watchFacilitator(facilitator: Facilitator, network: string) {
  const steps = {
    verify: { okAt: Number.NaN, failedAt: Number.NaN, failures: 0, reason: '' },
    settle: { okAt: Number.NaN, failedAt: Number.NaN, failures: 0, reason: '' },
  }
  const note = (step: Step, outcome: { readonly kind: string; readonly cause?: unknown }) => {
    const own = steps[step]
    if (outcome.kind === 'unavailable' || outcome.kind === 'unknown') {
      own.failedAt = performance.now()
      own.failures++
      own.reason = messageOf(outcome.cause)
    } else own.okAt = performance.now()
  }
  const watched: Facilitator = {
    ...facilitator,
    async verify(call) {
      const outcome = await facilitator.verify(call)
      note('verify', outcome)
      return outcome
    },
    async settle(call) {
      const outcome = await facilitator.settle(call)
      note('settle', outcome)
      return outcome
    },
  }
  const judge = (step: Step): Finding | null => {
    const { okAt, failedAt, reason } = steps[step]
    // After a while without any payment only the facilitator's own word is left.
    if (Number.isNaN(failedAt) || failedAt < okAt || performance.now() - failedAt > 10 * EVERY_MS) return null
    return { level: 'degraded', status: `${step} fails`, sentence: `the last ${step} call failed: ${reason}` }
  }
  const check: Check = {
    name: 'facilitator',
    everyMs: EVERY_MS,
    patienceMs: EVERY_MS,
    unanswered: {
      level: 'degraded',
      status: 'unreachable',
      sentence: 'no answer, so that paid calls are refused',
    },
    async run() {
      const asked = await askFacilitator(facilitator, network)
      if (asked.kind === 'unreachable') throw asked.cause
      if (asked.kind === 'unsuitable')
        return { level: 'degraded', status: 'unsuitable', sentence: asked.message }
      return judge('settle') ?? judge('verify') ?? { level: 'ok', status: 'ok' }
    },
    addGauges({ gaugeBy, totalBy }) {
      const age = (at: number) => (performance.now() - at) / 1000
      gaugeBy(
        'facilitator_last_age_seconds',
        'Time since the last call that the facilitator answered, by step; NaN before the first.',
        'step',
        () => ({ verify: age(steps.verify.okAt), settle: age(steps.settle.okAt) }),
      )
      totalBy('facilitator_failed_calls_total', 'Calls without a usable answer, by step.', 'step', () => ({
        verify: steps.verify.failures,
        settle: steps.settle.failures,
      }))
    },
  }
  return { facilitator: watched, check }
}
