import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Economy } from '@touchstone402/economy'
import { type App, type AppOptions, readConfig, startApp } from '@touchstone402/server'

/** The service, running on a local economy. */
export type Service = App & { readonly dataDir: string }

/**
 * Starts the service on an economy's chain, facilitator, directories, clock and names.
 * @param options.settings environment variables that override the defaults
 */
export async function startService(
  economy: Economy,
  options: AppOptions & { settings?: Readonly<Record<string, string>> } = {},
): Promise<Service> {
  const { settings = {}, ...rest } = options
  const dataDir = settings.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'touchstone-')))
  const port = settings.PORT ?? String(await findPort(8402))
  const read = readConfig({
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    PORT: port,
    RPC_URLS: economy.chain.rpcUrl,
    FACILITATOR_URL: economy.facilitator.url,
    PAY_TO: economy.wallets.service.address,
    DIRECTORIES: `bazaar=${economy.directories.bazaarUrl},402index=${economy.directories.index402Url}`,
    DEVELOPMENT_ALLOW_HOSTS: economy.allowedAddresses
      .map((address) => `${address}:${economy.port}`)
      .join(','),
    DATA_DIR: dataDir,
    ...settings,
  })
  if (!read.ok) throw new Error(read.problems.join('\n'))
  const app = await startApp(read.config, { clock: economy.clock, lookup: economy.lookup, ...rest })
  return {
    ...app,
    dataDir,
    async stop() {
      await app.stop()
      if (settings.DATA_DIR === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Returns the wanted port if it is free, else any free port. */
async function findPort(wanted: number): Promise<number> {
  for (const port of [wanted, 0]) {
    const server = createServer()
    const bound = await new Promise<number | null>((resolve) => {
      server.once('error', () => resolve(null))
      server.listen(port, '127.0.0.1', () => {
        const address = server.address()
        resolve(typeof address === 'object' && address !== null ? address.port : null)
      })
    })
    await new Promise((resolve) => server.close(resolve))
    if (bound !== null) return bound
  }
  throw new Error('no port is free')
}
