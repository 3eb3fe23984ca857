import type { Context } from '../context.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { readDocument, readDocuments } from '../store/documents.ts'

/** Tokens that somebody paid for within 7 days. */
export type SoldTokens = {
  /** Notes a sale. The token that was sold longest ago makes room for a new one. */
  note(token: string): Promise<void>
  /** Lists the tokens in lower case, the newest sale first. */
  list(): Promise<string[]>
}

const KIND = 'sold-token'
const KEPT_MS = 7 * DAY
/** Maximum number of tokens. */
export const MAX_SOLD_TOKENS = 100
/** A token that sells all the time is written once in this time. */
const REST_MS = HOUR

/** Creates the list of tokens that were paid for. */
export function createSoldTokens({ clock, store }: Pick<Context, 'clock' | 'store'>): SoldTokens {
  const read = async () => {
    const sales: { token: string; expiresAt: number }[] = []
    for await (const { id: token, expiresAt } of readDocuments(store, KIND, '', clock.now()))
      sales.push({ token, expiresAt })
    return sales.sort((a, b) => b.expiresAt - a.expiresAt || (a.token < b.token ? -1 : 1))
  }
  return {
    async note(given) {
      const [token, now] = [given.toLowerCase(), clock.now()]
      const known = await readDocument(store, KIND, token, now)
      if (known !== undefined && known.expiresAt > now + KEPT_MS - REST_MS) return
      const others = known === undefined ? await read() : []
      for (const { token: oldest } of others.slice(MAX_SOLD_TOKENS - 1))
        await store.write('removeDocument', KIND, oldest)
      await store.write('putDocument', { kind: KIND, id: token, expiresAt: now + KEPT_MS, data: null }, now)
    },
    list: async () => (await read()).map(({ token }) => token),
  }
}
