import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { h } from 'preact'
import type { Page } from '../http/deps.ts'
import { REFERENCE_HEADERS } from '../http/securityHeaders.ts'
import { renderPage } from './answerHtml.tsx'

const SCRIPT_URL = '/assets/redoc.js'
const DAY_SECONDS = 86_400
/** Attributes of Redoc. Its search would need a worker of a blob. */
const OPTIONS = { 'spec-url': '/openapi.json', 'disable-search': 'true', 'hide-download-button': 'true' }

/** Creates `/docs/reference`: the OpenAPI document as drawn by Redoc's bundle, which needs its own content policy. */
export function createReferencePages(): Page[] {
  const body = renderPage(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>API reference · Touchstone</title>
        <meta name="description" content="Every operation, schema and example of the interface." />
        <style>{'body { margin: 0 } .guide { margin: 0; padding: .75rem 1rem; font: 1rem system-ui }'}</style>
      </head>
      <body>
        <p class="guide">
          <a href="/docs">Guide</a> · <a href="/openapi.json">OpenAPI document</a>
          <noscript> The reference is drawn by a script. Both of these work without.</noscript>
        </p>
        <main>{h('redoc', OPTIONS)}</main>
        <script src={SCRIPT_URL} />
      </body>
    </html>,
  )
  let script: string | undefined
  return [
    {
      path: '/docs/reference',
      handler: () => ({ type: 'text/html; charset=utf-8', body, headers: REFERENCE_HEADERS }),
    },
    {
      path: SCRIPT_URL,
      handler: () => {
        script ??= readBundle()
        return { type: 'text/javascript; charset=utf-8', body: script, maxAgeSeconds: DAY_SECONDS }
      },
    },
  ]
}

/** Reads the bundle: beside this file once built, else from the package. Its one picture from elsewhere becomes ours. */
function readBundle(): string {
  const built = new URL('./redoc.js', import.meta.url)
  const file = existsSync(built)
    ? built
    : createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js')
  return readFileSync(file, 'utf8').replace('https://cdn.redoc.ly/redoc/logo-mini.svg', '/assets/icon.svg')
}
