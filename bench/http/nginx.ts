import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A running nginx in front of some origins. */
export type Nginx = {
  /** Where each origin is reached, in the order given. */
  readonly origins: readonly string[]
  stop(): Promise<void>
}

/**
 * Starts nginx in front of servers: kept connections to each, else the stock configuration.
 * Installs it from apt if it is missing and this is root.
 * @returns undefined if there is no nginx
 */
export async function startNginx(
  upstreams: readonly string[],
  isPinned: boolean,
): Promise<Nginx | undefined> {
  if (!isInstalled() && !install()) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-nginx-'))
  const ports = await freePorts(upstreams.length)
  const config = join(folder, 'nginx.conf')
  await writeFile(config, describe(folder, upstreams, ports))
  const nginx = ['nginx', '-p', folder, '-c', config, '-e', join(folder, 'error.log'), '-g', 'daemon off;']
  // The servers have the first core.
  const [command = '', ...args] = isPinned ? ['taskset', '-c', '1', ...nginx] : nginx
  const child = spawn(command, args, { stdio: 'ignore' })
  const origins = ports.map((port) => `http://127.0.0.1:${port}`)
  for (const origin of origins) await untilReached(origin)
  return {
    origins,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function isInstalled(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function install(): boolean {
  if (process.getuid?.() !== 0) return false
  try {
    for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'nginx-light']]) {
      execFileSync('apt-get', args, {
        stdio: 'ignore',
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      })
    }
    return isInstalled()
  } catch {
    return false
  }
}

/** Returns the configuration; all of its files lie in the folder. */
function describe(folder: string, upstreams: readonly string[], ports: readonly number[]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `  ${kind}_temp_path ${folder}/${kind};`)
    .join('\n')
  const servers = upstreams
    .map(
      (origin, index) => `
  upstream server${index} {
    server ${new URL(origin).host};
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${ports[index]};
    # The load client does not reopen connections.
    keepalive_requests 100000000;
    location / {
      proxy_pass http://server${index};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }`,
    )
    .join('\n')
  return `pid ${folder}/nginx.pid;
worker_processes 1;
events {
  worker_connections 768;
}
http {
  access_log ${folder}/access.log;
${temporary}${servers}
}
`
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  const ports: number[] = []
  for (const server of servers) {
    if (!server.listening) await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    ports.push(address.port)
  }
  for (const server of servers) server.close()
  return ports
}

async function untilReached(origin: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(origin).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer !== undefined) return
    await sleep(50)
  }
  throw new Error(`nginx does not answer at ${origin}`)
}
