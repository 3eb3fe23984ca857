import type { DailyMeasurements } from '../../facts/dailyMeasurements.ts'
import { hasTerms, type Observation } from '../../facts/facts.ts'
import { addToRun, NO_RUN, type PriceRun } from './bait.ts'
import { addClient, type ClientTerms, NO_CLIENTS } from './clients.ts'
import { addToDay, type DayMemory } from './dayMemory.ts'
import { addEpoch, type Epochs, MAX_EPOCHS, NO_EPOCHS } from './epochs.ts'
import { addLook, type LookMemory, NO_LOOKS, settleLook } from './lookMemory.ts'
import { addAssets, type NamedAssets, NO_ASSETS } from './namedAssets.ts'
import { addJump, addPrice, MAX_PRICES, NO_JUMPS, type PriceEpoch, type PriceJumps } from './prices.ts'
import { addRefusal, NO_REFUSALS, type Refusals } from './refusals.ts'
import { addStatus, NO_STATUS, type StatusMemory } from './status.ts'
import { toSeen } from './terms.ts'
import { addUptime, NO_UPTIME, type UptimeLog } from './uptimeLog.ts'

/** Memory of an endpoint's looks; each part is described where it is made. */
export type Memory = {
  readonly looks: LookMemory
  readonly status: StatusMemory
  readonly uptime: UptimeLog
  readonly refusals: Refusals
  readonly day: DayMemory | null
  readonly epochs: Epochs
  readonly prices: readonly PriceEpoch[]
  readonly jumps: PriceJumps
  readonly run: PriceRun
  readonly clients: ClientTerms
  readonly assets: NamedAssets
}

export const NO_MEMORY: Memory = {
  looks: NO_LOOKS,
  status: NO_STATUS,
  uptime: NO_UPTIME,
  refusals: NO_REFUSALS,
  day: null,
  epochs: NO_EPOCHS,
  prices: [],
  jumps: NO_JUMPS,
  run: NO_RUN,
  clients: NO_CLIENTS,
  assets: NO_ASSETS,
}

/** How many receiver and price periods are kept. */
export type MemoryLimits = { readonly epochs: number; readonly prices: number }

/** As many as a state shows. */
export const SHOWN: MemoryLimits = { epochs: MAX_EPOCHS, prices: MAX_PRICES }

/** Adds a look to what is remembered; returns the day that ended before it too. */
export function remember(
  memory: Memory,
  look: Observation,
  limits: MemoryLimits = SHOWN,
): { readonly memory: Memory; readonly settled: Observation; readonly ended: DailyMeasurements | null } {
  const settled = settleLook(memory.looks, look)
  const { day, ended } = addToDay(memory.day, settled)
  const after = {
    ...(hasTerms(settled) ? rememberTerms(memory, settled, limits) : memory),
    looks: addLook(memory.looks, settled),
    status: addStatus(memory.status, settled),
    uptime: addUptime(memory.uptime, settled),
    refusals: addRefusal(memory.refusals, settled),
    day,
  }
  return { memory: after, settled, ended }
}

function rememberTerms(memory: Memory, probe: Observation, limits: MemoryLimits): Memory {
  return {
    ...memory,
    epochs: addEpoch(memory.epochs, probe, limits.epochs),
    prices: addPrice(memory.prices, probe, limits.prices),
    jumps: addJump(memory.jumps, probe),
    run: addToRun(memory.run, probe),
    clients: addClient(memory.clients, toSeen(probe)),
    assets: addAssets(memory.assets, probe),
  }
}
