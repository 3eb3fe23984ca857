import {
  addFixes,
  askForTerms,
  describeFailed,
  describeUntested,
  detectStack,
  groupUntested,
  SCAN_CHECK_IDS,
  SCAN_CHECKS,
  type ScanAnswer,
  type ScanFinding,
  type ScanSeverity,
  STACKS,
  type Stack,
  scanTerms,
} from '@touchstone402/shared/scan'
import type { Policy } from '../../decide/policySchema.ts'
import type { GuardError } from '../../errors.ts'
import { formatUsd } from '../../formatUsd.ts'
import { createGuard } from '../../integrations/createGuard.ts'
import { readBody } from '../../readBody.ts'
import { describePayment } from './describePayment.ts'
import { EXIT, type Io, readEndpoint, UsageError } from './io.ts'

const TIMEOUT_MS = 15_000
const MAX_BODY_BYTES = 256 * 1024
/** Of the two columns before the headlines. */
const WIDTHS = { outcome: 9, id: 21 }

type Given = {
  readonly url: string
  readonly json: boolean
  readonly sarif: boolean
  readonly file: string | undefined
}

/** `scan <url>`: asks an endpoint for its terms, unpaid, and checks them on this machine. */
export async function scan(values: Given, io: Io): Promise<number> {
  if (values.json && values.sarif) throw new UsageError('Give --json or --sarif, not both.')
  if (values.file !== undefined && !values.sarif) throw new UsageError('--file goes with --sarif.')
  const { given, key: endpoint } = readEndpoint(values.url)
  const { findings, stack, failure } = await runChecks(given, endpoint, io)
  const isOk = !findings.some(isCritical)
  // First for people: it explains all that follows.
  if (failure !== null) io.err(failure)
  if (values.sarif) io.out(JSON.stringify(describeSarif(endpoint, findings, values.file ?? endpoint)))
  else if (values.json) io.out(JSON.stringify({ endpoint, ok: isOk, stack, failure, checks: findings }))
  else {
    print(io, endpoint, findings)
    // A recipe cannot help an endpoint that is out of reach.
    if (failure === null) printRecipes(io, findings, stack)
  }
  return isOk ? EXIT.ok : EXIT.refused
}

/** `check <url>` without a service: the checks of `scan`, and the decision of a policy on the offers. */
export async function checkHere(
  url: string,
  endpoint: string,
  io: Io,
  { policy, json }: { policy: Policy; json: boolean },
): Promise<number> {
  const { findings, failure, answer } = await runChecks(url, endpoint, io)
  const isOk = !findings.some(isCritical)
  // A guard without a past, which reserves nothing that counts.
  const guard = createGuard({ policy, service: undefined })
  const judged =
    answer?.status !== 402
      ? null
      : await guard.approve({ url, ...answer }).then(
          ({ intent }) => ({ pays: true, offered: intent, code: null, reason: null }),
          (error: GuardError) => ({ pays: false, ...pick(error) }),
        )
  if (json)
    io.out(JSON.stringify({ endpoint, state: 'local', ok: isOk, failure, policy: judged, checks: findings }))
  else {
    io.out('No service: checked on this machine, without a history.')
    print(io, endpoint, findings)
    if (judged === null) io.out(failure === null ? 'It asks for no payment.' : failure)
    else if (judged.offered !== undefined && judged.pays)
      io.out(`The policy pays ${formatUsd(judged.offered.amountUsd)} to ${judged.offered.payTo}.`)
    else io.out(`The policy does not pay it (${judged.code}): ${judged.reason}`)
    io.out(describePayment(await guard.budget()))
  }
  if (failure !== null) return EXIT.unknown
  return isOk ? (judged?.pays === false ? EXIT.caution : EXIT.ok) : EXIT.avoid
}

const pick = ({ offered, code, message: reason }: GuardError) => ({ offered, code, reason })

const isCritical = ({ outcome, severity }: ScanFinding) => outcome === 'fail' && severity === 'critical'

async function runChecks(url: string, endpoint: string, io: Io) {
  let failure: string | null = null
  const terms = await askForTerms((method) => ask(url, method, io)).catch((error: unknown) => {
    failure = `No answer: ${reasonOf(error)}`
    return { answers: [], answer: null, challenge: null }
  })
  const stack = detectStack(terms.answer?.headers ?? {})
  const findings = addFixes(scanTerms(endpoint, terms), stack)
  const isFailed = ({ outcome }: ScanFinding) => outcome === 'fail'
  return {
    findings: [...findings.filter(isFailed), ...findings.filter((finding) => !isFailed(finding))],
    stack,
    failure,
    answer: terms.answer,
  }
}

async function ask(url: string, method: ScanAnswer['method'], io: Io): Promise<ScanAnswer> {
  const input = method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {}
  const response = await io.fetch(url, { method, ...input, signal: AbortSignal.timeout(TIMEOUT_MS) })
  const body = await readBody(response, MAX_BODY_BYTES, TIMEOUT_MS).catch(() => null)
  return { method, status: response.status, headers: Object.fromEntries(response.headers), body }
}

/** Returns why a request failed; `fetch` states it only in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed.'
  return error.cause instanceof Error ? error.cause.message || error.message : error.message
}

function print(io: Io, endpoint: string, findings: readonly ScanFinding[]): void {
  const indent = ' '.repeat(WIDTHS.outcome + WIDTHS.id)
  io.out(`${describeFailed(findings)}: ${endpoint}`)
  for (const { id, outcome, severity, title, detail, fix } of findings) {
    if (outcome === 'unknown') continue
    const label = outcome === 'pass' ? 'ok' : severity
    io.out(`${label.padEnd(WIDTHS.outcome)}${id.padEnd(WIDTHS.id)} ${title}`)
    for (const line of [detail, fix]) if (line) io.out(`${indent} ${line}`)
  }
  for (const group of groupUntested(findings)) io.out(describeUntested(group))
}

function printRecipes(io: Io, findings: readonly ScanFinding[], stack: Stack): void {
  const failed = findings.filter(({ outcome }) => outcome === 'fail')
  const recipes = new Set(failed.map(({ recipe }) => recipe))
  for (const recipe of recipes) {
    const ids = failed.filter((finding) => finding.recipe === recipe).map(({ id }) => id)
    io.out(`\nFix of ${ids.join(', ')} (${STACKS[stack]}):\n${recipe}`)
  }
}

const LEVELS: Readonly<Record<ScanSeverity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  warn: 'warning',
  info: 'note',
}

/**
 * Describes failed checks as SARIF 2.1.0, with a notification for those that were not made.
 * @param place URI of the artifact that the results are shown at
 */
export function describeSarif(endpoint: string, findings: readonly ScanFinding[], place: string): object {
  const rules = SCAN_CHECK_IDS.map((id) => {
    const { severity, failed: text, fix } = SCAN_CHECKS[id]
    const defaultConfiguration = { level: LEVELS[severity] }
    return { id, shortDescription: { text }, help: { text: fix }, defaultConfiguration }
  })
  const location = {
    physicalLocation: { artifactLocation: { uri: place }, region: { startLine: 1 } },
    logicalLocations: [{ fullyQualifiedName: endpoint, kind: 'resource' }],
  }
  const failed = findings.filter(({ outcome }) => outcome === 'fail')
  const results = failed.map(({ id, severity, title, detail, fix = '' }) => ({
    ruleId: id,
    ruleIndex: SCAN_CHECK_IDS.indexOf(id),
    level: LEVELS[severity],
    message: { text: [`${endpoint}: ${title}.`, detail, fix].filter(Boolean).join(' ') },
    locations: [location],
    // Keeps one alert per endpoint and check.
    partialFingerprints: { endpointAndCheck: `${endpoint} ${id}` },
  }))
  const untested = groupUntested(findings).map((group) => ({
    level: 'note',
    message: { text: `${endpoint}: ${describeUntested(group)}` },
  }))
  const invocations = [{ executionSuccessful: true, toolExecutionNotifications: untested }]
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'Touchstone scan', rules } }, invocations, results }],
  }
}
