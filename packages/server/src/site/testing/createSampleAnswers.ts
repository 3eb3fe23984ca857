import { PAID_OPERATIONS, type PaidOperationId } from '@touchstone402/shared'
import { type AnswerDeps, createAnswers } from '../../http/answers/createAnswers.ts'
import { createMemoryStore } from '../../store/testing/createMemoryStore.ts'
import type { PageDeps } from '../pageDeps.ts'

const refuse = () => {
  throw new Error('not asked')
}

/** Creates the free answers over page dependencies, to compare pages with. */
export function createSampleAnswers(deps: PageDeps & Pick<AnswerDeps, 'clock' | 'readModel' | 'store'>) {
  return createAnswers({
    ...deps,
    auditor: { probeLive: refuse },
    signer: { sign: refuse },
    liveCheckPriceUsd: 0.005,
    prices: Object.fromEntries(PAID_OPERATIONS.map((id) => [id, '0'])) as Record<PaidOperationId, string>,
    snapshots: { write: refuse },
    mcpAudits: createMemoryStore(),
    tokens: { pulse: refuse, whales: refuse, flow: refuse, momentum: refuse },
    readMs: 500,
  })
}
