import { messageOf } from '../../errors.ts'
import { MINUTE } from '../../facts/times.ts'
import { checkFacilitator as askFacilitator, type Facilitator } from '../../payments/facilitator.ts'
import type { Check, Finding } from './createHealth.ts'

type Step = 'verify' | 'settle'

const EVERY_MS = 30_000
/** Minutes over which calls are counted, and how many must fail: a payer can make one call fail. */
const WINDOW = 10
const FEWEST_CALLS = 3
const MOST_FAILED = 0.5

/** Calls of one step: in all, and of each recent minute. */
function createCounts() {
  let minutes: { readonly minute: number; calls: number; failed: number }[] = []
  const kept = { okAt: Number.NaN, failures: 0, reason: '' }
  /** Returns the calls of the window. */
  const recent = () => {
    const first = Math.floor(performance.now() / MINUTE) - WINDOW + 1
    minutes = minutes.filter(({ minute }) => minute >= first)
    return minutes
  }
  return {
    kept,
    recent,
    note({ kind, cause }: { readonly kind: string; readonly cause?: unknown }): void {
      const minute = Math.floor(performance.now() / MINUTE)
      if (recent().at(-1)?.minute !== minute) minutes.push({ minute, calls: 0, failed: 0 })
      const current = minutes.at(-1)
      const hasFailed = kind === 'unavailable' || kind === 'unknown'
      if (current !== undefined) {
        current.calls++
        if (hasFailed) current.failed++
      }
      if (!hasFailed) {
        kept.okAt = performance.now()
        return
      }
      kept.failures++
      kept.reason = messageOf(cause)
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
    const { kept, recent } = steps[step]
    const sum = (field: 'calls' | 'failed') => recent().reduce((total, minute) => total + minute[field], 0)
    const [calls, failed] = [sum('calls'), sum('failed')]
    if (calls < FEWEST_CALLS || failed / calls <= MOST_FAILED) return null
    return {
      level: 'degraded',
      status: `${step} fails`,
      sentence: `${failed} of ${calls} ${step} calls failed within ten minutes: ${kept.reason}`,
    }
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
        () => ({ verify: age(steps.verify.kept.okAt), settle: age(steps.settle.kept.okAt) }),
      )
      totalBy('facilitator_failed_calls_total', 'Calls without a usable answer, by step.', 'step', () => ({
        verify: steps.verify.kept.failures,
        settle: steps.settle.kept.failures,
      }))
    },
  }
  return { facilitator: watched, check }
}
