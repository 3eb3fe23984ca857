import { createLogReader, LogError } from '@touchstone402/guard/log'
import { openLeaf, readLeaf } from '@touchstone402/shared/leaves'
import { parseCheckpoint, parseNote, LogError as SharedLogError } from '@touchstone402/transparency'
import type { Case } from './attacks.ts'
import { fetchFrom, type Keys, NOW } from './world.ts'

/** Reads a whole log as an auditor does. Returns what it refuses; null if all is right. */
export async function inspectLog(
  keys: Keys,
  { answer, memory, now = NOW, quorum = 2 }: Case,
): Promise<string | null> {
  const reader = createLogReader({
    url: 'https://trust.example',
    fetch: fetchFrom(answer),
    key: keys.key,
    witnesses: keys.witnesses.map(({ key }) => key),
    quorum,
    now: () => now,
  })
  try {
    const head = await reader.checkpoint()
    if (memory !== undefined) await reader.checkContinues(parseCheckpoint(parseNote(memory).text), head)
    for await (const { index, leaf: bytes, opening } of reader.entries(0, head)) {
      const leaf = readLeaf(bytes)
      if (opening !== null) openLeaf(leaf, opening)
      // An auditor meets tiles that no bundle needs by proving leaves.
      if (index % 97 === 0) await reader.prove(index, bytes, head)
    }
    return null
  } catch (error) {
    // The published guard bundles its own copy of the shared code, and so of the class.
    if (error instanceof LogError || error instanceof SharedLogError) return error.code
    throw error
  }
}
