import type { Observation } from '../facts/facts.ts'

/** Chooses the client identity of the next probe. */
export type ClientChoice = {
  /**
   * Returns the index of the client that has waited longest; a random one among equals.
   * @param names of the clients that have probed, the one that has waited longest first
   */
  choose(names: readonly string[]): number
  /** Learns the name of a client from one of its probes. */
  learn(client: number, probe: Observation): void
}

/**
 * Creates the choice. Every client takes its turn, so terms shown to only one of them are found quickly.
 * @param random 0 to 1
 */
export function createClientChoice(clients: number, random: () => number): ClientChoice {
  const names = new Map<number, string>()
  return {
    choose(known) {
      const waiting = Array.from({ length: clients }, (_, client) => {
        const name = names.get(client)
        return { client, last: name === undefined ? -1 : known.indexOf(name) }
      })
      const longest = Math.min(...waiting.map(({ last }) => last))
      const candidates = waiting.filter(({ last }) => last === longest)
      return candidates[Math.floor(random() * candidates.length)]?.client ?? 0
    },
    learn(client, { client: name }) {
      names.set(client, name)
    },
  }
}
