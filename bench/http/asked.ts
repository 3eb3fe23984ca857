import { joined, quantile, sendLoad } from '../../e2e/support/load/client.ts'
import type { ServerProcess } from '../../e2e/support/servers.ts'

/** Time of each turn before latencies count: a paused server has to catch up. */
const WARM_MS = 2000

/**
 * Asks a server and adds up the results.
 * @param origin where the server is asked. @default its own origin
 */
export function createAsked(server: ServerProcess, nextPath: () => string, origin = server.origin) {
  const spent = { answered: 0, cpuMs: 0, ms: 0 }
  const times: Float64Array[] = []
  const rssMb: number[] = []
  let errors = 0
  let probes = 0
  const send = async (durationMs: number, perSecond?: number) => {
    const before = await server.measure()
    const served = await sendLoad({ origin, nextPath, durationMs, ...(perSecond && { perSecond }) })
    const after = await server.measure()
    errors += served.errors
    probes += after.probes - before.probes
    rssMb.push(after.rssMb)
    return { ...served, cpuMs: after.cpuMs - before.cpuMs }
  }

  return {
    /** Asks as fast as the server answers. */
    async spend(durationMs: number, counts: boolean) {
      const { answered, cpuMs } = await send(durationMs)
      if (!counts) return
      spent.answered += answered
      spent.cpuMs += cpuMs
      spent.ms += durationMs
    },
    /** Asks at a fixed rate and keeps the latencies. */
    async pace(durationMs: number, perSecond: number) {
      await send(WARM_MS, perSecond)
      times.push((await send(durationMs, perSecond)).latenciesMs)
    },
    /** Answers per second of the server's processor time. */
    rate: () => Math.round(spent.answered / (spent.cpuMs / 1000)),
    answeredPerSecond: () => spent.answered / (spent.ms / 1000),
    p99Ms: () => quantile(joined(times), 0.99),
    probes: () => probes,
    /** Growth of the peak memory from the first to the second half, since memory varies between garbage collections. */
    growthMb() {
      const half = Math.floor(rssMb.length / 2)
      return Math.max(...rssMb.slice(half)) - Math.max(...rssMb.slice(0, half))
    },
    errors: () => errors,
  }
}
