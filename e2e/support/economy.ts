import { rmSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Service, startService } from '@touchstone402/demo'
import { type Economy, lookup, type StartOptions, start } from '@touchstone402/economy'
import { inject } from 'vitest'
import { runServerCommand } from './runServerCommand.ts'
import { SELLERS } from './sellers.ts'
import { serve } from './serve.ts'

/** All sellers, and a service that has audited them for three days. */
export type Audited = {
  readonly economy: Economy
  readonly service: Service
  /** Lines of its log, oldest first. */
  readonly lines: readonly string[]
}

/** A name that the resolver of the shared service fails to look up. */
export const UNRESOLVABLE = 'unresolvable.example'

/** Starts an economy on the chain that `globalSetup.ts` has mined for this run. */
export function startEconomy(
  options: Omit<StartOptions, 'chainState' | 'historyBlocks'> = {},
): Promise<Economy> {
  return start({ ...options, chainState: inject('chainState') })
}

let economy: Promise<Economy> | undefined
let audited: Promise<Audited> | undefined

/**
 * Returns the economy that the test files of a worker share: a chain, a facilitator, directories and all sellers. Files
 * pay, and mine blocks. None moves the time of the chain or reverts it, since services read it. It ends with the worker.
 */
export function useEconomy(): Promise<Economy> {
  economy ??= startEconomy({ sellers: SELLERS })
  return economy
}

/**
 * Returns the shared economy and a service that has audited it for three days, with test purchases and MCP servers. Files
 * read and pay, and change only what is theirs. Both end with the worker.
 */
export function useService(): Promise<Audited> {
  audited ??= startAudited()
  return audited
}

/**
 * Copies the data folder of an audited service that goes on, for a test that changes it or restarts a service on it.
 * @param directory folder to create
 */
export async function copyData({ service }: Audited, directory: string): Promise<void> {
  await mkdir(directory)
  const file = join(directory, 'touchstone.db')
  const { code, errors } = await runServerCommand(['backup', file], { DATA_DIR: service.dataDir })
  if (code !== 0) throw new Error(errors)
  for (const key of ['signing-keys.json', 'log-key'])
    await copyFile(join(service.dataDir, key), join(directory, key))
}

async function startAudited(): Promise<Audited> {
  const shared = await useEconomy()
  const { port, stop } = await serve(() => {})
  await stop()
  const lines: string[] = []
  const service = await startService(shared, {
    buys: true,
    mcp: true,
    log: (_level, message) => lines.push(message),
    lookup: (hostname, options, callback) =>
      hostname === UNRESOLVABLE
        ? callback(Object.assign(new Error('the resolver failed'), { code: 'EAI_AGAIN' }), [])
        : lookup(hostname, options, callback),
    // All files call from one address.
    settings: { PORT: String(port), RATE_LIMIT_PER_MINUTE: '1000000' },
  })
  process.once('exit', () => rmSync(service.dataDir, { recursive: true, force: true }))
  await shared.clock.caughtUp
  return { economy: shared, service, lines }
}
