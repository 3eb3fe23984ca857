import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A running proxy in front of some origins. */
export type RunningProxy = {
  /** Where each origin is reached, in the order given. */
  readonly origins: readonly string[]
  stop(): Promise<void>
}

/** How a proxy is started. */
export type ProxyKind = {
  /**
   * Returns the configuration; all of its files lie in the folder.
   * @param ports where each upstream is to be reached
   */
  configure(folder: string, upstreams: readonly string[], ports: readonly number[]): string
  /** Returns the command line. */
  command(folder: string, config: string): readonly [string, ...string[]]
}

/**
 * Starts a proxy in front of servers.
 * @param isPinned whether to keep it to the second core
 */
export async function startProxy(
  { configure, command }: ProxyKind,
  upstreams: readonly string[],
  isPinned: boolean,
): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-proxy-'))
  const ports = await freePorts(upstreams.length)
  const config = join(folder, 'proxy.conf')
  await writeFile(config, configure(folder, upstreams, ports))
  const [program, ...args] = command(folder, config)
  const child = isPinned
    ? spawn('taskset', ['-c', '1', program, ...args], { stdio: 'ignore' })
    : spawn(program, args, { stdio: 'ignore' })
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
    const answer = await fetch(origin, { redirect: 'manual' }).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer !== undefined) return
    await sleep(50)
  }
  throw new Error(`the proxy does not answer at ${origin}`)
}
