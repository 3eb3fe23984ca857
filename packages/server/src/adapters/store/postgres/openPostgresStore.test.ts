import { DAY } from '../../../domain/facts/times.ts'
import { describeStore } from '../testing/describeStore.ts'
import { NOON } from '../testing/records.ts'
import { usePostgres } from '../testing/usePostgres.ts'
import { openPostgresStore } from './openPostgresStore.ts'

const emptyDatabase = usePostgres()

describeStore('postgres', async () => {
  const database = emptyDatabase()
  return {
    async open(options = {}) {
      if (options.retentionDays === undefined) return openPostgresStore({ ...database, ...options })
      // Retention is hourly work, so that each look is followed by it; the looks of these tests are ahead of their clock.
      const store = await openPostgresStore({ ...database, ...options, now: () => NOON + 60 * DAY })
      return {
        ...store,
        async putEndpoint(document, written) {
          await store.putEndpoint(document, written)
          await store.compact()
        },
      }
    },
    remove: async () => {},
  }
})
