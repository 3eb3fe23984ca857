import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { start, USDC } from '@touchstone402/economy'
import { startPostgres } from '@touchstone402/server/testing'
import { type ServerProcess, startServiceProcess } from '../../support/servers.ts'
import { economySettings } from '../../support/settings.ts'
import { restartUnder } from './restarts.ts'
import { openSellers } from './sellers.ts'

/** Maximum delay until every process serves a verdict that a worker wrote, in ms. */
const SHOWN_WITHIN_MS = 5000
/** Number of latest verdicts that are timed. Requesting all of them would take longer than the delay. */
const LATEST = 50
/** Time limit for requesting the other verdicts, in ms. */
const ASK_FOR_MS = 60_000
const GIVE_UP_AFTER_MS = 15 * 60_000

/**
 * Every host is probed, and by one worker at a time, though processes are killed and the database is stopped.
 *
 * Two API processes and two workers share one database, and one of each is killed during the run. Then a process for
 * everything and two workers probe again, while PostgreSQL is stopped under them in three ways.
 *
 * The bar: every host is probed, none by two workers at once, the remaining API process soon serves all verdicts, no
 * process ends with the database, and probing and answering go on when it is back.
 */
export async function run({ short }: { short: boolean }) {
  const hosts = short ? 400 : 5000
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-cluster-'))
  const database = await startPostgres()
  const economy = await start({ sellers: [], clock: 'real' })
  const sellers = await openSellers(economy.wallets.service.address, USDC)
  const members: ServerProcess[] = []
  try {
    const list = join(directory, 'urls.txt')
    await writeFile(list, Array.from({ length: hosts }, (_, number) => sellers.url(number)).join('\n'))
    const environment = {
      ...economySettings(economy),
      DIRECTORIES: `file=${list}`,
      DEVELOPMENT_ALLOW_HOSTS: `127.0.0.1:${sellers.port}`,
      DATABASE_URL: database.url,
      SIGNING_KEY_FILE: join(directory, 'signing-keys.json'),
      LOG_KEY_FILE: join(directory, 'log-key'),
    }
    const open = async (role: 'all' | 'api' | 'worker', name: string) => {
      const settings = { ...environment, DATA_DIR: join(directory, name) }
      const options = { ...(role !== 'all' && { role }), isOnLoopback: true }
      const member = await startServiceProcess(settings, options)
      members.push(member)
      return member
    }
    const [firstApi, secondApi] = [await open('api', 'api1'), await open('api', 'api2')]
    const [firstWorker, secondWorker] = [await open('worker', 'worker1'), await open('worker', 'worker2')]
    const startedAt = performance.now()
    const reached = (share: number) => waitUntil(() => sellers.probed() >= hosts * share)
    await reached(0.3)
    await firstWorker.stop()
    await reached(0.5)
    await firstApi.stop()
    await reached(1)
    const lastProbe = performance.now()
    await waitUntilKnown(secondApi.origin, sellers.latest(LATEST))
    const shownAfterMs = Math.round(performance.now() - lastProbe)
    const all = Array.from({ length: hosts }, (_, number) => sellers.url(number))
    const known = await waitUntilKnown(secondApi.origin, all)
    const whole = [await open('all', 'all'), secondWorker, await open('worker', 'worker3')] as const
    const restarted = await restartUnder(database, whole, sellers)
    const figures = {
      hosts,
      probed: sellers.probed(),
      overlapping: sellers.overlapping(),
      known,
      shownAfterMs,
      seconds: Math.round((lastProbe - startedAt) / 1000),
      ...restarted,
    }
    const isWhole = figures.probed === hosts && known === hosts && figures.overlapping === 0
    const hasSurvived = restarted.processesEnded + restarted.notResumed === 0
    return { ok: isWhole && hasSurvived && shownAfterMs <= SHOWN_WITHIN_MS, figures }
  } finally {
    for (const member of members) await member.stop()
    await sellers.stop()
    await economy.stop()
    await database.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

async function waitUntil(isDone: () => boolean): Promise<void> {
  const end = Date.now() + GIVE_UP_AFTER_MS
  while (!isDone() && Date.now() < end) await sleep(50)
}

/** Requests verdicts until all are known or a minute has passed. Returns the number of known ones. */
async function waitUntilKnown(origin: string, urls: readonly string[]): Promise<number> {
  const end = Date.now() + ASK_FOR_MS
  const unknown = new Set(urls)
  while (unknown.size > 0 && Date.now() < end) {
    for (const url of unknown) {
      const response = await fetch(`${origin}/verify?endpoint=${encodeURIComponent(url)}`)
      const verdict = (await response.json()) as { known?: boolean }
      if (verdict.known) unknown.delete(url)
    }
    if (unknown.size > 0) await sleep(50)
  }
  return urls.length - unknown.size
}
