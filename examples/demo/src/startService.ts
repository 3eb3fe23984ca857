import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Economy, keyAt, WALLET_INDEX } from '@touchstone402/economy'
import { type App, type AppOptions, readConfig, startApp } from '@touchstone402/server'

/** The service, running on a local economy. */
export type Service = App & { readonly dataDir: string }

/**
 * Starts the service on an economy's chain, facilitator, directories, clock and names.
 * @param options.settings environment variables that override the defaults
 * @param options.buys whether the service makes test purchases. @default false
 * @param options.mcp whether it audits the MCP servers of the economy. @default false
 */
export async function startService(
  economy: Economy,
  options: AppOptions & { settings?: Readonly<Record<string, string>>; buys?: boolean; mcp?: boolean } = {},
): Promise<Service> {
  const { settings = {}, buys = false, mcp = false, ...rest } = options
  const dataDir = settings.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'touchstone-')))
  const { bazaarUrl, index402Url, mcpUrl } = economy.directories
  // The registry serves the source repositories, which are probed like endpoints.
  const allowedHosts = [...economy.allowedHosts, ...(mcp ? [new URL(mcpUrl).host] : [])]
  const given = {
    OPERATOR_NAME: 'Touchstone demonstration',
    OPERATOR_CONTACT: 'mailto:operator@touchstone.example',
    RPC_URLS: economy.chain.rpcUrl,
    FACILITATOR_URL: economy.facilitator.url,
    PAY_TO: economy.wallets.service.address,
    DIRECTORIES: `bazaar=${bazaarUrl},402index=${index402Url}`,
    ...(allowedHosts.length > 0 && { DEVELOPMENT_ALLOW_HOSTS: allowedHosts.join(',') }),
    DATA_DIR: dataDir,
    ...(buys && (await describeShopper(dataDir))),
    ...(mcp && { MCP_DIRECTORIES: `registry=${mcpUrl}`, NPM_REGISTRY: mcpUrl }),
    ...settings,
  }
  const startAt = async (port: string) => {
    const read = readConfig({ PUBLIC_URL: `http://127.0.0.1:${port}`, PORT: port, ...given })
    if (!read.ok) throw new Error(read.problems.join('\n'))
    return startApp(read.config, { clock: economy.clock, lookup: economy.lookup, ...rest })
  }
  const app = settings.PORT === undefined ? await startAtFreePort(startAt) : await startAt(settings.PORT)
  return {
    ...app,
    dataDir,
    async stop() {
      await app.stop()
      if (settings.DATA_DIR === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const FIRST_PORT = 8402

/** Starts a service at port 8402 or a free one. Another process may take a port before the service listens. */
async function startAtFreePort(startAt: (port: string) => Promise<App>): Promise<App> {
  for (let port = await findPort(FIRST_PORT); ; port = await findPort(0)) {
    try {
      return await startAt(String(port))
    } catch (error) {
      if (!isInUse(error)) throw error
    }
  }
}

const isInUse = (error: unknown): boolean =>
  error instanceof Error && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE'

/** Returns the settings of test purchases, with the economy's account for them. */
async function describeShopper(dataDir: string): Promise<Readonly<Record<string, string>>> {
  const keyFile = join(dataDir, 'shopper-key')
  await writeFile(keyFile, keyAt(WALLET_INDEX.shopper), { mode: 0o600 })
  return { SHOPPER_KEY_FILE: keyFile, SHOPPER_PER_CALL_USD: '0.05', SHOPPER_PER_DAY_USD: '1' }
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
