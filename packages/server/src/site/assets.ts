import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Page } from '../http/deps.ts'
import { PAGE_SCRIPT } from '../http/pageScript.ts'

const DAY_SECONDS = 86_400

// Beside this file in the source, and beside the bundle once built.
const STYLESHEET = readFileSync(new URL('./style.css', import.meta.url), 'utf8')

/** URL of the stylesheet; its version changes with the content, so the response can be cached for long. */
export const STYLE_URL = `/assets/style.css?v=${createHash('sha256').update(STYLESHEET).digest('hex').slice(0, 10)}`

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="1" y="1" width="30" height="30" rx="9" fill="#23262d"/><path d="M8 22.5 24 9.5" stroke="#d9a63a" stroke-width="3.4" stroke-linecap="round"/><path d="M13.5 24.5 22 17.6" stroke="#d9a63a" stroke-width="1.6" stroke-linecap="round" opacity=".75"/></svg>`

/** The icon for clients that ask for `/favicon.ico` unasked; all current browsers draw SVG, whatever the name. */
const ICON_PATHS = ['/assets/icon.svg', '/favicon.svg', '/favicon.ico']

/** Creates the stylesheet, the script and the icon. Pages link to the first two with a version in the query. */
export function createAssetPages(): Page[] {
  const asset = (path: string, type: string, body: string): Page => {
    const answer = { type, body, maxAgeSeconds: 30 * DAY_SECONDS }
    return { path, handler: () => answer }
  }
  return [
    asset('/assets/style.css', 'text/css; charset=utf-8', STYLESHEET),
    asset('/assets/page.js', 'text/javascript; charset=utf-8', PAGE_SCRIPT),
    ...ICON_PATHS.map((path) => asset(path, 'image/svg+xml', ICON)),
  ]
}
