import { parseSize } from '@touchstone402/transparency'
import type { Environment } from '../config/storageSettings.ts'
import { readLogSize } from '../store/log.ts'
import { withStore } from './withStore.ts'

/**
 * Deletes the opening of a leaf, its salt and what it names. The leaf and the tree stay as they are.
 * @returns a summary
 * @throws Error with the reason if it fails
 */
export async function runLogForget(given: string, environment: Environment): Promise<string> {
  const index = parseSize(given)
  if (index === undefined)
    throw new Error(`INDEX must be the index of a leaf, such as 12; got ${JSON.stringify(given)}`)
  return withStore(environment, async (store) => {
    if (await store.write('forgetOpening', index))
      return `The opening of leaf ${index} is deleted. Back-ups from before still hold it.`
    const size = await readLogSize(store)
    throw new Error(
      index < size
        ? `leaf ${index} has no opening: it contains no names, or its opening was deleted before`
        : `there is no leaf ${index}: the log has ${size} leaves`,
    )
  })
}
