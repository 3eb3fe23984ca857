import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { STANDARD_STREAMS } from '../lib/output.ts'
import { openStore } from '../services/openStore.ts'
import { aState } from '../store/testing/documents.ts'
import { runCommand } from './runMain.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-webhooks-'))
  const store = await openStore({ databaseUrl: null, dataDir: directory })
  await store.write('putEndpoint', aState({ endpoint: 'https://api.example/a' }))
  await store.close()
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const run = async (...words: string[]) =>
  String(await runCommand(['webhooks', ...words], { DATA_DIR: directory }, STANDARD_STREAMS))

test('default: the operator adds, lists and removes webhooks, and sees the secret once', async () => {
  expect(await run('list')).toBe('There are no webhooks.')
  const added = await run('add', 'API.example', 'https://hooks.example/in?token=a')
  const [, id = ''] = /^Webhook (wh_\S+) of api\.example is added/.exec(added) ?? []
  expect(added).toMatch(/\nwhsec_[A-Za-z0-9+/]{43}=\n/)
  const listed = await run('list')
  expect(listed).toMatch(
    new RegExp(
      `^api\\.example ${id} https://hooks\\.example/in\\?… not confirmed, 0 waiting, ends \\d{4}-\\d\\d-\\d\\d$`,
    ),
  )
  expect(await run('remove', id)).toBe(`Webhook ${id} is removed.`)
  expect(await run('list')).toBe('There are no webhooks.')
})

test.each([
  [['add', 'never.example', 'https://hooks.example/'], 'no endpoint of never.example is known'],
  [['add', 'a/b', 'https://hooks.example/'], 'no endpoint of a/b is known'],
  [['add', 'api.example', 'http://hooks.example/'], 'URL: expected the scheme https'],
  [['add', 'api.example'], 'webhooks add needs URL: https URL that gets the messages'],
  [['list', 'all'], 'webhooks list takes no words; got 1'],
  [['toString'], 'Unknown command "webhooks toString"'],
  [[], 'webhooks needs one more word: add, list, remove'],
  [['remove', 'wh_none'], 'there is no webhook wh_none'],
])('error: %j is refused', async (words, message) => {
  await expect(run(...words)).rejects.toThrow(message)
  expect(await run('list')).toBe('There are no webhooks.')
})
