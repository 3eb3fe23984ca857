import { parseCheckpoint } from '@touchstone402/shared/log'
import { encodeBase64, parseNote } from '@touchstone402/shared/notes'
import type { Page } from '../http/deps.ts'
import { readLogKey } from '../log/proveKeys.ts'
import { answerHtml, answerJson } from './answerHtml.tsx'
import { Layout } from './components/layout.tsx'
import { Definitions, Panel } from './components/panel.tsx'
import { Moment, Snippet } from './components/prose.tsx'
import type { PageDeps } from './pageDeps.ts'
import { LOG_PATH } from './paths.ts'

/** Creates `/log`: the size of the log, its newest checkpoint, its witnesses and key, and how to check it. */
export function createLogPage({ store, clock, publicUrl, operator }: PageDeps): Page {
  return {
    path: LOG_PATH,
    async handler({ accepts }) {
      const [head, key = null] = await Promise.all([
        store.log.head(),
        readLogKey(store.expiring, clock.now()),
      ])
      const options = { maxAgeSeconds: 10 }
      const checkpoint = head && { note: head.note, at: head.at, ...readNote(head.note) }
      if (accepts === 'html')
        return answerHtml(<Log {...{ checkpoint, key, publicUrl, operator }} />, options)
      const { note = null, at = null, ...view } = checkpoint ?? {}
      return answerJson({ checkpoint: note, ...view, publishedAt: at, key }, options)
    },
  }
}

function readNote(note: string) {
  const { text, signatures } = parseNote(note)
  const { origin, size, root } = parseCheckpoint(text)
  return { origin, size, root: encodeBase64(root), signers: signatures.map(({ name }) => name) }
}

type LogProps = Pick<PageDeps, 'publicUrl' | 'operator'> & {
  readonly checkpoint: (ReturnType<typeof readNote> & { readonly note: string; readonly at: number }) | null
  readonly key: string | null
}

function Log({ checkpoint, key, ...site }: LogProps) {
  const witnesses = (checkpoint?.signers ?? []).filter((name) => name !== checkpoint?.origin)
  return (
    <Layout
      title="The log: a past that cannot be rewritten"
      description="Every published decision, incident and test purchase of Touchstone stands in an append-only log that anybody can check."
      path={LOG_PATH}
      {...site}
    >
      <h1>The log</h1>
      <p class="lede">
        Each change of a published decision, each incident and each test purchase is an entry of an
        append-only log. Whoever remembers one checkpoint can prove that no entry before it was changed or
        removed. The log does not prove that a verdict is true, only that it was published and when.
      </p>
      <div class="stack">
        <Panel id="checkpoint" title="Newest checkpoint">
          {checkpoint === null ? (
            <p class="empty">No checkpoint yet: the first published decision makes the first.</p>
          ) : (
            <>
              <Definitions
                class="terms"
                list={[
                  { term: 'Log entries', text: checkpoint.size.toLocaleString('en-US') },
                  { term: 'Published', text: <Moment at={checkpoint.at} /> },
                  { term: 'Witnesses', text: witnesses.join(', ') || 'No witness yet' },
                ]}
              />
              <Snippet label="Checkpoint" code={checkpoint.note.trimEnd()} />
            </>
          )}
        </Panel>
        {key !== null && (
          <Panel id="check" title="Check it">
            <p>The key that verifies checkpoints. Compare it with one from another source, if you can.</p>
            <Snippet label="Key of the log" code={key} />
            <p>
              The guard remembers each checkpoint that it saw, and refuses a log that does not continue it.
            </p>
            <Snippet
              label="Check the log"
              code={`npx @touchstone402/guard log follow --service ${site.publicUrl} --key '${key}'`}
            />
          </Panel>
        )}
      </div>
    </Layout>
  )
}
