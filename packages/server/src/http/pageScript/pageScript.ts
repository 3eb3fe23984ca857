import { createHash } from 'node:crypto'
import { runPage } from './runPage.ts'

// Without comments and indentation.
const TEXT = String(runPage)
  .replace(/^\s*\/\/.*\n/gm, '')
  .replace(/\n\s*/g, '\n')

// In development tsx names functions by a helper, which browsers lack.
const HELPER = TEXT.includes('__name(') ? 'const __name = (named) => named;' : ''

/** The text of the script. */
export const PAGE_SCRIPT = `{${HELPER}(${TEXT})()}`

const hash = createHash('sha256').update(PAGE_SCRIPT).digest()

/** Hash of the script as policies and `integrity` name it. No other script may run. */
export const PAGE_SCRIPT_HASH = `sha256-${hash.toString('base64')}`

/** URL of the script; its version changes with the content, so the response can be cached for long. */
export const PAGE_SCRIPT_URL = `/assets/page.js?v=${hash.toString('hex').slice(0, 10)}`
