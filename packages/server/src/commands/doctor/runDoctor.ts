import { readConfig } from '../../config/config.ts'
import { findWarnings } from '../../config/findWarnings.ts'
import type { Environment } from '../../config/storageSettings.ts'
import { keepHosts } from '../../lib/hideSecrets.ts'
import type { Output } from '../../lib/output.ts'
import { checkMachine } from './checkMachine.ts'
import { checkOthers } from './checkOthers.ts'
import { checkPayments } from './checkPayments.ts'
import { type Finding, format, runChecks } from './finding.ts'

/**
 * Runs all checks before a start concurrently, and prints a line for each. Changes nothing.
 * @returns the exit code: 0, or 1 if a check failed
 */
export async function runDoctor(environment: Environment, { out }: Output): Promise<number> {
  const read = readConfig(environment)
  const settings = (level: Finding['level'], text: string): Finding => ({
    level,
    name: 'settings',
    text: keepHosts(text),
  })
  const findings: Finding[] = [{ level: 'ok', name: 'node', text: process.version }]
  if (read.ok) findings.push(settings('ok', 'all are valid'))
  else findings.push(...read.problems.map((problem) => settings('fail', problem)))
  findings.push(...findWarnings(environment).map((line) => settings('warn', line)))
  for (const finding of findings) out(`${format(finding)}\n`)
  if (read.ok) {
    const { config } = read
    const found = await runChecks([...checkMachine(config), ...checkPayments(config), ...checkOthers(config)])
    for (const finding of found) out(`${format(finding)}\n`)
    findings.push(...found)
  }
  return findings.some(({ level }) => level === 'fail') ? 1 : 0
}
