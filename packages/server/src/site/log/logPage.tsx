import { parseCheckpoint } from '@touchstone402/shared/log'
import { encodeBase64, parseNote } from '@touchstone402/shared/notes'
import type { Page } from '../../http/deps.ts'
import type { LogHead } from '../../ports/log.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import { Layout } from '../components/layout.tsx'
import { Definitions, Panel } from '../components/panel.tsx'
import { Moment, Snippet } from '../components/prose.tsx'
import type { PageDeps } from '../pageDeps.ts'
import { LOG_PATH } from '../paths.ts'

type View = {
  readonly origin: string
  readonly size: number
  readonly root: string
  readonly signers: readonly string[]
}

/** Creates `/log`: what the log is, its newest checkpoint, and how to check it. */
export function createLogPage({ store, publicUrl }: PageDeps): Page {
  return {
    path: LOG_PATH,
    hasJson: true,
    async handler({ accepts }) {
      const head = await store.log.head()
      const view = head && readHead(head)
      const options = { maxAgeSeconds: 10 }
      return accepts === 'json'
        ? answerJson({ checkpoint: head?.note ?? null, ...view, publishedAt: head?.at ?? null }, options)
        : answerHtml(<LogExplained head={head} view={view} publicUrl={publicUrl} />, options)
    },
  }
}

function readHead({ note }: LogHead): View {
  const { text, signatures } = parseNote(note)
  const { origin, size, root } = parseCheckpoint(text)
  return { origin, size, root: encodeBase64(root), signers: signatures.map(({ name }) => name) }
}

function LogExplained({
  head,
  view,
  publicUrl,
}: {
  head: LogHead | null
  view: View | null
  publicUrl: string
}) {
  return (
    <Layout
      title="The log: a past that cannot be rewritten"
      description="Every published decision, incident and test purchase of Touchstone stands in an append-only log that anybody can check."
      path={LOG_PATH}
      publicUrl={publicUrl}
    >
      <h1>The log</h1>
      <p class="lede">
        Each change of a published decision, each incident and each test purchase is a leaf of an append-only
        tree. Whoever remembers one checkpoint can prove that nothing before it was changed. The log does not
        show that what was said is true, only that it was said and is not taken back silently.
      </p>
      <div class="stack">
        <Panel id="checkpoint" title="Newest checkpoint">
          {head === null || view === null ? (
            <p class="empty">
              Nothing has been logged yet: the first published decision makes the first checkpoint.
            </p>
          ) : (
            <>
              <Definitions
                class="terms"
                list={[
                  { term: 'Origin', text: <code>{view.origin}</code> },
                  { term: 'Leaves', text: `${view.size}` },
                  { term: 'Published', text: <Moment at={head.at} /> },
                  { term: 'Witnesses', text: witnessesOf(view) },
                ]}
              />
              <Snippet label="Checkpoint" code={head.note} />
            </>
          )}
        </Panel>
        <Panel id="check" title="Check it">
          <p>
            A leaf names nobody: it holds the SHA-256 of a salted opening, which is published beside the log
            and can be deleted without breaking it. The paths are those of C2SP tlog-tiles.
          </p>
          <Snippet
            label="Follow the log"
            code={`npx @touchstone402/guard log follow --service ${publicUrl} --key <key>\nnpx @touchstone402/guard log prove https://api.example/paid --service ${publicUrl} --key <key>`}
          />
          <Snippet
            label="By hand"
            code={`curl ${publicUrl}/log/checkpoint\ncurl ${publicUrl}/log/tile/entries/000.p/1\ncurl ${publicUrl}/log/leaves/0`}
          />
        </Panel>
      </div>
    </Layout>
  )
}

function witnessesOf({ origin, signers }: View): string {
  const witnesses = signers.filter((name) => name !== origin)
  return witnesses.length === 0 ? 'none' : witnesses.join(', ')
}
