import { join, resolve } from 'node:path'
import { findNetwork } from '@touchstone402/shared'
import type { z } from 'zod'
import { list } from './settingKinds.ts'

const HOST_PORT = /^(?:[^\s:/[\]]+|\[[0-9a-f:.]+\]):(\d{1,5})$/i
const isHostPort = (item: string) => {
  const [, port] = HOST_PORT.exec(item) ?? []
  return port !== undefined && Number(port) > 0 && Number(port) <= 65_535
}

/** Setting of the private hosts that may be probed in development. */
export const developmentSettings = {
  DEVELOPMENT_ALLOW_HOSTS: list('host:port pairs')
    .transform((items, context) => {
      for (const item of items)
        if (!isHostPort(item)) context.addIssue(`"${item}" must be host:port, such as 127.0.0.1:8080`)
      return items
    })
    .optional(),
}

type Settings = {
  readonly PUBLIC_URL: string
  readonly FACILITATOR_URL: string
  readonly NETWORK: string
  readonly PAY_TO: string
  readonly HOST: string
  readonly PORT: number
  readonly METRICS_HOST: string
  readonly METRICS_PORT?: number | undefined
  readonly DATA_DIR: string
  readonly SIGNING_KEY_FILE?: string | undefined
  readonly LOG_KEY_FILE?: string | undefined
  readonly SHOPPER_KEY_FILE?: string | undefined
}

/** Reports settings that are sound by themselves, but not beside one another. */
export function checkTogether(settings: Settings, context: z.RefinementCtx): void {
  for (const [name, message] of listProblems(settings))
    context.addIssue({ code: 'custom', path: [name], message })
}

function* listProblems(settings: Settings): Generator<readonly [name: keyof Settings, message: string]> {
  const { PUBLIC_URL, FACILITATOR_URL, NETWORK, PAY_TO, PORT, METRICS_PORT } = settings
  if (PAY_TO.toLowerCase() === findNetwork(NETWORK)?.usdc.toLowerCase())
    yield ['PAY_TO', 'is the contract of USDC: payments to it would be lost']
  if (FACILITATOR_URL === PUBLIC_URL)
    yield ['FACILITATOR_URL', 'is that of the service itself, which settles nothing']
  if (METRICS_PORT !== undefined && METRICS_PORT !== 0 && METRICS_PORT === PORT && sharesAddress(settings))
    yield ['METRICS_PORT', 'is that of the service (PORT): give it another one']
  yield* listSharedKeyFiles(settings)
}

const EVERYWHERE = ['0.0.0.0', '::']

/** Whether the service and its metrics would listen at one address. */
const sharesAddress = ({ HOST, METRICS_HOST }: Settings) =>
  HOST === METRICS_HOST || EVERYWHERE.includes(HOST) || EVERYWHERE.includes(METRICS_HOST)

function* listSharedKeyFiles({
  DATA_DIR,
  SIGNING_KEY_FILE = join(DATA_DIR, 'signing-keys.json'),
  LOG_KEY_FILE = join(DATA_DIR, 'log-key'),
  SHOPPER_KEY_FILE,
}: Settings) {
  const owners = new Map<string, string>()
  for (const [name, path] of Object.entries({ SIGNING_KEY_FILE, LOG_KEY_FILE, SHOPPER_KEY_FILE })) {
    if (path === undefined) continue
    const owner = owners.get(resolve(path))
    if (owner !== undefined)
      yield [name as keyof Settings, `is the file of ${owner}: each key has a file of its own`] as const
    owners.set(resolve(path), name)
  }
}
