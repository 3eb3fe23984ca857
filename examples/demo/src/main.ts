import { start } from '@touchstone402/economy'
import { describeJoining } from './describeJoining.ts'
import { runDemo } from './runDemo.ts'
import { startService } from './startService.ts'

const once = process.argv.includes('--once')
const startedAt = Date.now()
const say = (line: string) => process.stdout.write(`${line}\n`)
const seconds = () => Math.round((Date.now() - startedAt) / 100) / 10

say('Starting a local x402 economy: a chain, a facilitator, three directories, honest and dishonest sellers.')
const economy = await start({ hosts: 'ports', onProgress: (line) => say(`  ${line}`) })
let reported = 0
const service = await startService(economy, {
  buys: true,
  mcp: true,
  log: (level, message) => {
    if (level === 'warn') process.stderr.write(`${message}\n`)
  },
  onCrawl: ({ looks }) => {
    if (Date.now() - reported < 1000) return
    reported = Date.now()
    const day = new Date(economy.clock.now()).toISOString().slice(0, 16).replace('T', ' ')
    say(`  probed endpoints: ${looks}, simulated time: ${day}`)
  },
})
say(`Touchstone is running at ${service.url}, audits three days in fast motion and makes test purchases:`)
await economy.clock.caughtUp
say(`  caught up with real time after ${seconds()} s`)

const { failures, ...result } = await runDemo(economy, service, say)
say('')
say(
  `${result.paid.length} payments, ${result.refused.length} refusals, ${result.services} endpoints tracked, ${result.incidents} incidents.`,
)
for (const failure of failures) process.stderr.write(`check failed: ${failure}\n`)

const stop = async () => {
  await service.stop()
  await economy.stop()
}
if (once) {
  await stop()
  say(JSON.stringify({ ...result, seconds: seconds() }))
  process.exit(failures.length === 0 ? 0 : 1)
}
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
