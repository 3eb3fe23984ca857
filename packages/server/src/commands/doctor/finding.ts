import { messageOf } from '../../errors.ts'
import { keepHosts } from '../../lib/hideSecrets.ts'

/** Result of a check. The text is one sentence, with what to do if anything is wrong. */
export type Finding = { readonly level: 'ok' | 'warn' | 'fail'; readonly name: string; readonly text: string }

/** A check of one thing. The signal fires at its limit. */
export type Check = {
  readonly name: string
  /** @throws Error with the failure */
  readonly run: (signal: AbortSignal) => Promise<Verdict | readonly Verdict[]>
}

type Verdict = Pick<Finding, 'level' | 'text'>

export const ok = (text: string): Verdict => ({ level: 'ok', text })
export const warn = (text: string): Verdict => ({ level: 'warn', text })
export const fail = (text: string): Verdict => ({ level: 'fail', text })

const LIMIT_MS = 10_000

/** Runs checks at the same time, each for 10 seconds at most. Returns their findings in the order of the checks. */
export async function runChecks(checks: readonly Check[], limitMs = LIMIT_MS): Promise<Finding[]> {
  const findings = await Promise.all(
    checks.map(async ({ name, run }) => {
      const limit = new AbortController()
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<Verdict>((resolve) => {
        timer = setTimeout(() => {
          limit.abort()
          resolve(fail(`no answer within ${limitMs / 1000} s: it must be reachable from here`))
        }, limitMs)
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
