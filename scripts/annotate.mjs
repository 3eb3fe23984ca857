// Step of action.yml: prints the findings of a SARIF file, and what was not tested, as annotations, and fails from a severity on.
import { appendFileSync, readFileSync } from 'node:fs'

const { SCAN_SARIF = '', SCAN_FAIL_ON = '', GITHUB_OUTPUT } = process.env
const COMMANDS = { error: 'error', warning: 'warning', note: 'notice' }
/** Levels of SARIF that fail the step. */
const FAILING = {
  critical: ['error'],
  warn: ['error', 'warning'],
  info: ['error', 'warning', 'note'],
  never: [],
}

// Source: GitHub Actions, workflow commands, escaping of data and of properties.
const escapeData = (text) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const escapeProperty = (text) => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

if (!Object.hasOwn(FAILING, SCAN_FAIL_ON)) {
  console.log('::error::fail-on: expected critical, warn, info or never.')
  process.exit(1)
}
const [{ results, invocations }] = JSON.parse(readFileSync(SCAN_SARIF, 'utf8')).runs
for (const { ruleId, level, message, locations } of results) {
  const { uri } = locations[0].physicalLocation.artifactLocation
  const place = `file=${escapeProperty(uri)},line=1,title=${escapeProperty(ruleId)}`
  console.log(`::${COMMANDS[level]} ${place}::${escapeData(message.text)}`)
}
for (const { message } of invocations.flatMap((one) => one.toolExecutionNotifications))
  console.log(`::notice::${escapeData(message.text)}`)
if (GITHUB_OUTPUT) appendFileSync(GITHUB_OUTPUT, `findings=${results.length}\n`)
process.exitCode = results.some(({ level }) => FAILING[SCAN_FAIL_ON].includes(level)) ? 1 : 0
