import { rmSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Service, startService } from '@touchstone402/demo'
import { type Economy, type StartOptions, start } from '@touchstone402/economy'
import { inject } from 'vitest'
import { runServerCommand } from './runServerCommand.ts'
import { serve } from './serve.ts'

/** All sellers, and a service that has audited them for three days. */
export type Audited = { readonly economy: Economy; readonly service: Service }

/** Starts an economy on the chain that `globalSetup.ts` has mined for this run. */
export function startEconomy(
  options: Omit<StartOptions, 'chainState' | 'historyBlocks'> = {},
): Promise<Economy> {
  return start({ ...options, chainState: inject('chainState') })
}

let audited: Promise<Audited> | undefined

/**
 * Returns an audited economy that the test files of a worker share, which may read and pay but change nothing.
 * It ends with the worker.
 */
export function openAudited(): Promise<Audited> {
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
  const economy = await startEconomy()
  const { port, stop } = await serve(() => {})
  await stop()
  // All files call from one address.
  const settings = { PORT: String(port), RATE_LIMIT_PER_MINUTE: '1000000' }
  const service = await startService(economy, { settings })
  process.once('exit', () => rmSync(service.dataDir, { recursive: true, force: true }))
  await economy.clock.caughtUp
  return { economy, service }
}
