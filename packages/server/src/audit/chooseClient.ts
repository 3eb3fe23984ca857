import type { Observation } from '../domain/facts/facts.ts'

/** Chooses which identity looks next. */
export type ClientChoice = {
  /** Index of the identity that has waited longest to look at this endpoint; among those that never did, at random. */
  choose(looks: readonly Observation[]): number
  /** Learns the name under which an identity's looks are recorded. */
  learn(client: number, look: Observation): void
}

/**
 * Makes the choice among identities. Each gets its turn, so that what only one of them is shown is seen within as
 * many looks as there are identities.
 * @param random 0 to 1
 */
export function createClientChoice(clients: number, random: () => number): ClientChoice {
  const names = new Map<number, string>()
  return {
    choose(looks) {
      const waiting = Array.from({ length: clients }, (_, client) => {
        const name = names.get(client)
        return { client, last: looks.findLastIndex((look) => look.client === name) }
      })
      const longest = Math.min(...waiting.map(({ last }) => last))
      const candidates = waiting.filter(({ last }) => last === longest)
      return candidates[Math.floor(random() * candidates.length)]?.client ?? 0
    },
    learn(client, look) {
      names.set(client, look.client)
    },
  }
}
