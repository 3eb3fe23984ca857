import type { Page } from 'playwright-core'

/** Requests and errors of a page so far. */
export type Traffic = {
  readonly consoleErrors: string[]
  readonly externalRequests: string[]
  readonly failedRequests: string[]
  /** Number of requests, including the page itself. */
  readonly requests: () => number
}

/** Watches a page. Documents are left out of the failures, since their status is the visitor's to judge. */
export function watchTraffic(page: Page, origin: string): Traffic {
  const traffic: Omit<Traffic, 'requests'> = { consoleErrors: [], externalRequests: [], failedRequests: [] }
  const documents = new Set<string>()
  let requests = 0
  page.on('request', (request) => {
    requests++
    if (request.isNavigationRequest()) documents.add(withoutFragment(request.url()))
    const isData = request.url().startsWith('data:')
    if (!isData && new URL(request.url()).origin !== origin) traffic.externalRequests.push(request.url())
  })
  page.on('console', (message) => {
    // The browser reports a document with an expected 404 as an error.
    const isStatus = message.text().startsWith('Failed to load resource')
    if (message.type() !== 'error' || (isStatus && documents.has(withoutFragment(message.location().url))))
      return
    traffic.consoleErrors.push(message.text())
  })
  page.on('pageerror', (error) => traffic.consoleErrors.push(error.message))
  page.on('requestfailed', (request) => {
    // A stream ends when its page is left.
    if (request.resourceType() !== 'eventsource') traffic.failedRequests.push(request.url())
  })
  page.on('response', (response) => {
    if (response.status() >= 400 && !response.request().isNavigationRequest())
      traffic.failedRequests.push(response.url())
  })
  return { ...traffic, requests: () => requests }
}

const withoutFragment = (url: string) => url.replace(/#.*$/, '')
