import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Economy, keyAt, USDC, WALLET_INDEX } from '@touchstone402/economy'
import { type App, type AppOptions, readConfig, startApp } from '@touchstone402/server'
import type { Address } from 'viem'
import { findPort } from './findPort.ts'

/** $5, which pays more test purchases than the service makes in the audited days. */
const SHOPPER_FUNDS_ATOMIC = 5_000_000n

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
  const { settings = {}, buys = false, mcp = false, log = () => {}, ...rest } = options
  const dataDir = settings.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'touchstone-')))
  const { bazaarUrl, index402Url, mcpUrl } = economy.directories
  // The registry serves the source repositories, which are probed like endpoints.
  const allowedHosts = [...economy.allowedHosts, ...(mcp ? [new URL(mcpUrl).host] : [])]
  const given = {
    OPERATOR_NAME: 'Touchstone demonstration',
    OPERATOR_CONTACT: 'mailto:operator@touchstone.example',
    // By two names, since final transfers are read a second time by the next URL.
    RPC_URLS: `${economy.chain.rpcUrl},${economy.chain.rpcUrl.replace('127.0.0.1', 'localhost')}`,
    FACILITATOR_URL: economy.facilitator.url,
    PAY_TO: economy.wallets.service.address,
    // The other tokens that have a page by default are not on this chain.
    TOKEN_PAGES: USDC,
    DIRECTORIES: `bazaar=${bazaarUrl},402index=${index402Url}`,
    ...(allowedHosts.length > 0 && { DEVELOPMENT_ALLOW_HOSTS: allowedHosts.join(',') }),
    DATA_DIR: dataDir,
    ...(buys && (await describeShopper(dataDir))),
    ...(mcp && { MCP_DIRECTORIES: `registry=${mcpUrl}`, NPM_REGISTRY: mcpUrl }),
    ...settings,
  }
  /** Funds an account while the audit's clock stands still. */
  const fund = (account: Address) =>
    economy.chain.mintUsdc(account, SHOPPER_FUNDS_ATOMIC).finally(economy.clock.hold())
  const startAt = async (port: string) => {
    const read = readConfig({ PUBLIC_URL: `http://127.0.0.1:${port}`, PORT: port, ...given })
    if (!read.ok) throw new Error(read.problems.join('\n'))
    return startApp(read.config, {
      clock: economy.clock,
      lookup: economy.lookup,
      log(level, message, fields) {
        log(level, message, fields)
        // As an operator does, who is told in time which account is to pay for the next test purchases.
        if (fields.event === 'shopper_account') void fund(fields.next as Address)
      },
      ...rest,
    })
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
