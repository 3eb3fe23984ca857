import { type DrawnClient, listDrawn } from '../facts/clientIdentities.ts'
import type { Observation } from '../facts/facts.ts'
import { LIMITS } from '../judge/spec.ts'

/** Chooses the client identities of probes. */
export type ClientChoice = {
  /**
   * Draws the index of a client: one that more agents use, or that has waited longer, is likelier.
   * @param names of the clients that have probed, the one that has waited longest first
   */
  draw(names: readonly string[]): number
  /**
   * Returns the client that has waited longest among the last ones, so that an open question is closed by few clients,
   * asked in turn. While fewer have probed, draws another one.
   */
  follow(names: readonly string[]): number
  /** Draws the clients of a live check: ours, one of Node, and another one. */
  drawLive(names: readonly string[]): readonly number[]
  /** Learns the name of a client from one of its probes. */
  learn(client: number, probe: Observation): void
}

/**
 * Creates the choice.
 * @param written number of client identities that the prober writes
 * @param random from 0 to below 1
 * @param real indexes of the programs that it runs as clients. @default none
 */
export function createClientChoice(
  written: number,
  random: () => number,
  real: readonly number[] = [],
): ClientChoice {
  const all = listDrawn(written, real)
  const clients = all.length
  const names = new Map<number, string>()
  const nameOf = ({ index }: DrawnClient) => names.get(index) ?? String(index)
  /** Draws one by its weight and its place in the queue, as those that never probed stand first. */
  const drawAmong = (candidates: readonly DrawnClient[], waiting: readonly string[]): number => {
    const tickets = candidates.map((client) => {
      const place = waiting.indexOf(nameOf(client))
      return client.weight * (place < 0 ? clients : waiting.length - place)
    })
    let left = random() * tickets.reduce((sum, count) => sum + count, 0)
    const drawn = candidates.find((_, index) => {
      left -= tickets[index] ?? 0
      return left < 0
    })
    return (drawn ?? candidates[0])?.index ?? 0
  }
  const draw = (waiting: readonly string[]) => drawAmong(all, waiting)
  return {
    draw,
    follow(waiting) {
      const asked = waiting
        .slice(-LIMITS.askedClients)
        .flatMap((name) => all.find((client) => nameOf(client) === name) ?? [])
      if (asked.length >= Math.min(LIMITS.askedClients, clients)) return asked[0]?.index ?? 0
      return drawAmong(
        all.filter((client) => !asked.includes(client)),
        waiting,
      )
    },
    drawLive(waiting) {
      const drawn: number[] = []
      for (const kinds of [['ours'], ['node'], ['ours', 'node', 'python']]) {
        const left = all.filter(({ index, kind }) => kinds.includes(kind) && !drawn.includes(index))
        if (left.length > 0) drawn.push(drawAmong(left, waiting))
      }
      return drawn
    },
    learn(client, { client: name }) {
      names.set(client, name)
    },
  }
}
