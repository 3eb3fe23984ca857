import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatSignerKey, verifierKeyOf } from '@touchstone402/transparency'
import { expect, onTestFinished, test } from 'vitest'
import { startBuiltServer } from './support/builtServer.ts'
import { runServerCommand } from './support/runServerCommand.ts'
import { ALONE } from './support/settings.ts'

async function makeParent(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'touchstone-modes-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  return parent
}

/** Lists what group or others may do anything with, and the names of all files. */
async function readModes(folder: string) {
  const names = ['', ...(await readdir(folder, { recursive: true }))]
  const modes = await Promise.all(
    names.map(async (name) => [name, (await stat(join(folder, name))).mode & 0o777] as const),
  )
  return { names, open: modes.filter(([, mode]) => (mode & 0o077) !== 0) }
}

const isPublished = ({ url }: { readonly url: string }) =>
  expect.poll(() => fetch(`${url}/log/checkpoint`).then(({ status }) => status)).toBe(200)
const sentenceOf = (file: string) => `${file} can be read by other users: set its mode to 600`

test('behavior: other users cannot read a data folder, new or opened to them, and keys that they can read are refused', async () => {
  const dataDir = join(await makeParent(), 'data')
  const settings = { ...ALONE, DATA_DIR: dataDir }
  const old = process.umask(0o022)
  onTestFinished(() => void process.umask(old))
  const first = await startBuiltServer([], settings)
  await expect
    .poll(async () => (await readdir(dataDir)).sort())
    .toEqual(expect.arrayContaining(['log-key', 'signing-keys.json', 'snapshots', 'touchstone.db-wal']))
  await isPublished(first)
  const { names, open } = await readModes(dataDir)
  expect(names.length).toBeGreaterThan(6)
  expect(open).toEqual([])
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
  first.signal('SIGINT')
  await first.end()

  await chmod(dataDir, 0o755)
  await rm(join(dataDir, 'snapshots'), { recursive: true })
  await chmod(join(dataDir, 'log-key'), 0o640)
  const refused = await runServerCommand([], settings)
  expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining(sentenceOf('log-key'))])
  await chmod(join(dataDir, 'log-key'), 0o600)
  const second = await startBuiltServer([], settings)
  await expect
    .poll(() => readdir(dataDir))
    .toEqual(expect.arrayContaining(['snapshots', 'touchstone.db-wal']))
  expect((await readModes(dataDir)).open).toEqual([])
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
  second.signal('SIGINT')
  await second.end()

  await chmod(join(dataDir, 'signing-keys.json'), 0o640)
  const { code, errors } = await runServerCommand([], settings)
  expect([code, errors]).toEqual([1, expect.stringContaining(sentenceOf('signing-keys.json'))])
})

test('behavior: the folder of a witness is its own too', async () => {
  const dataDir = join(await makeParent(), 'witness')
  const seed = new Uint8Array(32).fill(7)
  await startBuiltServer(['witness'], {
    WITNESS_LOGS: await verifierKeyOf(await formatSignerKey('log.example', seed)),
    WITNESS_DATA_DIR: dataDir,
    WITNESS_PORT: '0',
  })
  const { names, open } = await readModes(dataDir)
  expect(names).toContain('witness-key')
  expect(open).toEqual([])
})
