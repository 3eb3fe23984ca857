import cluster from 'node:cluster'
import { type Config, readConfig } from '../config/config.ts'
import { findWarnings } from '../config/findWarnings.ts'
import type { Environment } from '../config/storageSettings.ts'
import type { CrawlProgress } from '../facts/crawlProgress.ts'
import type { RequestRecord } from '../http/deps.ts'
import { createLogger, type Log, splitByLevel } from '../lib/logging.ts'
import type { Output } from '../lib/output.ts'
import { isBuilt } from '../lib/thread/isBuilt.ts'
import { findRealClients } from '../probe/realClients/findRealClients.ts'
import { PROBER_THREAD } from '../services/threads.ts'
import { startApp, startWorker, type Worker } from '../services.ts'
import { checkPlaces } from './doctor/checkPlaces.ts'
import { type Finding, runChecks } from './doctor/finding.ts'
import { forkServer, READY, type Role, runProcesses } from './runProcesses.ts'
import { type StopSignal, stopOnSignal } from './stopOnSignal.ts'

/**
 * Share of the time to stop for which the listener stays open. Kubernetes sends requests for some seconds after the
 * signal, and a load balancer learns from `/readyz`; a closed port would refuse them.
 */
const LINGER_SHARE = 1 / 6
/** Delay before a process that ended is replaced. */
const REPLACE_MS = 1000

type Given = { readonly role: Role; readonly processes: number; readonly 'new-keys': boolean }

/**
 * Runs the service until SIGINT or SIGTERM.
 * @throws Error with one line per missing, wrong or misspelt setting, or with the reason why it cannot start
 */
export async function runServe(
  { role, processes, 'new-keys': takesNewKeys }: Given,
  environment: Environment,
  output: Output,
): Promise<undefined> {
  const read = readConfig(environment)
  const warnings = findWarnings(environment)
  if (!read.ok) throw new Error([...read.problems, ...warnings].join('\n'))
  const { config } = read
  refuseToShareAFolder(config, role, processes)
  const logger = createLogger({ level: config.logLevel, write: splitByLevel(output) })
  const log: Log = (level, message, fields) => logger[level](message, fields)
  if (cluster.isPrimary) {
    const found = await refuseUnusablePlaces(config, role)
    for (const line of [...warnings, ...found]) log('warn', line, { event: 'setting_doubtful' })
  }
  const { stopMs: limitMs } = config
  if (processes > 1 && cluster.isPrimary) {
    const metricsPort = config.metrics?.port ?? null
    const group = runProcesses({
      role,
      processes,
      metricsPort,
      limitMs,
      log,
      exit: process.exit,
      fork: (own, settings) => forkServer(own, settings, takesNewKeys ? ['--new-keys'] : []),
      replaceMs: REPLACE_MS,
    })
    stopOnSignal({ ...group, log })
    return
  }
  let running: Worker | undefined
  const lingerMs = role === 'worker' ? 0 : limitMs * LINGER_SHARE
  // No load balancer is involved when a terminal sends Ctrl-C.
  const stop = async (signal: StopSignal) =>
    running?.stopWithin({ limitMs, lingerMs: signal === 'SIGINT' ? 0 : lingerMs }) ?? true
  // Before the start, which may wait for others: the first process of a container gets no signal without a handler.
  const ignoreSignals = stopOnSignal({ stop, log })
  try {
    running = await serve(config, { role, takesNewKeys }, logger, log)
  } catch (error) {
    ignoreSignals()
    throw error
  }
  if (cluster.isWorker) process.send?.(READY)
}

function refuseToShareAFolder({ databaseUrl }: Config, role: Role, processes: number): void {
  if (databaseUrl !== null || (role === 'all' && processes === 1)) return
  const asked = processes > 1 ? `--processes ${processes}` : `--role ${role}`
  throw new Error(
    `${asked} needs DATABASE_URL: several processes can share a database, but not a data folder`,
  )
}

/** Returns what the doctor warns of. @throws Error with one line for each place that it fails */
async function refuseUnusablePlaces(config: Config, role: Role): Promise<string[]> {
  const findings = await runChecks(checkPlaces(config, role))
  const linesOf = (level: Finding['level']) =>
    findings.filter((finding) => finding.level === level).map(({ name, text }) => `${name}: ${text}`)
  const failed = linesOf('fail')
  if (failed.length > 0) throw new Error(failed.join('\n'))
  return linesOf('warn')
}

type Logger = ReturnType<typeof createLogger>

/** Interval between two lines about the crawl. */
const CRAWL_EVERY_MS = 60_000

async function serve(
  config: Config,
  { role, takesNewKeys }: { readonly role: Role; readonly takesNewKeys: boolean },
  logger: Logger,
  log: Log,
): Promise<Worker> {
  let reported = Number.NEGATIVE_INFINITY
  const options = {
    hasThreads: isBuilt(PROBER_THREAD.script),
    takesNewKeys,
    realClients: await findRealClients(config.realClients, process.env.PATH ?? ''),
    log,
    onGone: () => process.exit(1),
    onRequest: (record: RequestRecord) => logger.debug('request', record),
    onCrawl: (progress: CrawlProgress) => {
      if (performance.now() - reported < CRAWL_EVERY_MS) return
      reported = performance.now()
      const { probes, due, round, directories } = progress
      log('info', describeCrawl(progress), { event: 'crawl', probes, due, round, directories })
    },
  }
  if (role === 'worker') {
    const worker = await startWorker(config, options)
    log('info', 'working', { event: 'working' })
    return worker
  }
  const app = await startApp(config, { ...options, crawls: role === 'all' })
  const { publicUrl } = config
  log('info', `listening at ${app.url}, public URL ${publicUrl}`, {
    event: 'listening',
    url: app.url,
    publicUrl,
  })
  return app
}

function describeCrawl({ probes, due, round, directories }: CrawlProgress): string {
  const { read, failed, reading } = directories
  const parts = [`crawl: ${probes} probed, ${due} due`]
  if (round !== null) parts.push(`round: ${round.probed} of ${round.total}`)
  parts.push(`directories: ${read} read, ${failed} failed, ${reading} in progress`)
  return parts.join('; ')
}
