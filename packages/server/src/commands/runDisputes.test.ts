import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { aConfig } from '../config/testing.ts'
import { DAY } from '../facts/times.ts'
import { systemClock } from '../lib/clock.ts'
import { RANDOM_IDS } from '../lib/ids.ts'
import { STANDARD_STREAMS } from '../lib/output.ts'
import { openDispute, readDisputes } from '../owners/disputes.ts'
import { openStore } from '../services/openStore.ts'
import type { Store } from '../store/store.ts'
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

const contextOf = (store: Store, at = AT) => ({
  store,
  clock: { ...systemClock, now: () => at },
  config: aConfig({ disputeDays: 7 }),
  ids: RANDOM_IDS,
})

/** Ids of the two disputes, in their order. */
let ids: readonly string[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-disputes-'))
  await withStore(async (store) => {
    await store.write('append', [{ kind: 'incident', id: 'f', at: AT, incident }])
    const common = { host: HOST, text: 'We moved our wallet.' } as const
    const first = await openDispute(contextOf(store), { ...common, endpoint: null, incident: incident.id })
    const other = { ...common, endpoint: `https://${HOST}/a`, incident: null }
    const second = await openDispute(contextOf(store, AT + 1), other)
    ids = [first, second].map((dispute) => `${dispute?.id}`)
  })
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const run = async (...words: string[]) =>
  String(await runCommand(['disputes', ...words], { DATA_DIR: directory }, STANDARD_STREAMS))

test('default: lists what is open with its promised date, and decides it with a public statement', async () => {
  const [first = '', second = ''] = ids
  const listed = await run('list')
  const promise = `answer promised by ${new Date(AT + 7 * DAY).toISOString().slice(0, 10)}`
  expect(listed).toContain(`${first}  ${new Date(AT).toISOString()}  ${promise}\n`)
  expect(listed).toContain(`  about ${incident.id}\n  We moved our wallet.`)
  expect(listed).toContain(`  about https://${HOST}/a\n`)
  expect(await run('answer', first, 'Seen on chain;\nthank you.')).toBe(
    `${first} of ${HOST} is answered; see its text and your answer on its profile and /incidents/${incident.id}.`,
  )
  expect(await run('reject', second, 'The chain shows another key.')).toBe(
    `${second} of ${HOST} is rejected; see your reason, but not its text on its profile.`,
  )
  const shown = () => withStore((store) => readDisputes(contextOf(store), HOST))
  expect(await shown()).toMatchObject([
    { state: 'answered', text: 'We moved our wallet.', answer: 'Seen on chain; thank you.' },
    { state: 'rejected', text: null, answer: 'The chain shows another key.' },
  ])
  expect(await run('list')).toBe('No dispute is open.')
  expect(await run('uphold', second, 'Our mistake.')).toContain('is upheld')
  expect((await shown())[1]).toMatchObject({ state: 'upheld', text: 'We moved our wallet.' })
})

test.each([
  [['list', 'all'], 'disputes list takes no words; got 1'],
  [['answer', `${HOST}/d1`], 'disputes answer needs ANSWER'],
  [['uphold', `${HOST}/d1`], 'disputes uphold needs ANSWER'],
  [['reject', `${HOST}/d1`], 'disputes reject needs REASON'],
  [['answer'], 'disputes answer needs ID'],
  [['answer', `${HOST}/d1`, 'Yes.', 'No.'], 'takes ID and ANSWER and no further word'],
  [['list', '--answer=Yes.'], 'disputes list has no option --answer'],
  [[], 'disputes needs one more word: list, answer, uphold, reject'],
  [['drop', `${HOST}/d1`], 'Unknown command "disputes drop"'],
  [['answer', `${HOST}/d1`, ' \u202e '], 'ANSWER takes 1 to 1000 characters of plain text'],
  [['reject', `${HOST}/d1`, 'x'.repeat(1001)], 'REASON takes 1 to 1000 characters of plain text'],
  [['answer', `${HOST}/d9`, 'Yes.'], `there is no dispute ${HOST}/d9`],
  [['reject', `${HOST}/d9`, 'No.'], `there is no dispute ${HOST}/d9`],
])('error: %j is refused, and both stay open', async (words, message) => {
  await expect(run(...words)).rejects.toThrow(message)
  expect((await run('list')).match(/ {2}about /g)).toHaveLength(2)
})
