import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDisputes } from '../owners/createDisputes.ts'
import type { Store } from '../ports/store.ts'
import { openStore } from '../store/openStore.ts'
import { anIncident } from '../store/testing/records.ts'
import { runDisputes } from './runDisputes.ts'

const HOST = 'api.example:8402'
const AT = Date.now()
const incident = anIncident({ host: HOST })
let directory: string

/** Opens the store for one step, as the service would before it stops. */
async function withStore<T>(step: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ databaseUrl: null, dataDir: directory })
  try {
    return await step(store)
  } finally {
    await store.close()
  }
}

const disputesOf = (store: Parameters<Parameters<typeof withStore>[0]>[0]) => {
  let ids = 0
  return createDisputes({ documents: store.expiring, clock: { now: () => AT }, newId: () => `d${++ids}` })
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-disputes-'))
  await withStore(async (store) => {
    await store.append([{ kind: 'incident', id: 'f', at: AT, incident }])
    const disputes = disputesOf(store)
    const common = { host: HOST, text: 'We moved our wallet.' } as const
    await disputes.open({ ...common, endpoint: null, incident: incident.id })
    await disputes.open({ ...common, endpoint: `https://${HOST}/a`, incident: null })
  })
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const run = (answer: string | undefined, ...words: string[]) =>
  runDisputes(words, answer, { DATA_DIR: directory })

test('default: lists what waits, and publishes a dispute with an answer', async () => {
  const listed = await run(undefined, 'list')
  expect(listed).toContain(`${HOST}/d1  ${new Date(AT).toISOString()}`)
  expect(listed).toContain(`  about ${incident.id}\n  We moved our wallet.`)
  expect(listed).toContain(`  about https://${HOST}/a\n`)
  expect(await run('Seen on chain;\nthank you.', 'publish', `${HOST}/d1`)).toBe(
    `${HOST}/d1 of ${HOST} is published on its profile and at /incidents/${incident.id}, with your answer.`,
  )
  const published = await withStore(async (store) => {
    expect(await store.log.find(`incident ${incident.id} disputed`)).toBeNull()
    return disputesOf(store).published(HOST)
  })
  expect(published).toMatchObject([{ id: `${HOST}/d1`, answer: 'Seen on chain; thank you.' }])
  expect(await run(undefined, 'reject', `${HOST}/d2`)).toBe(`${HOST}/d2 is rejected, and shown nowhere.`)
  expect(await run(undefined, 'list')).toBe('No dispute waits.')
})

const USAGE = 'disputes takes "list", "publish ID --answer TEXT" or "reject ID"'

test.each([
  [undefined, ['list', 'all'], USAGE],
  [undefined, ['publish', `${HOST}/d1`], USAGE],
  ['Yes.', ['reject', `${HOST}/d1`], USAGE],
  ['Yes.', ['list'], USAGE],
  [undefined, ['reject'], USAGE],
  [undefined, [], USAGE],
  [undefined, ['drop', `${HOST}/d1`], USAGE],
  [' \u202e ', ['publish', `${HOST}/d1`], '--answer takes 1 to 1000 characters of plain text'],
  ['x'.repeat(1001), ['publish', `${HOST}/d1`], '--answer takes 1 to 1000 characters of plain text'],
  ['Yes.', ['publish', `${HOST}/d9`], `there is no dispute ${HOST}/d9`],
  [undefined, ['reject', `${HOST}/d9`], `there is no dispute ${HOST}/d9`],
])('error: %j with %j is refused, and both wait', async (answer, words, message) => {
  await expect(run(answer, ...words)).rejects.toThrow(message)
  expect((await run(undefined, 'list')).match(/ {2}about /g)).toHaveLength(2)
})
