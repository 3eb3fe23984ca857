import type { WitnessBook, Witnessed } from './createWitness.ts'

/** Creates a book in memory, for tests and examples: a witness that forgets what it cosigned is worth nothing. */
export function createMemoryBook(): WitnessBook {
  const kept = new Map<string, Witnessed>()
  return {
    read: async (origin) => kept.get(origin),
    write: async (origin, witnessed) => void kept.set(origin, witnessed),
  }
}
