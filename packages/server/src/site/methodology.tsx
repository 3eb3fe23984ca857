import type { Page } from '../http/deps.ts'
import { SCORE_VERSION } from '../judge/spec.ts'
import { buildScoringDocument } from '../publish/scoring/scoringDocument.ts'
import { answerHtml } from './answerHtml.tsx'
import { Layout } from './components/layout.tsx'
import { Markdown } from './components/markdown.tsx'
import type { PageDeps } from './pageDeps.ts'

/** Creates `/methodology`: `docs/scoring.md`, built from the specification that the scorer uses. */
export function createMethodologyPage(deps: PageDeps): Page {
  const answer = answerHtml(
    <Layout
      {...deps}
      title={`Methodology: trust score ${SCORE_VERSION}`}
      description="How Touchstone measures x402 endpoints and reaches a verdict: factors, flags, caps, thresholds, versions."
      path="/methodology"
    >
      <article class="panel document">
        <Markdown source={buildScoringDocument()} />
        <p>
          This specification <a href="/trust-score.json">as data</a>.
        </p>
      </article>
    </Layout>,
  )
  return { path: '/methodology', handler: () => answer }
}
