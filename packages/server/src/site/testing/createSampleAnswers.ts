import type { Context } from '../../context.ts'
import { type AnswerParts, createAnswers } from '../../http/answers/createAnswers.ts'

const refuse = () => {
  throw new Error('not asked')
}

/** Creates the free answers over page dependencies, to compare pages with. */
export function createSampleAnswers(
  deps: Pick<Context, 'clock' | 'config' | 'store'> & Pick<AnswerParts, 'readModel'>,
) {
  return createAnswers(deps, {
    readModel: deps.readModel,
    auditor: { probeLive: refuse },
    signer: { sign: refuse },
    snapshots: { write: refuse },
    tokens: { pulse: refuse, whales: refuse, flow: refuse, momentum: refuse },
    readMs: 500,
  })
}
