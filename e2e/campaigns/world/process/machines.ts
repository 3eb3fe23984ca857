import type { Facts } from '../facts.ts'
import { type Machine, type MachineSetUp, startMachine } from './machine.ts'
import { killProcess } from './seams.ts'
import type { LoadedSlot } from './slots.ts'

/** The processes of a world, which share its ledger. */
export type Machines = ReturnType<typeof createMachines>

const START_MS = 60_000

/** Creates the processes of a world: with a file ledger one for each seat, else one for both. */
export function createMachines(
  facts: Facts,
  slots: readonly LoadedSlot[],
  common: Omit<MachineSetUp, 'name' | 'seats'>,
) {
  const running: (Machine | null)[] = slots.map(() => null)
  const setUpOf = (index: number): MachineSetUp => {
    if (slots.length === 1) return { ...common, name: 'all', seats: ['owner', 'proxy'] }
    return index === 0
      ? { ...common, name: 'owner', seats: ['owner'] }
      : { ...common, name: 'proxy', seats: ['proxy'] }
  }
  const start = async (index: number): Promise<void> => {
    const slot = slots[index]
    if (slot === undefined || running[index]) return
    let isOver = false
    const setUp = setUpOf(index)
    const started = startMachine(slot, facts, setUp).then(
      (machine) => {
        running[index] = machine
      },
      (error: Error) => facts.trace.add(`${setUp.name} does not start: ${error.message}`),
    )
    started.finally(() => {
      isOver = true
    })
    await facts.order.until(() => isOver, START_MS)
    if (!isOver) killProcess(slot.slot.process)
  }
  return {
    start,
    count: slots.length,
    /** The running process of a seat; null if it does not run. */
    of: (seat: 'owner' | 'proxy'): Machine | null =>
      running.find((one) => one?.setUp.seats.includes(seat)) ?? null,
    all: (): Machine[] => running.filter((one) => one !== null),
    isRunning: (index: number): boolean => running[index] !== null,
    async startAll(): Promise<void> {
      for (const index of slots.keys()) await start(index)
    },
    kill(index: number): void {
      const machine = running[index]
      if (!machine) return
      killProcess(machine.process)
      running[index] = null
      // Its callers see their connections end.
      for (const call of facts.books.calls) if (call.process === machine.process) call.isOver = true
    },
    endAll(): void {
      for (const index of slots.keys()) this.kill(index)
    },
  }
}
