import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../services/openStore.ts'
import { readState } from './endpoints.ts'
import { inspectPostgres } from './postgres.ts'
import { aState } from './testing/documents.ts'
import { NOON } from './testing/records.ts'
import { type RunningPostgres, startPostgres } from './testing/startPostgres.ts'

const isThere = spawnSync('pgbouncer', ['--version']).status === 0
/** PgBouncer refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** Starts a stock PgBouncer in front of a server. Returns its connection string. */
async function startPooler(server: RunningPostgres, mode: 'session' | 'transaction') {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-pooler-'))
  const host = new URL(server.url).searchParams.get('host') ?? ''
  const config = [
    ['[databases]', `* = host=${host} user=touchstone`],
    ['[pgbouncer]', `pool_mode = ${mode}`, 'auth_type = any', `unix_socket_dir = ${directory}`],
    ['listen_addr =', 'listen_port = 6432', 'default_pool_size = 20'],
  ]
  await writeFile(join(directory, 'pgbouncer.ini'), config.flat().join('\n'))
  if (user.uid !== undefined) await chown(directory, user.uid, user.gid)
  const pooler = spawn('pgbouncer', [join(directory, 'pgbouncer.ini')], {
    ...user,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    pooler.stderr.on('data', (chunk) => {
      said += chunk
      if (said.includes('process up')) resolve()
    })
    pooler.once('exit', () => reject(new Error(said)))
  })
  return {
    url: `postgres://touchstone@localhost:6432/postgres?host=${encodeURIComponent(directory)}`,
    async stop() {
      pooler.kill('SIGINT')
      if (pooler.exitCode === null) await once(pooler, 'exit')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

describe.skipIf(!isThere)('a stock PgBouncer', () => {
  let server: RunningPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  test('default: works in session mode', async () => {
    const pooler = await startPooler(server, 'session')
    const store = await openStore({ databaseUrl: pooler.url, dataDir: '' })
    const seen: unknown[] = []
    await store.watch((changed) => seen.push(changed))
    await store.write('putEndpoint', aState())
    expect(await readState(store, aState().endpoint)).toEqual({ state: aState() })
    await expect.poll(() => seen).toHaveLength(1)
    expect(await store.write('takeLease', 'api.example')).not.toBeNull()
    expect((await store.totals(NOON)).hosts).toHaveLength(1)
    await store.close()
    await pooler.stop()
  })

  test('error: is refused in transaction mode, with the reason', async () => {
    const pooler = await startPooler(server, 'transaction')
    const sentence = /transaction mode.*session mode/
    await expect(openStore({ databaseUrl: pooler.url, dataDir: '' })).rejects.toThrow(sentence)
    await expect(inspectPostgres(pooler.url)).rejects.toThrow(sentence)
    await pooler.stop()
  })
})
