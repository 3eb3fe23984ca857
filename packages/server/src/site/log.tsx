import { encodeBase64, parseCheckpoint, parseNote } from '@touchstone402/transparency'
import type { Page } from '../http/deps.ts'
import { readLogStart } from '../log/beginLog.ts'
import { readLogKey } from '../log/proveKeys.ts'
import { readHead } from '../store/log.ts'
import type { Store } from '../store/store.ts'
import { answerHtml, answerJson } from './answerHtml.tsx'
import { Layout } from './components/layout.tsx'
import { Packing } from './components/packing.tsx'
import { Definitions, Panel } from './components/panel.tsx'
import { Moment, Snippet } from './components/prose.tsx'
import type { PageDeps } from './pageDeps.ts'
import { LOG_PATH } from './paths.ts'

/** Creates `/log`: the size of the log, its newest checkpoint, its witnesses and key, and how to check it. */
export function createLogPage(deps: PageDeps): Page {
  return {
    path: LOG_PATH,
    async handler({ accepts }) {
      const log = await readLog(deps)
      const options = { maxAgeSeconds: 10 }
      return accepts === 'html' ? answerHtml(<Log {...deps} log={log} />, options) : answerJson(log, options)
    },
  }
}

/** Reads the newest checkpoint, parsed, and the key; all null before the first. */
async function readLog({ store, clock }: PageDeps) {
  const [head, key = null] = await Promise.all([readHead(store), readLogKey(store, clock.now())])
  if (head === null) return { checkpoint: null, publishedAt: null, key }
  const { text, signatures } = parseNote(head.note)
  const { origin, size, root } = parseCheckpoint(text)
  const view = { origin, size, root: encodeBase64(root), signers: signatures.map(({ name }) => name) }
  const continued = await readContinued(store)
  return {
    checkpoint: head.note,
    ...view,
    publishedAt: head.at,
    key,
    ...(continued && { continues: continued }),
  }
}

/** Reads the end of the log that this one continues; undefined if it is the first. */
async function readContinued(store: Store) {
  const previous = (await readLogStart(store))?.previous
  if (previous == null) return undefined
  const { origin, size, root } = parseCheckpoint(parseNote(previous).text)
  return { origin, size, root: encodeBase64(root) }
}

function Log({ log, ...deps }: PageDeps & { readonly log: Awaited<ReturnType<typeof readLog>> }) {
  return (
    <Layout
      {...deps}
      title="The log of published decisions"
      description="An append-only log of every published decision, incident and test purchase."
      path={LOG_PATH}
    >
      <h1>The log</h1>
      <p class="lede">
        Each change of a published decision, each incident and each test purchase is an entry of an
        append-only log. With one saved checkpoint you can prove that no entry before it was changed or
        removed. The log does not prove that a verdict is true, only that it was published and when.
      </p>
      <div class="stack">
        <Panel id="checkpoint" title="Newest checkpoint">
          {log.checkpoint === null ? (
            <p class="empty">No checkpoint yet: the first published decision makes the first.</p>
          ) : (
            <>
              <Definitions
                class="terms"
                list={[
                  { term: 'Log entries', text: log.size.toLocaleString('en-US') },
                  { term: 'Published', text: <Moment at={log.publishedAt} /> },
                  {
                    term: 'Witnesses',
                    text: log.signers.filter((name) => name !== log.origin).join(', ') || 'No witness yet',
                  },
                  ...(log.continues === undefined
                    ? []
                    : [
                        {
                          term: 'Continues',
                          text: `${log.continues.origin}, which ended at ${log.continues.size.toLocaleString('en-US')} entries`,
                        },
                      ]),
                ]}
              />
              <Snippet label="Checkpoint" code={log.checkpoint.trimEnd()} />
            </>
          )}
        </Panel>
        {log.key !== null && (
          <Panel id="check" title="Check it">
            <p>
              Compare the key with one from another source, if you can. The guard saves each checkpoint that
              it saw, and refuses a log that does not continue it. <Packing />
            </p>
            <Snippet label="Key of the log" code={log.key} />
            <Snippet
              label="Check the log"
              code={`npx @touchstone402/guard log follow --service ${deps.config.publicUrl} --key '${log.key}'`}
            />
          </Panel>
        )}
        {log.key !== null && (
          <Panel id="recompute" title="Recompute a verdict">
            <p>
              The days of probes are public from the second day after them. From then on, this command of the
              server judges the published probes of an endpoint, and compares the result with its log entry
              and its signed verdict. <a href="/methodology#recomputing-a-verdict">What it cannot check</a>
            </p>
            <Snippet
              label="Recompute a verdict"
              code={`touchstone-server log recompute URL --service ${deps.config.publicUrl} --key '${log.key}'`}
            />
          </Panel>
        )}
      </div>
    </Layout>
  )
}
