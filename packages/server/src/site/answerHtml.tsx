import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { PageAnswer } from '../http/deps.ts'

/** Answers with a page. Text in it is escaped by the renderer; no page uses raw markup. */
export function answerHtml(page: VNode, more: Pick<PageAnswer, 'status' | 'expiresAt'> = {}): PageAnswer {
  return {
    ...more,
    type: 'text/html; charset=utf-8',
    body: `<!doctype html>${renderToString(page)}`,
  }
}

/** Answers with JSON. */
export function answerJson(value: unknown, more: Pick<PageAnswer, 'status' | 'expiresAt'> = {}): PageAnswer {
  return { ...more, type: 'application/json; charset=utf-8', body: JSON.stringify(value) }
}
