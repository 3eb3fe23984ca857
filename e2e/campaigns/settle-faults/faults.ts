import { NOTHING_SENT } from '@touchstone402/server/testing'
import type { Fault } from '../../support/faultyFacilitator.ts'

const answer = (when: 'before' | 'after', status: number, body: unknown): Fault => ({
  kind: 'answer',
  when,
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const moments = ['before', 'after'] as const
const TX = `0x${'ab'.repeat(32)}`
/** Claims that all is well, and names a transaction that does not exist. */
export const lie = (when: 'before' | 'after') =>
  answer(when, 200, { success: true, isValid: true, transaction: TX, network: 'base' })

/** Says that a payment is refused, for a reason that is usually given before a transaction is sent. */
export const deny = (when: 'before' | 'after', errorReason = 'insufficient_funds') =>
  answer(when, 200, { ...refusal, errorReason })

const refusal = { success: false, isValid: false, transaction: '', network: 'base' }

/** Every fault of a step, and `none`. */
export const FAULTS: Record<string, Fault> = {
  none: { kind: 'none' },
  refused: { kind: 'refused' },
  ...Object.fromEntries(
    moments.flatMap((when) => [
      [`reset ${when}`, { kind: 'reset', when } satisfies Fault],
      [`timeout ${when}`, { kind: 'timeout', when } satisfies Fault],
      [`endless ${when}`, { kind: 'endless', when } satisfies Fault],
      // Before a settlement, a lie: see tellLies.
      ...(when === 'after' ? [['wrong transaction after', lie(when)] as const] : []),
      [`500 ${when}`, answer(when, 500, { error: 'internal' })],
      [`502 page ${when}`, answer(when, 502, '<html>bad gateway</html>')],
      [`429 ${when}`, answer(when, 429, { error: 'slow down' })],
      [`garbage ${when}`, answer(when, 200, '\u0000{')],
      [`empty ${when}`, answer(when, 200, '')],
      [`wrong shape ${when}`, answer(when, 200, { ok: 1 })],
      [`vague refusal ${when}`, answer(when, 200, { ...refusal, errorReason: 'unexpected_error' })],
      ...(when === 'after' ? [...NOTHING_SENT] : ['insufficient_funds']).map(
        (reason) => [`denied as ${reason} ${when}`, deny(when, reason)] as const,
      ),
      [
        `pending ${when}`,
        answer(when, 200, { ...refusal, transaction: TX, errorReason: 'settlement_pending' }),
      ],
      [
        `success without transaction ${when}`,
        answer(when, 200, { success: true, transaction: '', network: 'base' }),
      ],
    ]),
  ),
}
