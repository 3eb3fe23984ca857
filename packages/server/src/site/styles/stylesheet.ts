import { createHash } from 'node:crypto'
import { BASE_STYLE } from './base.ts'
import { CHART_STYLE } from './charts.ts'
import { DASHBOARD_STYLE } from './dashboard.ts'
import { FORM_STYLE } from './forms.ts'
import { PARTS_STYLE } from './parts.ts'
import { PROFILE_STYLE } from './profile.ts'
import { REPORT_STYLE } from './reports.ts'
import { SCRIPT_STYLE } from './script.ts'
import { TOKEN_STYLE } from './tokens.ts'

/** The stylesheet of all pages. */
export const STYLESHEET = [
  TOKEN_STYLE,
  BASE_STYLE,
  PARTS_STYLE,
  CHART_STYLE,
  FORM_STYLE,
  PROFILE_STYLE,
  DASHBOARD_STYLE,
  SCRIPT_STYLE,
  REPORT_STYLE,
]
  .join('\n')
  .replace(/\/\*[^*]*\*\//g, '')
  .replace(/\s*\n\s*/g, '\n')

/** URL of the stylesheet; its version changes with the content, so the response can be cached for long. */
export const STYLE_URL = `/assets/style.css?v=${createHash('sha256').update(STYLESHEET).digest('hex').slice(0, 10)}`
