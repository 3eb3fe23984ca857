import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { PageAnswer } from '../http/deps.ts'
import { HTML_TYPE } from '../http/problems.ts'

type Options = Pick<
  PageAnswer,
  'status' | 'expiresAt' | 'maxAgeSeconds' | 'refreshSeconds' | 'retryAfterSeconds'
>

/** Answers with a page. The renderer escapes all text; no page uses raw markup. */
export function answerHtml(page: VNode, options: Options = {}): PageAnswer {
  return { ...options, type: HTML_TYPE, body: renderPage(page) }
}

/** Renders a whole page. */
export function renderPage(page: VNode): string {
  return `<!doctype html>${renderToString(page)}`
}

/** Answers with JSON. */
export function answerJson(value: unknown, options: Options = {}): PageAnswer {
  return { ...options, type: 'application/json; charset=utf-8', body: JSON.stringify(value) }
}

/** Sends a browser that posted or asked on to a page. */
export function answerSeeOther(location: string): PageAnswer {
  return { status: 303, type: 'text/plain; charset=utf-8', body: '', location, maxAgeSeconds: 0 }
}
