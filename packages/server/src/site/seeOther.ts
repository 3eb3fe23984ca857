import type { PageAnswer } from '../http/deps.ts'

/** Sends a browser that posted a form on to a page. */
export const answerSeeOther = (location: string): PageAnswer => ({
  status: 303,
  type: 'text/plain; charset=utf-8',
  body: '',
  location,
  maxAgeSeconds: 0,
})
