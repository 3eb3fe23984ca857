import { createStore } from './openStore.ts'
import { openPostgres } from './postgres.ts'
import { describeStore } from './testing/describeStore.ts'
import { usePostgres } from './testing/usePostgres.ts'

const emptySchema = usePostgres()
describeStore('PostgreSQL', async () => {
  const place = emptySchema()
  return { open: async (now) => createStore(await openPostgres(place), now), remove: async () => {} }
})
