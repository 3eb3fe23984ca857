import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keyLeaf } from '../publish/leaves.ts'
import { openStore } from '../services/openStore.ts'
import { useScratchFolder } from '../store/testing/scratch.ts'
import { neededFiles, requireKeys } from './lostKeys.ts'

const scratch = useScratchFolder()
const SIGNER = 'A'.repeat(43)
const LOG = 'trust.example/log+00000000+AAAA'
const BOTH = { answers: true, crawls: true }
const REFUSED = {
  decisions: () =>
    `SIGNING_KEY_FILE: ${join(scratch(), 'signing-keys.json')} is missing, though its key is published: put it back, or make a new one with touchstone-server serve --new-keys; then guards that pin the old key refuse every verdict until they are given the new one, and others until they are restarted`,
  log: () =>
    `LOG_KEY_FILE: ${join(scratch(), 'log-key')} is missing, though its key is published: put it back, or make a new one with touchstone-server serve --new-keys; then witnesses, guards and readers that know the old key refuse the log, which the new one cannot continue, so begin another: touchstone-server log begin NEW_ORIGIN`,
}

/** Publishes keys in a store, and starts on it. Returns the lines that the start logs. */
async function start({
  published = [],
  tasks = BOTH,
  hasMap = true,
  takesNew = false,
}: {
  readonly published?: Parameters<typeof keyLeaf>[]
  readonly tasks?: typeof BOTH
  readonly hasMap?: boolean
  readonly takesNew?: boolean
}): Promise<string[]> {
  const store = await openStore({ databaseUrl: null, dataDir: scratch() })
  const lines: string[] = []
  try {
    await store.write(
      'addLeaves',
      published.map((key) => keyLeaf(...key)),
    )
    const config = { dataDir: scratch(), signingKeyFile: null, log: { keyFile: null }, hasMap }
    await requireKeys(store, neededFiles(config, tasks), { takesNew, onNew: (line) => lines.push(line) })
    return lines
  } finally {
    await store.close()
  }
}

const ALL: Parameters<typeof keyLeaf>[] = [
  ['decisions', SIGNER, 0],
  ['log', LOG, 0],
]

test('default: a fresh store, and one whose keys are there, start without a word', async () => {
  expect(await start({})).toEqual([])
  for (const name of ['signing-keys.json', 'log-key']) await writeFile(join(scratch(), name), 'key')
  expect(await start({ published: ALL })).toEqual([])
})

test('error: a published key whose file is missing is not replaced in silence', async () => {
  const both = `${REFUSED.decisions()}\n${REFUSED.log()}`
  await expect(start({ published: ALL })).rejects.toThrow(both)
  await writeFile(join(scratch(), 'signing-keys.json'), 'key')
  await expect(start({ published: ALL })).rejects.toThrow(/^LOG_KEY_FILE: /)
  await rm(join(scratch(), 'signing-keys.json'))
  await writeFile(join(scratch(), 'log-key'), 'key')
  await expect(start({ published: ALL })).rejects.toThrow(/^SIGNING_KEY_FILE: [^\n]*$/)
})

test('behavior: a key that is published asks for no other', async () => {
  await expect(start({ published: [['log', LOG, 0]] })).rejects.toThrow(/^LOG_KEY_FILE: [^\n]*$/)
})

test('behavior: a process asks for those keys alone that its tasks need', async () => {
  const asked = (answers: boolean, crawls: boolean, hasMap: boolean) =>
    start({ published: ALL, tasks: { answers, crawls }, hasMap }).catch((error: Error) =>
      error.message.match(/^[A-Z_]+/gm),
    )
  expect(await asked(true, false, true)).toEqual(['SIGNING_KEY_FILE'])
  expect(await asked(false, true, true)).toEqual(['SIGNING_KEY_FILE', 'LOG_KEY_FILE'])
  expect(await asked(false, true, false)).toEqual(['LOG_KEY_FILE'])
})

test('behavior: with new keys asked for, the start goes on and says which it makes', async () => {
  expect(await start({ published: ALL, takesNew: true })).toEqual([
    `${join(scratch(), 'signing-keys.json')} is missing: the start makes a new key; then guards that pin the old key refuse every verdict until they are given the new one, and others until they are restarted`,
    expect.stringMatching(/log-key is missing: the start makes a new key; then witnesses, /),
  ])
})

test('error: the signing key of a log that ended is published too', async () => {
  const published: Parameters<typeof keyLeaf>[] = [['log', LOG, 0, 'the newest checkpoint of the log before']]
  const store = await openStore({ databaseUrl: null, dataDir: scratch() })
  await store.write('beginLog', keyLeaf('log', LOG, 0, 'the newest checkpoint of the log before'))
  await store.close()
  await expect(start({ published })).rejects.toThrow(/^SIGNING_KEY_FILE: /)
})
