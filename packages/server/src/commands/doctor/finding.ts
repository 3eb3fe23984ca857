import { messageOf } from '../../lib/errors.ts'
import { keepHosts } from '../../lib/hideSecrets.ts'
import {
  type Check as HealthCheck,
  type Finding as HealthFinding,
  runCheck,
} from '../../services/health/createHealth.ts'

/** Result of a check. The text is one sentence, with what to do if anything is wrong. */
export type Finding = { readonly level: 'ok' | 'warn' | 'fail'; readonly name: string; readonly text: string }

/** A check of one thing. The signal fires at its limit. */
export type Check = {
  readonly name: string
  /** @throws Error with the failure */
  readonly run: (signal: AbortSignal) => Promise<Verdict | readonly Verdict[]>
}

export type Verdict = Pick<Finding, 'level' | 'text'>

export const ok = (text: string): Verdict => ({ level: 'ok', text })
export const warn = (text: string): Verdict => ({ level: 'warn', text })
export const fail = (text: string): Verdict => ({ level: 'fail', text })

/** Returns the verdict on a finding of the running service: what would be `degraded` or `down` fails. */
export const ofHealth = ({ level, status, sentence = status }: HealthFinding): Verdict =>
  level === 'ok' ? ok(sentence) : level === 'impaired' ? warn(sentence) : fail(sentence)

/** Runs a check of the running service once. Returns null if it finds nothing wrong. */
export async function askHealth(check: HealthCheck): Promise<Verdict | null> {
  const finding = await runCheck(check).finding
  return finding.level === 'ok' ? null : ofHealth(finding)
}

const LIMIT_MS = 10_000

/** Runs checks at the same time, each for 10 seconds at most. Returns their findings in the order of the checks. */
export async function runChecks(checks: readonly Check[]): Promise<Finding[]> {
  const findings = await Promise.all(
    checks.map(async ({ name, run }) => {
      const limit = new AbortController()
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<Verdict>((resolve) => {
        timer = setTimeout(() => {
          limit.abort()
          resolve(fail(`no answer within ${LIMIT_MS / 1000} s: it must be reachable from here`))
        }, LIMIT_MS)
      })
      const found = run(limit.signal).catch((error: unknown) => fail(messageOf(error)))
      const verdicts = [await Promise.race([found, late]).finally(() => clearTimeout(timer))].flat()
      return verdicts.map(({ level, text }) => ({ level, name, text: keepHosts(text) }))
    }),
  )
  return findings.flat()
}

/** Returns one line of a finding. */
export const format = ({ level, name, text }: Finding) =>
  `${level.padEnd(4)} ${name}: ${text.replace(/\s+/g, ' ').slice(0, 600)}`
