import { EventEmitter, once } from 'node:events'
import { start } from '@touchstone402/economy'
import { describeBusy, isIdle, listUnfinished } from './audits.ts'
import { describeJoining, isResolved } from './describeJoining.ts'
import { findPort } from './findPort.ts'
import { createResult, runDemo } from './runDemo.ts'
import { nameSellers } from './sellerNames.ts'
import { startService } from './startService.ts'
import { summarize } from './summarize.ts'

const DAY_MS = 86_400_000
const AUDITED_DAYS = 3
/** The same in every run if it is free, so that saved settings stay valid. */
const SELLER_PORT = 8403

const endsOnceDone = process.argv.includes('--once')
const json = process.argv.includes('--json')
const startedAt = Date.now()
// With --json, standard output is the result alone.
const say = (line: string) => (json ? process.stderr : process.stdout).write(`${line}\n`)
const secondsSince = (time: number) => Math.round((Date.now() - time) / 100) / 10

say('This takes about a minute on two cores at rest, and longer on a busy machine.')
say('Starting a local x402 economy: a chain, a facilitator, three directories, honest and dishonest sellers.')
const economy = await start({
  sellers: nameSellers(),
  sellerPort: await findPort(SELLER_PORT),
  onProgress: (line) => say(`  ${line}`),
})
say(`Touchstone audits ${AUDITED_DAYS} days in fast motion and makes test purchases:`)
const auditStart = economy.clock.now()
let day = 0
const sayDay = () => {
  day += 1
  say(`  auditing day ${day} of ${AUDITED_DAYS}, after ${secondsSince(startedAt)} s`)
}
const crawling = new EventEmitter<{ progress: [] }>()
const service = await startService(economy, {
  buys: true,
  mcp: true,
  log: (level, message) => {
    if (level === 'warn') process.stderr.write(`${message}\n`)
  },
  onCrawl: () => {
    while (day < AUDITED_DAYS && economy.clock.now() >= auditStart + day * DAY_MS) sayDay()
    crawling.emit('progress')
  },
})
await economy.clock.caughtUp
say(`Touchstone is running at ${service.url}, caught up with real time after ${secondsSince(startedAt)} s.`)
while (!isIdle(service.crawl())) await once(crawling, 'progress')

const stop = async () => {
  await service.stop()
  await economy.stop()
}
const sayJson = (result: ReturnType<typeof createResult>) => {
  const seconds = secondsSince(startedAt)
  if (json) process.stdout.write(`${JSON.stringify({ ...result, seconds })}\n`)
}
const unfinished = await listUnfinished(economy, service.url)
if (unfinished.length > 0) {
  await stop()
  const sentence = describeBusy(unfinished)
  say('')
  say(sentence)
  sayJson({ ...createResult(), expectations: 1, failures: [sentence] })
  process.exit(1)
}

const result = await runDemo(economy, service, say)
const sayOutcome = () => {
  say('')
  for (const line of summarize(result)) say(line)
  sayJson(result)
}
if (endsOnceDone) {
  await stop()
  sayOutcome()
  process.exit(result.failures.length === 0 ? 0 : 1)
}
sayOutcome()
say('')
const knowsNames = await isResolved('weather.localhost')
for (const line of await describeJoining(economy, service.url, knowsNames)) say(line)
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
