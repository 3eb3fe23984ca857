import { messageOf } from '../../lib/errors.ts'
import type { Confirmation } from '../../payments/createConfirmation.ts'
import type { Check, Finding } from './createHealth.ts'

const EVERY_MS = 15_000
/** Time for which the last reading of a call counts. */
const COUNTS_MS = EVERY_MS

/**
 * Watches whether the chain can be read in the time that a call has which waits for it: if not, those calls are refused.
 * A failure shows at once; from then on the chain is read until that works again.
 * @returns the confirmation to use, and its check
 */
export function watchConfirmation(confirmation: Confirmation) {
  let last: { readonly at: number; readonly error: unknown } | undefined
  let onFailure = () => {}
  const reach = async () => {
    try {
      await confirmation.reach()
      last = { at: performance.now(), error: undefined }
    } catch (error) {
      const wasFailing = last?.error !== undefined
      last = { at: performance.now(), error }
      if (!wasFailing) onFailure()
      throw error
    }
  }
  const refused = (error: unknown): Finding => ({
    level: 'degraded',
    status: 'too slow',
    sentence: `paid calls that wait for the chain are refused: ${messageOf(error)}`,
  })
  const check: Check = {
    name: 'confirmation',
    everyMs: EVERY_MS,
    patienceMs: EVERY_MS,
    unanswered: refused('the chain cannot be read'),
    async run() {
      if (last?.error === undefined) return { level: 'ok', status: 'ok' }
      if (performance.now() - last.at < COUNTS_MS) return refused(last.error)
      return reach().then(
        () => ({ level: 'ok', status: 'ok' }),
        (error: unknown) => refused(error),
      )
    },
    onChange(rerun) {
      onFailure = rerun
    },
  }
  return { confirmation: { ...confirmation, reach } satisfies Confirmation, check }
}
