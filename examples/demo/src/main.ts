import { start } from '@touchstone402/economy'
import { describeJoining } from './describeJoining.ts'
import { runDemo } from './runDemo.ts'
import { startService } from './startService.ts'
import { summarize } from './summarize.ts'

const DAY_MS = 86_400_000
const AUDITED_DAYS = 3

const once = process.argv.includes('--once')
const json = process.argv.includes('--json')
const startedAt = Date.now()
// With --json, standard output is the result alone.
const say = (line: string) => (json ? process.stderr : process.stdout).write(`${line}\n`)
const secondsSince = (time: number) => Math.round((Date.now() - time) / 100) / 10

say('Starting a local x402 economy: a chain, a facilitator, three directories, honest and dishonest sellers.')
const economy = await start({ hosts: 'ports', onProgress: (line) => say(`  ${line}`) })
say(`Touchstone audits ${AUDITED_DAYS} days in fast motion and makes test purchases:`)
const auditStart = economy.clock.now()
let day = 0
const sayDay = () => {
  day += 1
  say(`  auditing day ${day} of ${AUDITED_DAYS}, after ${secondsSince(startedAt)} s`)
}
const service = await startService(economy, {
  buys: true,
  mcp: true,
  log: (level, message) => {
    if (level === 'warn') process.stderr.write(`${message}\n`)
  },
  onCrawl: () => {
    while (day < AUDITED_DAYS && economy.clock.now() >= auditStart + day * DAY_MS) sayDay()
  },
})
await economy.clock.caughtUp
say(`Touchstone is running at ${service.url}, caught up with real time after ${secondsSince(startedAt)} s.`)

const result = await runDemo(economy, service, say)
const stop = async () => {
  await service.stop()
  await economy.stop()
}
const sayOutcome = () => {
  say('')
  for (const line of summarize(result)) say(line)
  const seconds = secondsSince(startedAt)
  if (json) process.stdout.write(`${JSON.stringify({ ...result, seconds })}\n`)
}
if (once) {
  await stop()
  sayOutcome()
  process.exit(result.failures.length === 0 ? 0 : 1)
}
sayOutcome()
say('')
for (const line of await describeJoining(economy, service.url)) say(line)
say('')
say(`Dashboard: ${service.url}/   Press Ctrl-C to stop.`)
let isEnding = false
const end = () => {
  // Ctrl-C reaches every process of the terminal, and those that started this one pass it on.
  if (isEnding) return
  isEnding = true
  stop().then(
    () => process.exit(0),
    () => process.exit(1),
  )
}
process.on('SIGINT', end)
process.on('SIGTERM', end)
