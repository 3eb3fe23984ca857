import type { WitnessBook, Witnessed } from '../../../ports/witnessBook.ts'
import { keyOf, openText } from './keys.ts'
import { openLevel } from './openLevel.ts'
import { attempt, fromBytes, toBytes } from './source.ts'

const keyFor = (origin: string) => keyOf('w', openText(origin))

/**
 * Opens the book of a witness in a data folder of its own.
 * @throws StoreOpenError if another process has it open
 */
export async function openWitnessBook(directory: string): Promise<WitnessBook> {
  const level = await openLevel(directory)
  return {
    async read(origin) {
      const bytes = await attempt(() => level.get(keyFor(origin)))
      return bytes && fromBytes<Witnessed>(bytes)
    },
    write: (origin, witnessed) =>
      attempt(() => level.put(keyFor(origin), toBytes(witnessed), { sync: true })),
    close: () => level.close(),
  }
}
