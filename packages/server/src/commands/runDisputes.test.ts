import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { STANDARD_STREAMS } from '../lib/output.ts'
import { createDisputes } from '../owners/createDisputes.ts'
import type { Store } from '../ports/store.ts'
import { openStore } from '../store/openStore.ts'
import { anIncident } from '../store/testing/records.ts'
import { runCommand } from './runMain.ts'

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

const run = async (...words: string[]) =>
  String(await runCommand(['disputes', ...words], { DATA_DIR: directory }, STANDARD_STREAMS))

test('default: lists what waits, and publishes a dispute with an answer', async () => {
  const listed = await run('list')
  expect(listed).toContain(`${HOST}/d1  ${new Date(AT).toISOString()}`)
  expect(listed).toContain(`  about ${incident.id}\n  We moved our wallet.`)
  expect(listed).toContain(`  about https://${HOST}/a\n`)
  expect(await run('publish', `${HOST}/d1`, '--answer', 'Seen on chain;\nthank you.')).toBe(
    `${HOST}/d1 of ${HOST} is published on its profile and at /incidents/${incident.id}, with your answer.`,
  )
  const published = await withStore(async (store) => {
    expect(await store.log.find(`incident ${incident.id} disputed`)).toBeNull()
    return disputesOf(store).published(HOST)
  })
  expect(published).toMatchObject([{ id: `${HOST}/d1`, answer: 'Seen on chain; thank you.' }])
  expect(await run('reject', `${HOST}/d2`)).toBe(`${HOST}/d2 is rejected, and shown nowhere.`)
  expect(await run('list')).toBe('No dispute waits.')
})

test.each([
  [['list', 'all'], 'disputes list takes no words; got 1'],
  [['publish', `${HOST}/d1`], 'disputes publish needs --answer TEXT'],
  [['publish', '--answer=Yes.'], 'disputes publish needs ID'],
  [['reject', `${HOST}/d1`, '--answer=Yes.'], 'disputes reject has no option --answer'],
  [['list', '--answer=Yes.'], 'disputes list has no option --answer'],
  [['reject'], 'disputes reject needs ID'],
  [[], 'disputes needs one more word: list, publish, reject'],
  [['drop', `${HOST}/d1`], 'Unknown command "disputes drop"'],
  [['publish', `${HOST}/d1`, '--answer= \u202e '], '--answer takes 1 to 1000 characters of plain text'],
  [
    ['publish', `${HOST}/d1`, '--answer', 'x'.repeat(1001)],
    '--answer takes 1 to 1000 characters of plain text',
  ],
  [['publish', `${HOST}/d9`, '--answer=Yes.'], `there is no dispute ${HOST}/d9`],
  [['reject', `${HOST}/d9`], `there is no dispute ${HOST}/d9`],
])('error: %j is refused, and both wait', async (words, message) => {
  await expect(run(...words)).rejects.toThrow(message)
  expect((await run('list')).match(/ {2}about /g)).toHaveLength(2)
})
