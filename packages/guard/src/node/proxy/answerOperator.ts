import type { IncomingMessage } from 'node:http'
import type { PendingApprovals } from './approvals.ts'
import { OPERATOR_HEADER, refuse, toJson } from './messages.ts'
import { GREETING_PATH, NONCE_HEADER, type OperatorGate, PROOF_HEADER } from './operatorProofs.ts'

/** Dependencies of {@link answerOperator}. */
export type OperatorDeps = {
  gate: OperatorGate
  approvals: PendingApprovals
  /** Whether there is a page, and a password for it. */
  hasPage: boolean
}

/** Whether a request is a command of the operator, or the greeting before it. */
export const isOperatorPath = (url: string): boolean => url === GREETING_PATH || url.startsWith('/operator/')

/** Answers the operator's commands: what waits, answers to it, and the password of the page. Each answer is proven. */
export async function answerOperator(
  { gate, approvals, hasPage }: OperatorDeps,
  { url = '', method = '', headers }: IncomingMessage,
): Promise<Response> {
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
    return refuse(400, 'REQUEST_INVALID', 'A command has no body.')
  if (url === GREETING_PATH) {
    const greeting = method === 'POST' ? gate.greet(String(headers[NONCE_HEADER] ?? '')) : null
    return greeting === null
      ? refuse(400, 'REQUEST_INVALID', 'Expected POST and a nonce.')
      : toJson(200, greeting)
  }
  const nonces = gate.accept(String(headers[OPERATOR_HEADER] ?? ''), { method, path: url })
  if (nonces === null) return refuse(401, 'OPERATOR_ONLY', 'The command has no valid proof of the operator.')
  const { status, data } = answerCommand(gate, approvals, hasPage, `${method} ${url}`)
  const answer = toJson(status, data)
  answer.headers.set(PROOF_HEADER, gate.prove(nonces, status, await answer.clone().text()))
  return answer
}

function answerCommand(gate: OperatorGate, approvals: PendingApprovals, hasPage: boolean, command: string) {
  if (command === 'GET /operator/approvals') return { status: 200, data: { pending: approvals.pending() } }
  if (command === 'GET /operator/page' && hasPage) return { status: 200, data: { start: gate.start } }
  const [, method, id = '', verb] =
    /^(GET|POST) \/operator\/approvals\/([0-9a-f]+)(?:\/(approve|refuse))?$/.exec(command) ?? []
  const isShown = method === 'GET' && verb === undefined
  if (isShown || (method === 'POST' && verb !== undefined)) {
    const found = isShown ? approvals.find(id) : approvals.answer(id, verb === 'approve')
    if (found === undefined)
      return { status: 404, data: { code: 'NOT_PENDING', reason: `Nothing waits as ${id}.` } }
    const { approval, body } = found
    const whole = isShown ? { body: body === null ? null : Buffer.from(body).toString('base64') } : {}
    return { status: 200, data: { approval, ...whole } }
  }
  return { status: 404, data: { code: 'NO_COMMAND', reason: 'There is no such command.' } }
}
