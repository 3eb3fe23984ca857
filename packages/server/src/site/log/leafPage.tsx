import type { Page } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import type { ProvenEntry } from '../../log/createLogTree.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { Snippet } from '../components/prose.tsx'
import type { PageDeps } from '../pageDeps.ts'
import { LOG_PATH, leafPath } from '../paths.ts'

const INDEX = /^(0|[1-9][0-9]{0,14})$/

/** Creates `/log/leaves/{index}`: a leaf, its opening, and its proof. */
export function createLeafPage(
  prove: (index: number) => Promise<ProvenEntry | undefined>,
  { publicUrl }: Pick<PageDeps, 'publicUrl'>,
): Page {
  return {
    path: '/log/leaves/:index',
    async handler({ params, accepts }) {
      const { index = '' } = params
      const entry = INDEX.test(index) ? await prove(Number(index)) : undefined
      const options = { maxAgeSeconds: 10 }
      if (entry === undefined) {
        throw new ProblemError(404, 'no_such_leaf', 'The published checkpoint covers no such leaf.')
      }
      return accepts === 'json'
        ? answerJson(entry, options)
        : answerHtml(<LeafShown entry={entry} publicUrl={publicUrl} />, options)
    },
  }
}

function LeafShown({
  entry: { index, leaf, opening, proof },
  publicUrl,
}: {
  entry: ProvenEntry
  publicUrl: string
}) {
  return (
    <Layout
      title={`Leaf ${index} of the log`}
      description={`Leaf ${index} of the log of Touchstone, with the proof that the newest checkpoint covers it.`}
      path={leafPath(index)}
      publicUrl={publicUrl}
    >
      <h1>Leaf {index}</h1>
      <p class="lede">
        What was said, and the proof that <a href={LOG_PATH}>the log</a> holds it at this place.
      </p>
      <div class="stack">
        <Panel id="leaf" title="Leaf">
          <Snippet label="Leaf" code={leaf} />
        </Panel>
        <Panel id="opening" title="Opening">
          {opening === null ? (
            <p>This leaf names nobody, or its opening was deleted.</p>
          ) : (
            <Snippet label="Opening" code={opening} />
          )}
        </Panel>
        <Panel id="proof" title="Proof">
          <p>Verifies offline. Save it as a file that ends in .tlog-proof.</p>
          <Snippet label="Proof" code={proof} />
        </Panel>
      </div>
    </Layout>
  )
}
