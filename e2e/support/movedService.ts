import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Service, startService } from '@touchstone402/demo'
import { type Economy, lookup } from '@touchstone402/economy'
import type { Incident, Verdict } from '@touchstone402/shared'
import { useEconomy } from './economy.ts'
import { type Cast, type Offer, type Script, serveScriptedHosts } from './scriptedHosts.ts'
import { createShiftClock } from './shiftClock.ts'

const HOUR = 3_600_000
const POLL_MS = 10
/** Interval at which a service reads its directories. */
const READING_HOURS = 6

/** A service on the shared economy whose clock the tests move by hours, and scripted sellers. */
export type MovedService = {
  readonly economy: Economy
  /** The service as it runs now; {@link restart} replaces it. */
  readonly service: Service
  /**
   * Opens sellers, which the service finds as it reads its directory again and probes at once; their hours count from
   * then on. No other file has their names.
   */
  open(scripts: Readonly<Record<string, Script>>): Promise<Cast>
  /** Advances the clock in steps, by default of one hour, and probes due endpoints in each. */
  pass(hours: number, step?: number): Promise<void>
  /** Stops the service and starts it again with the same data. */
  restart(): Promise<void>
  verify(url: string): Promise<Verdict>
  /** Incidents of the host of a URL, open or not. */
  incidents(url: string): Promise<readonly Incident[]>
}

let moved: Promise<MovedService> | undefined

/**
 * Returns the service that the test files of a worker share, which makes test purchases of up to five cents. Its clock
 * only moves ahead. It ends with the worker.
 */
export function useMovedService(): Promise<MovedService> {
  moved ??= startMoved()
  return moved
}

async function startMoved(): Promise<MovedService> {
  const economy = await useEconomy()
  const clock = createShiftClock()
  const hosts = await serveScriptedHosts(clock.now, settleAt(economy.facilitator.url))
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-moved-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const start = () =>
    startService(economy, {
      clock,
      lookup,
      buys: true,
      settings: {
        PORT: '0',
        PUBLIC_URL: 'https://trust.example',
        DATA_DIR: folder,
        DIRECTORIES: `bazaar=http://127.0.0.1:${hosts.port}`,
        DEVELOPMENT_ALLOW_HOSTS: `127.0.0.1:${hosts.port}`,
        RATE_LIMIT_PER_MINUTE: '1000000',
        SHOPPER_PER_DAY_USD: '0.60',
      },
    })
  let service = await start()
  const read = async <T>(path: string): Promise<T> => (await (await fetch(service.url + path)).json()) as T

  const probed = async () => {
    // A directory that is read may list more.
    for (let idle = 0; idle < 3; ) {
      await clock.settled()
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      idle = service.crawl().due === 0 && service.crawl().discoveries > 0 ? idle + 1 : 0
    }
  }
  const pass = async (hours: number, step = 1) => {
    await probed()
    for (let left = hours; left > 0; left -= step) {
      await clock.advance(HOUR * Math.min(step, left))
      await probed()
    }
  }
  return {
    economy,
    get service() {
      return service
    },
    async open(scripts) {
      await probed()
      const cast = hosts.open(scripts, clock.now() + READING_HOURS * HOUR)
      await pass(READING_HOURS, READING_HOURS)
      return cast
    },
    pass,
    async restart() {
      await service.stop()
      service = await start()
    },
    verify: (url) => read(`/verify?endpoint=${encodeURIComponent(url)}`),
    async incidents(url) {
      const { incidents } = await read<{ incidents: Incident[] }>('/incidents.json?limit=1000')
      return incidents.filter(({ host }) => host === new URL(url).host)
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
