import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { DERIVATION } from '../publish/derivation.ts'
import { openPostgres, SCHEMA } from './postgres.ts'
import { TABLES } from './schema.ts'
import { createStore } from './store.ts'
import { describeStore } from './testing/describeStore.ts'

import { usePostgres } from './testing/usePostgres.ts'

const place = usePostgres()
let client: pg.Client
beforeAll(async () => {
  client = new pg.Client(place().url)
  await client.connect()
})
afterAll(() => client.end())

// One database for all tests, since creating one takes longer than a test. Migrations add no rows but the format's.
const removeRows = () => {
  const names = Object.keys(TABLES).filter((name) => name !== 'meta')
  const tables = names.map((name) => `${SCHEMA}.${name}`)
  return client.query(`truncate ${tables.join(', ')} restart identity`)
}

describeStore('PostgreSQL', async () => ({
  open: async () => createStore(await openPostgres(place(), DERIVATION)),
  remove: async () => void (await removeRows()),
}))
