import type { Page } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import type { ProvenEntry } from '../../log/createLogTree.ts'
import { answerJson } from '../answerHtml.tsx'

const INDEX = /^(0|[1-9][0-9]{0,14})$/

/** Creates `/log/leaves/{index}`: a leaf, its opening, and its proof. */
export function createLeafPage(prove: (index: number) => Promise<ProvenEntry | undefined>): Page {
  return {
    path: '/log/leaves/:index',
    async handler({ params }) {
      const { index = '' } = params
      const entry = INDEX.test(index) ? await prove(Number(index)) : undefined
      if (entry === undefined) {
        throw new ProblemError(404, 'no_such_leaf', 'The published checkpoint covers no such leaf.')
      }
      return answerJson(entry, { maxAgeSeconds: 10 })
    },
  }
}
