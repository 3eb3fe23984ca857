import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, onTestFinished } from 'vitest'
import { ROOT } from '../../scripts/docs/shellLines.ts'
import { type RunningLine, startLine, WITH_LOCAL_NAMES } from '../../scripts/docs/startLine.ts'
import { useMarket } from './market.ts'
import { economySettings } from './settings.ts'

/** An answer of `/readyz`. */
export type Readyz = {
  readonly code: number
  readonly status: string
  readonly checks: Readonly<Record<string, string>>
}

/** A running service as its operator sees it. */
export type WatchedService = {
  readonly line: RunningLine
  readonly url: string
  readyz(): Promise<Readyz>
  /** Returns the value of a metric as `/metrics` prints it; undefined if it is not there. @param name with its labels */
  metric(name: string): Promise<string | undefined>
  /** Log lines so far. */
  events(): Readonly<Record<string, unknown>>[]
  /** Waits until `/readyz` is as wanted. Returns the seconds that it took. */
  until(isWanted: (answer: Readyz) => boolean): Promise<number>
  stop(): Promise<void>
}

/** A market, and for each test the settings of a service on it with a separate data folder. */
export function useWatched() {
  const market = useMarket()
  /** Shown by `/readyz` for each fault, and after how many seconds. */
  const seen: Record<string, { readyz: string; seconds: number }> = {}
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'touchstone-health-'))
    const own = folder
    onTestFinished(() => rm(own, { recursive: true, force: true }))
  })
  afterAll(() => process.stdout.write(`seconds until /readyz shows a fault: ${JSON.stringify(seen)}\n`))
  const settings = () => ({
    ...economySettings(market.economy),
    DIRECTORIES: `bazaar=${market.economy.directories.bazaarUrl}`,
    DEVELOPMENT_ALLOW_HOSTS: market.economy.allowedHosts.join(','),
    DATA_DIR: folder,
    LOG_INTERVAL_SECONDS: '1',
  })
  return { market, seen, settings }
}

/** Starts the service as its operators do, with metrics. */
export async function startWatched(settings: Readonly<Record<string, string>>): Promise<WatchedService> {
  const line = startLine('exec node packages/server/bin/touchstone-server.js', {
    cwd: ROOT,
    env: { METRICS_PORT: '0', ...settings, ...WITH_LOCAL_NAMES },
  })
  const [, url = ''] = await line.said(/"message":"listening at (http:[^,\s]+)/)
  const [, metrics = ''] = await line.said(/"message":"metrics at (http:[^"]+)"/)
  const readyz = async (): Promise<Readyz> => {
    const response = await fetch(`${url}/readyz`)
    return { code: response.status, ...((await response.json()) as Omit<Readyz, 'code'>) }
  }
  return {
    line,
    url,
    readyz,
    async metric(name) {
      const found = (await (await fetch(metrics)).text())
        .split('\n')
        .find((text) => text.startsWith(`${name} `))
      return found?.slice(name.length + 1)
    },
    events: () =>
      line
        .output()
        .split('\n')
        .flatMap((text) => (text.startsWith('{') && text.endsWith('}') ? [JSON.parse(text)] : [])),
    async until(isWanted) {
      const startedAt = performance.now()
      for (;;) {
        const answer = await readyz()
        if (isWanted(answer)) return Math.round((performance.now() - startedAt) / 100) / 10
        if (performance.now() - startedAt > 90_000)
          throw new Error(`still ${JSON.stringify(answer)}\n${line.output().slice(-3000)}`)
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    },
    async stop() {
      await line.interrupt('SIGKILL')
    },
  }
}
