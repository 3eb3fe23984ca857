import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { start } from '@touchstone402/economy'
import { PAID_OPERATIONS } from '@touchstone402/shared'
import fc from 'fast-check'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startServiceProcess } from '../support/servers.ts'
import { economySettings } from '../support/settings.ts'
import { signFor } from '../support/sign.ts'
import { type Generated, requests } from './fuzz/requests.ts'

const MALFORMED = new URL('../../packages/shared/fixtures/malformed-queries.txt', import.meta.url)
const CONNECTIONS = 16
const BATCH = 1000
const MAX_STALL_MS = 200

/**
 * No request makes the service fail, fall silent or stall.
 *
 * Sends generated requests for all operations. The bar: no 5xx, no missing response, no long stall.
 */
export async function run({ short }: { short: boolean }) {
  const wanted = short ? 4000 : 100_000
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-fuzz-'))
  const economy = await start({ clock: 'real' })
  const { bazaarUrl, index402Url } = economy.directories
  const settings = {
    ...economySettings(economy),
    DIRECTORIES: `bazaar=${bazaarUrl},402index=${index402Url}`,
    DATA_DIR: directory,
    TRUST_PROXY: '1',
    DEVELOPMENT_ALLOW_HOSTS: economy.allowedOrigins.map((origin) => new URL(origin).host).join(','),
  }
  const service = await startServiceProcess(settings, { isWatched: true })
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const statuses: Record<string, number> = {}
  const failures: string[] = []
  try {
    const pauper = privateKeyToAccount(generatePrivateKey())
    const payments = await Promise.all(
      PAID_OPERATIONS.flatMap(() => [1, 2] as const).map(
        async (version) => (await signFor(`${service.origin}/trust`, pauper, version)).headers,
      ),
    )
    const malformed = readFileSync(MALFORMED, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split('\t')[0] ?? '')
    const arbitrary = requests(malformed, payments)
    const seed = Date.now()
    process.stderr.write(`seed ${seed}\n`)
    // Wait for the first crawl and JIT warm-up.
    await sleep(3000)
    await service.measure({ isStart: true })
    for (let sent = 0; sent < wanted; sent += BATCH) {
      const batch = fc.sample(arbitrary, { numRuns: BATCH, seed: seed + sent })
      await inParallel(batch, CONNECTIONS, async (generated) => {
        const status = await (generated.raw ? sendRaw : send)(service.origin, agent, generated).catch(
          (error: unknown) => `no answer: ${error instanceof Error ? error.message : error}`,
        )
        statuses[status] = (statuses[status] ?? 0) + 1
        if (typeof status === 'string' || status >= 500)
          failures.push(`${status} ${JSON.stringify(generated)}`)
      })
      if (sent % 10_000 === 0) process.stderr.write(`${sent + BATCH} of ${wanted}\n`)
    }
    const { maxMs: maxStallMs } = (await service.measure()).stalls
    for (const failure of failures.slice(0, 20)) process.stderr.write(`${failure.slice(0, 600)}\n`)
    const figures = {
      requests: wanted,
      status5xx: Object.entries(statuses)
        .filter(([status]) => Number(status) >= 500)
        .reduce((sum, [, count]) => sum + count, 0),
      unanswered: failures.filter((failure) => failure.startsWith('no answer')).length,
      maxStallMs: Math.round(maxStallMs * 10) / 10,
      statuses,
      seed,
    }
    const reached = [200, 400, 402, 404, 405].every((status) => (statuses[status] ?? 0) > 0)
    return { ok: reached && failures.length === 0 && maxStallMs <= MAX_STALL_MS, figures }
  } finally {
    agent.destroy()
    await service.stop()
    await economy.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of queue) await work(item)
    }),
  )
}

function send(origin: string, agent: Agent, { method, path, headers }: Generated): Promise<number> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const call = request({ hostname, port, method, path, headers, agent, timeout: 15_000 }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', reject)
    })
    call.on('timeout', () => call.destroy(new Error('timeout')))
    call.on('error', reject)
    call.end()
  })
}

// For a malformed request line, closing the connection without a response is acceptable.
function sendRaw(origin: string, _agent: Agent, { method, path }: Generated): Promise<number> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      const odd = path.replace(/%([0-9a-f]{2})/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
      socket.write(`${method} ${odd} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`, 'latin1')
    })
    const chunks: Buffer[] = []
    socket.setTimeout(15_000, () => socket.destroy(new Error('timeout')))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? resolve(0) : reject(error),
    )
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(Buffer.concat(chunks).toString('latin1'))?.[1]
      resolve(Number(status ?? 0))
    })
  })
}
