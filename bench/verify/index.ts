import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyStore, openStore, startPostgres } from '@touchstone402/server/testing'
import { sendLoad } from '../../e2e/support/load/client.ts'
import { verifyPath } from '../../e2e/support/load/openLoaded.ts'
import { putHosts } from '../../e2e/support/manyHosts.ts'
import {
  keepToSecondCore,
  type ServerProcess,
  startServer,
  startServiceProcess,
} from '../../e2e/support/servers.ts'
import { ALONE } from '../../e2e/support/settings.ts'

const SELECT = new URL('./select.ts', import.meta.url)
/** Each endpoint is asked for once, so no answer is cached. */
const ENDPOINTS = { short: 8_000, full: 40_000 }
const TURNS = 4
const BAR = 0.5

/**
 * `/verify` of an endpoint that is not cached costs at most twice as much as one prepared SELECT behind a bare listener.
 *
 * Both read the same store, in a data folder and in PostgreSQL, and each endpoint is asked for once: answers per second of
 * the server's processor time, in turns of one run.
 */
export async function run({ short }: { short: boolean }) {
  const isPinned = await keepToSecondCore()
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-verify-'))
  const database = await startPostgres()
  try {
    const store = await openStore({ databaseUrl: null, dataDir: directory })
    const urls = await putHosts(store, { hosts: ENDPOINTS[short ? 'short' : 'full'], now: Date.now() })
    await store.close()
    await copyStore({ directory }, { url: database.url })
    const figures = {
      sqliteVsSelect: await compare({ DATA_DIR: directory }, urls, isPinned),
      postgresVsSelect: await compare(
        { DATA_DIR: join(directory, 'shared'), DATABASE_URL: database.url },
        urls,
        isPinned,
      ),
    }
    return { ok: Object.values(figures).every((ratio) => ratio >= BAR), figures }
  } finally {
    await database.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Returns the share of the floor's answers per second of processor time. */
async function compare(place: Readonly<Record<string, string>>, urls: readonly string[], isPinned: boolean) {
  const service = await startServiceProcess({ ...ALONE, ...place }, { isPinned })
  const bare = await startServer(SELECT, place, { isPinned })
  try {
    const servers = [createSpender(service), createSpender(bare)] as const
    const size = Math.floor(urls.length / (TURNS + 1))
    for (let turn = 0; turn <= TURNS; turn++) {
      // The first turn warms up.
      for (const spend of servers) await spend(urls.slice(turn * size, (turn + 1) * size), turn > 0)
    }
    const [answered, floor] = servers.map(({ rate }) => rate())
    process.stderr.write(`answers per second of processor time: ${answered}, bare SELECT ${floor}\n`)
    return Math.round(((answered ?? 0) / (floor ?? 1)) * 100) / 100
  } finally {
    await service.stop()
    await bare.stop()
  }
}

function createSpender(server: ServerProcess) {
  const spent = { answered: 0, cpuMs: 0 }
  const spend = async (urls: readonly string[], counts: boolean) => {
    const paths = urls.map(verifyPath)
    const before = await server.measure()
    let answered = 0
    while (paths.length > 0)
      answered += (
        await sendLoad({ origin: server.origin, nextPath: () => paths.pop() ?? '/healthz', durationMs: 500 })
      ).answered
    if (!counts) return
    spent.answered += answered
    spent.cpuMs += (await server.measure()).cpuMs - before.cpuMs
  }
  return Object.assign(spend, { rate: () => Math.round(spent.answered / (spent.cpuMs / 1000)) })
}
