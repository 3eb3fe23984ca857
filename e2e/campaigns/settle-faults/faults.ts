import { NOTHING_SENT } from '@touchstone402/server/testing'
import { answering, claiming, denying, NOWHERE } from '../../support/facilitatorAnswers.ts'
import type { Fault } from '../../support/faultyFacilitator.ts'

const moments = ['before', 'after'] as const

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
      ...(when === 'after' ? [['wrong transaction after', claiming(when)] as const] : []),
      [`500 ${when}`, answering(when, 500, { error: 'internal' })],
      [`502 page ${when}`, answering(when, 502, '<html>bad gateway</html>')],
      [`429 ${when}`, answering(when, 429, { error: 'slow down' })],
      [`garbage ${when}`, answering(when, 200, '\u0000{')],
      [`empty ${when}`, answering(when, 200, '')],
      [`wrong shape ${when}`, answering(when, 200, { ok: 1 })],
      [`vague refusal ${when}`, denying(when, 'unexpected_error')],
      ...(when === 'after' ? [...NOTHING_SENT] : ['insufficient_funds']).map(
        (reason) => [`denied as ${reason} ${when}`, denying(when, reason)] as const,
      ),
      [`pending ${when}`, denying(when, 'settlement_pending', NOWHERE)],
      [
        `success without transaction ${when}`,
        answering(when, 200, { success: true, transaction: '', network: 'base' }),
      ],
    ]),
  ),
}
