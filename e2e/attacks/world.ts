import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Service, startService } from '@touchstone402/demo'
import { type Economy, keyAt, lookup, WALLET_INDEX } from '@touchstone402/economy'
import type { Incident, Verdict } from '@touchstone402/shared'
import { startEconomy } from '../support/economy.ts'
import { createShiftClock } from '../support/shiftClock.ts'
import { type Hosts, type Offer, openHosts, type Script } from './hosts.ts'

const HOUR = 3_600_000
const POLL_MS = 10

/** Scripted sellers, a chain, and the whole service with a clock that moves by hours. */
export type World = {
  readonly economy: Economy
  readonly service: Service
  readonly hosts: Hosts
  /** Advances the clock in steps, by default of one hour, and probes due endpoints in each. */
  pass(hours: number, step?: number): Promise<void>
  verify(name: string, path?: string): Promise<Verdict>
  /** Incidents of a host, open or not. */
  incidents(name: string): Promise<readonly Incident[]>
  /** Lines of the shopper's log. */
  purchases(): readonly string[]
  stop(): Promise<void>
}

/** Opens the world. The service makes test purchases of up to five cents. */
export async function openWorld(scripts: Readonly<Record<string, Script>>): Promise<World> {
  const clock = createShiftClock()
  const startedAt = clock.now()
  const economy = await startEconomy({ sellers: [], clock: 'real' })
  const hosts = await openHosts(
    scripts,
    () => (clock.now() - startedAt) / HOUR,
    settleAt(economy.facilitator.url),
  )
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-attacks-'))
  const keyFile = join(folder, 'key')
  await writeFile(keyFile, keyAt(WALLET_INDEX.shopper), { mode: 0o600 })
  const lines: string[] = []
  const service = await startService(economy, {
    ...{ clock, lookup },
    log: (_level, message) => lines.push(message),
    settings: {
      ...{ PORT: '0', PUBLIC_URL: 'https://trust.example', DATA_DIR: join(folder, 'data') },
      DIRECTORIES: `bazaar=http://127.0.0.1:${hosts.port}`,
      DEVELOPMENT_ALLOW_HOSTS: `127.0.0.1:${hosts.port}`,
      RATE_LIMIT_PER_MINUTE: '1000000',
      ...{ SHOPPER_KEY_FILE: keyFile, SHOPPER_PER_CALL_USD: '0.05', SHOPPER_PER_DAY_USD: '0.60' },
    },
  })
  const read = async <T>(path: string): Promise<T> => (await (await fetch(service.url + path)).json()) as T

  const probed = async () => {
    // A directory that is read may list more.
    for (let idle = 0; idle < 3; ) {
      await clock.settled()
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      idle = service.crawl().due === 0 && service.crawl().discoveries > 0 ? idle + 1 : 0
    }
  }
  return {
    ...{ economy, service, hosts },
    async pass(hours, step = 1) {
      await probed()
      for (let left = hours; left > 0; left -= step) {
        await clock.advance(HOUR * Math.min(step, left))
        await probed()
      }
    },
    verify: (name, path) => read(`/verify?endpoint=${encodeURIComponent(hosts.url(name, path))}`),
    async incidents(name) {
      const { incidents } = await read<{ incidents: Incident[] }>('/incidents.json?limit=1000')
      return incidents.filter(({ host }) => host === new URL(hosts.url(name)).host)
    },
    purchases: () => lines.filter((line) => line.startsWith('test purchase at ')),
    async stop() {
      await service.stop()
      await hosts.stop()
      await economy.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Returns a function that verifies and settles a payment through the facilitator. */
function settleAt(facilitatorUrl: string) {
  return async (payload: unknown, paymentRequirements: Offer) => {
    const body = JSON.stringify({ x402Version: 2, paymentPayload: payload, paymentRequirements })
    const headers = { 'content-type': 'application/json' }
    const settled = await fetch(`${facilitatorUrl}/settle`, { method: 'POST', headers, body })
    return (await settled.json()) as Record<string, unknown>
  }
}
