import { createHash } from 'node:crypto'
import { describeQuestion } from '../../decide/describeQuestion.ts'
import { escapeText } from '../../decide/escapeText.ts'
import { describeAllowance } from '../../errors.ts'
import type { GuardEvent } from '../../events.ts'
import { formatUsd } from '../../formatUsd.ts'
import type { GuardBudget } from '../../integrations/readBudget.ts'
import type { BudgetLine } from '../../ledger/budgetLine.ts'
import type { PendingApproval } from './approvals.ts'

/** A decision of the guard, with the task that it was made for. */
export type Decision = { task: string; event: GuardEvent }

/** Data of the page. */
export type PageFacts = {
  /** Of each task; they differ in its line alone. */
  budgets: readonly GuardBudget[]
  pending: readonly PendingApproval[]
  /** Newest first. */
  decisions: readonly Decision[]
}

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:2rem auto;padding:0 1rem}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #8884}
td{overflow-wrap:anywhere}td.n,th.n{text-align:right}form{display:inline}
dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem;margin:0}dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}
button{font:inherit;padding:.4rem 1rem;border-radius:.4rem;border:1px solid #8888}
button.stop{background:#b3261e;color:#fff;border:0}.stopped{color:#b3261e;font-weight:600}`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Headers of the page: no script, no frame, nothing from elsewhere. */
export const PAGE_HEADERS: [string, string][] = [
  ['content-type', 'text/html; charset=utf-8'],
  ['cache-control', 'no-store'],
  [
    'content-security-policy',
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  ],
  // The form of the page must send its Origin.
  ['referrer-policy', 'same-origin'],
  ['x-content-type-options', 'nosniff'],
]

/** Renders the operator's page: budgets, questions, the last decisions, and STOP. */
export function renderPage({ budgets, pending, decisions }: PageFacts): string {
  const [shared] = budgets
  const lines = [
    ...(shared ? [row('Last 24 hours', shared.day), row('Over the life of the ledger', shared.total)] : []),
    ...budgets.flatMap(({ task }) => (task === null ? [] : [row(`Task ${task.name}`, task)])),
    ...Object.entries(shared?.hosts ?? {}).map(([host, line]) => row(host, line)),
  ]
  const switchForm = shared?.isStopped
    ? `<p class="stopped">Payments are stopped.</p>${button('/resume', 'Allow payments again')}`
    : button('/stop', 'STOP all payments', 'stop')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Touchstone proxy</title><link rel="icon" href="data:,"><style>${STYLE}</style></head><body><main>
<h1>Touchstone proxy</h1>
${switchForm}
${pending.length === 0 ? '<p>Nothing waits for you.</p>' : table('Waiting for you', ['Question', 'Answer'], pending.map(question))}
${table('Budget', ['Of', 'Spent', 'Reserved', 'Left', 'Limit'], lines)}
${table('Last decisions', ['Time', 'Task', 'Decision', 'Amount', 'Endpoint'], decisions.map(decision))}
</main></body></html>
`
}

const escapeHtml = (text: string) =>
  escapeText(text).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
const cell = (text: string) => `<td>${escapeHtml(text)}</td>`
const number = (usd: string | null) =>
  `<td class="n">${usd === null ? 'none' : escapeHtml(formatUsd(usd))}</td>`

function table(name: string, heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((text) => `<th scope="col">${text}</th>`).join('')
  const body = `<thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody>`
  return `<h2>${name}</h2><div class="scroll" role="region" aria-label="${name}" tabindex="0"><table>${body}</table></div>`
}

function row(name: string, { spentUsd, reservedUsd, remainingUsd, limitUsd }: BudgetLine): string {
  return `<tr>${cell(name)}${[spentUsd, reservedUsd, remainingUsd, limitUsd].map(number).join('')}</tr>`
}

function question({ id, task, question }: PendingApproval): string {
  const facts: [string, string][] = [
    ['Task', task],
    ...describeQuestion(question),
    ['All of it', `touchstone approve ${id} --show`],
  ]
  const list = facts.map(([label, text]) => `<dt>${label}</dt><dd>${escapeHtml(text)}</dd>`).join('')
  const forms =
    button(`/approvals/${id}/approve`, 'Approve once') + button(`/approvals/${id}/refuse`, 'Refuse')
  return `<tr><td><dl>${list}</dl></td><td>${forms}</td></tr>`
}

function decision({ task, event }: Decision): string {
  const { at, type, code, payment, endpoint, method, allowedBy } = event
  const how = allowedBy === null ? '' : `. ${describeAllowance(allowedBy)}`
  const what = code === null ? type : `${type}: ${code}${how}`
  const amount = payment === null ? '' : formatUsd(payment.amountUsd)
  const cells = [new Date(at).toISOString(), task, what, amount, `${method} ${endpoint ?? ''}`]
  return `<tr>${cells.map(cell).join('')}</tr>`
}

function button(action: string, text: string, kind = ''): string {
  return `<form method="post" action="${action}"><button class="${kind}">${escapeHtml(text)}</button></form> `
}
