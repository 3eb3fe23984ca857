import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { start } from '@touchstone402/economy'
import { openStore } from '@touchstone402/server/testing'
import { startLine } from '../../scripts/docs/startLine.ts'
import type { RunOptions } from '../readOptions.ts'
import { openSellers } from '../support/load/openLoaded.ts'
import { putHosts } from '../support/manyHosts.ts'
import { ALONE } from '../support/settings.ts'

/** Options that take a number. Endpoints are a multiple of 5. */
export const numbers = ['endpoints']

const EACH = 5
const CHUNKS = 10_000
const CHUNK_BYTES = 20_000
const OLD_SPACE_MB = 512
const OUTAGE_MS = 7 * 3_600_000
const BARS = { rssMb: 400, probesPerSecond: 10 }

/**
 * A service restarts after an outage with everything due and a full `chain/` folder, in bounded memory.
 *
 * 10,000 endpoints of 2,000 hosts, each with a receiver of its own, have been due for an hour, and `chain/` holds 10,000
 * files of an earlier process. The built service starts as an operator starts it, with an old space of 512 MB, reads each
 * receiver from a chain, and writes further files.
 */
export async function run({ short, numbers: given }: RunOptions) {
  const seconds = short ? 20 : 120
  const endpoints = given.get('endpoints') ?? 10_000
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-restart-'))
  const economy = await start({ sellers: [], clock: 'real' })
  const sellers = await openSellers()
  try {
    await fillStore(directory, endpoints, sellers.port)
    await fillChunks(directory)
    const service = startLine(
      `exec node --max-old-space-size=${OLD_SPACE_MB} packages/server/bin/touchstone-server.js`,
      {
        env: {
          ...ALONE,
          NODE_OPTIONS: `--import=${new URL('../support/exampleNames.mjs', import.meta.url)}`,
          NETWORK: economy.chain.network,
          RPC_URLS: economy.chain.rpcUrl,
          FACILITATOR_URL: economy.facilitator.url,
          DEVELOPMENT_ALLOW_HOSTS: `127.0.0.1:${sellers.port}`,
          DATA_DIR: directory,
          METRICS_PORT: '0',
        },
      },
    )
    const [, metricsUrl = ''] = await service.said(/metrics at (http:[^"\s]+)/)
    await sleep(seconds * 1000)
    const metrics = await (await fetch(metricsUrl)).text()
    const read = (name: string) => Number(new RegExp(`^touchstone_${name} (\\S+)$`, 'm').exec(metrics)?.[1])
    const pid = service.child.pid ?? 0
    const figures = {
      endpoints,
      seconds,
      rssMb: await peakRssMb(pid),
      cpuMsPerProbe: Math.round((await cpuMs(pid)) / read('crawl_probes')),
      probesPerSecond: Math.round(read('crawl_probes') / seconds),
      failures: read('crawl_failed_probes'),
      due: read('crawl_due_endpoints'),
      chunksWritten: (await countFiles(join(directory, 'chain'))) - CHUNKS,
    }
    const { code, output } = await service.interrupt()
    const warnings = output.split('\n').filter((line) => line.includes('"warn"'))
    process.stderr.write(
      `exit code ${code}; ${warnings.length} warnings\n${warnings.slice(0, 5).join('\n')}\n`,
    )
    const ok =
      code === 0 &&
      figures.rssMb <= BARS.rssMb &&
      figures.probesPerSecond >= BARS.probesPerSecond &&
      figures.chunksWritten > 0 &&
      figures.failures === 0
    return { ok, figures }
  } finally {
    await sellers.stop()
    await economy.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Stores endpoints that were due an hour ago. */
async function fillStore(directory: string, endpoints: number, port: number): Promise<void> {
  const store = await openStore({ databaseUrl: null, dataDir: directory })
  await putHosts(store, {
    hosts: endpoints / EACH,
    now: Date.now() - OUTAGE_MS,
    endpoints: EACH,
    originOf: (name) => `http://${name}:${port}`,
  })
  await store.close()
}

/** Fills the folder with chunks of series that are not in use. */
async function fillChunks(directory: string): Promise<void> {
  const place = join(directory, 'chain', '8453', 'earlier')
  await mkdir(place, { recursive: true })
  const bytes = randomBytes(CHUNK_BYTES)
  for (let chunk = 0; chunk < CHUNKS; chunk++) await writeFile(join(place, `${chunk}-${chunk}.chunk`), bytes)
}

const countFiles = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length

async function peakRssMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024)
}

/** Processor time of all threads. Source: proc_pid_stat(5), fields 14 and 15 in ticks of 10 ms. */
async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return 10 * (Number(fields[11]) + Number(fields[12]))
}
