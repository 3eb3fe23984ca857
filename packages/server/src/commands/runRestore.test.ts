import { cp, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../lib/database.ts'
import { STANDARD_STREAMS } from '../lib/output.ts'
import { openStore } from '../services/openStore.ts'
import { readState } from '../store/endpoints.ts'
import { toKysely } from '../store/sqliteFile.ts'
import { aState } from '../store/testing/documents.ts'
import { makeNewer } from '../store/testing/formats/formats.ts'
import { NOON } from '../store/testing/records.ts'
import { runBackup } from './runBackup.ts'
import { runCommand } from './runMain.ts'

const ENDPOINT = 'https://a.example/a'
let folder: string
let file: string
let dataDir: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-restore-'))
  const source = join(folder, 'source')
  const store = await openStore({ databaseUrl: null, dataDir: source })
  await store.write('putEndpoint', aState({ endpoint: ENDPOINT, derivedAt: NOON, nextProbeAt: NOON }))
  await store.close()
  file = join(folder, 'back-up.db')
  await runBackup(file, { DATA_DIR: source })
  dataDir = join(folder, 'data')
  for (const name of ['signing', 'log']) await writeFile(join(folder, name), 'key', { mode: 0o600 })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Runs the command with the keys at hand, which a test may remove. Returns what it printed. */
async function run(words: readonly string[], settings: Readonly<Record<string, string>>) {
  const keys = { SIGNING_KEY_FILE: join(folder, 'signing'), LOG_KEY_FILE: join(folder, 'log') }
  return runAs(words, { ...keys, ...settings })
}
async function runAs(words: readonly string[], settings: Readonly<Record<string, string>>) {
  let printed = ''
  const output = {
    ...STANDARD_STREAMS,
    out: (text: string) => {
      printed += text
    },
  }
  return printed + String(await runCommand(['restore', ...words], settings, output))
}
const restore = (word = file) => run([word], { DATA_DIR: dataDir })

async function readVerdict() {
  const store = await openStore({ databaseUrl: null, dataDir })
  try {
    return (await readState(store, ENDPOINT))?.state.derivedAt
  } finally {
    await store.close()
  }
}

test('default: puts the back-up into an empty folder, and says what must not go back in time', async () => {
  const printed = await restore()
  for (const text of [
    `It ends at ${new Date(NOON).toISOString()}`,
    '- log: it has 0 leaves; none is signed',
    '- map: none',
    '- payments: those made since are missing',
    'touchstone-server log begin NEW_ORIGIN',
  ])
    expect(printed).toContain(text)
  expect(await readVerdict()).toBe(NOON)
  expect(await readdir(dataDir)).not.toContain('restoring')
  expect(await run(['--check'], { DATA_DIR: dataDir })).toBe(printed.split('\n').slice(1).join('\n'))
})

test('behavior: leaves key files where they are, and goes on after a kill', async () => {
  await mkdir(join(dataDir, 'restoring'), { recursive: true })
  await writeFile(join(dataDir, 'restoring', 'touchstone.db'), 'half')
  for (const name of ['log-key', 'signing-keys.json'])
    await writeFile(join(dataDir, name), 'kept', { mode: 0o600 })
  await runAs([file], { DATA_DIR: dataDir })
  expect(await readFile(join(dataDir, 'log-key'), 'utf8')).toBe('kept')
  expect(await readVerdict()).toBe(NOON)
})

test('error: refuses a folder that holds a store or belongs to a running service', async () => {
  await restore()
  await expect(restore()).rejects.toThrow(`${dataDir} holds a store: move it away`)
  const store = await openStore({ databaseUrl: null, dataDir })
  await expect(restore()).rejects.toThrow('Another service uses this data folder')
  await store.close()
})

test('error: refuses files that are cut, changed, of another program, or of a newer version', async () => {
  const bytes = await readFile(file)
  const cut = join(folder, 'cut.db')
  await writeFile(cut, bytes)
  await truncate(cut, Math.floor(bytes.length / 8192) * 4096)
  await expect(restore(cut)).rejects.toThrow(`${cut} is no whole back-up`)
  const other = join(folder, 'other.db')
  const database = openDatabase(other)
  database.exec('create table a (b)')
  database.close()
  await expect(restore(other)).rejects.toThrow('it has no tables of this program')
  await writeFile(join(folder, 'text.db'), 'no database'.repeat(2000))
  await expect(restore(join(folder, 'text.db'))).rejects.toThrow('is no whole back-up')
  const newer = join(folder, 'newer.db')
  await writeFile(newer, bytes)
  const changed = openDatabase(newer)
  await makeNewer(toKysely(changed), 99)
  changed.close()
  await expect(restore(newer)).rejects.toThrow(
    `${newer} was made by a newer version of this program, in format 99`,
  )
  expect(await readdir(dataDir)).not.toContain('restoring')
  await expect(restore(join(folder, 'absent.db'))).rejects.toThrow('ENOENT')
  expect((await readdir(dataDir)).filter((name) => name.startsWith('touchstone.db'))).toEqual([])
  await restore()
})

test('error: refuses the store of a data folder whose last writes lie beside it', async () => {
  const source = join(folder, 'source')
  const store = await openStore({ databaseUrl: null, dataDir: source })
  await store.write('putEndpoint', aState({ endpoint: ENDPOINT, derivedAt: NOON + 1, nextProbeAt: NOON }))
  // As a kill leaves it.
  const killed = join(folder, 'killed')
  await cp(source, killed, { recursive: true })
  await store.close()
  const file = join(killed, 'touchstone.db')
  await expect(restore(file)).rejects.toThrow(`${file}-wal holds writes that ${file} lacks`)
  await expect(readdir(dataDir)).rejects.toThrow('ENOENT')
  await runBackup(join(folder, 'whole.db'), { DATA_DIR: killed })
  await restore(join(folder, 'whole.db'))
  expect(await readVerdict()).toBe(NOON + 1)
})

test('error: names the tools of the database, and what it takes', async () => {
  const database = { DATA_DIR: dataDir, DATABASE_URL: 'postgres://localhost/x' }
  await expect(run([file], database)).rejects.toThrow('restore the database with pg_restore')
  for (const words of [[], [file, '--check']])
    await expect(run(words, { DATA_DIR: dataDir })).rejects.toThrow('restore takes one back-up')
})

test('error: asks before new keys replace lost ones, and says what that means', async () => {
  const settings = { DATA_DIR: dataDir }
  const [signing, log] = [join(dataDir, 'signing-keys.json'), join(dataDir, 'log-key')]
  const refusal = (await runAs([file], settings).catch((error: Error) => error.message)).toString()
  expect(refusal.split('\n')).toEqual([
    `${signing} is missing: the start would make a new key; then guards that pin the old key refuse every verdict until they are given the new one, and others until they are restarted`,
    `${log} is missing: the start would make a new key; then witnesses, guards and readers that know the old key refuse the log, which the new one cannot continue, so begin another: touchstone-server log begin NEW_ORIGIN`,
    'Put the key files back and run this again. If they are lost, add --new-keys.',
  ])
  // Nothing is restored yet.
  await expect(readdir(dataDir)).rejects.toThrow('ENOENT')

  const lost = await runAs([file, '--new-keys'], settings)
  expect(lost).toContain(`${signing} is missing: the start makes a new key;`)
  expect(lost).not.toContain('--new-keys')
  expect(await readVerdict()).toBe(NOON)
})

test('error: a store that other tools restored without its keys is described, and not accepted', async () => {
  await restore()
  const settings = { DATA_DIR: dataDir, LOG_KEY_FILE: join(folder, 'log') }
  let printed = ''
  const output = {
    ...STANDARD_STREAMS,
    out: (text: string) => {
      printed += text
    },
  }
  await expect(runCommand(['restore', '--check'], settings, output)).rejects.toThrow(
    /^\S+signing-keys\.json is missing: the start would make a new key;/,
  )
  expect(printed).toContain('What must not go back in time')
  expect(await runAs(['--check', '--new-keys'], settings)).toContain('the start makes a new key')
})
