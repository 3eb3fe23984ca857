/** Lets a changing number of workers in at a time. */
export type Gate = {
  /** Waits until there is room. */
  enter(): Promise<void>
  /** Leaves; `changed` says whether those who wait for a change have reason to look again. */
  leave(changed: boolean): void
  /** Whether the caller, inside, is the only one. */
  isAlone(): boolean
  /** Resolves when someone leaves with a change. */
  change(): Promise<void>
}

/** Creates a gate; `room` is asked anew whenever someone wants in. */
export const createGate = (room: () => number): Gate => {
  let inside = 0
  let outside: (() => void)[] = []
  let idle: (() => void)[] = []
  const wake = (those: readonly (() => void)[]) => {
    for (const each of those) each()
  }
  return {
    change: () => new Promise((resolve) => idle.push(resolve)),
    async enter() {
      while (inside >= room()) await new Promise<void>((resolve) => outside.push(resolve))
      inside++
    },
    leave(changed) {
      inside--
      const [wanting, resting] = [outside, idle]
      outside = []
      if (changed) idle = []
      wake(wanting)
      if (changed) wake(resting)
    },
    isAlone: () => inside === 1,
  }
}
