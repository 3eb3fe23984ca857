import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatSignerKey } from '@touchstone402/transparency'
import { expect, test } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { anEnvironment } from '../../config/testing.ts'
import type { Published } from '../../store/log.ts'
import { useScratchFolder } from '../../store/testing/scratch.ts'
import { checkPlaces, describeFiles } from './checkPlaces.ts'
import { runChecks } from './finding.ts'

const scratch = useScratchFolder()

/** Checks the places of a sound service after changes. Returns the findings by name. */
async function examine(
  changes: Record<string, string> = {},
  role: 'api' | 'all' = 'all',
  published?: Published,
) {
  const read = readConfig(anEnvironment({ DATA_DIR: join(scratch(), 'data'), ...changes }))
  if (!read.ok) throw new Error(read.problems.join('\n'))
  const findings = await runChecks(checkPlaces(read.config, role, async () => published))
  return Object.fromEntries(findings.map(({ name, level, text }) => [name, `${level} ${text}`]))
}

const SETTINGS = ['SIGNING_KEY_FILE', 'LOG_KEY_FILE'] as const
const NAMES = { SIGNING_KEY_FILE: 'signing key', LOG_KEY_FILE: 'log key' }

test('default: keys and folders that the first start creates are no fault', async () => {
  const found = await examine()
  expect(Object.keys(found)).toEqual(['data folder', 'open files', 'signing key', 'log key'])
  expect(found['data folder']).toMatch(/^ok .*can be created in/)
  expect(found['signing key']).toMatch(/^ok .*is created at the first start$/)
})

test.each(SETTINGS)(
  'error: %s that cannot be a key file is refused, whatever it is instead',
  async (setting) => {
    const name = NAMES[setting]
    const [file, folder] = [join(scratch(), 'file'), join(scratch(), 'folder')]
    await mkdir(folder)
    await writeFile(file, 'no key', { mode: 0o600 })
    const found = async (path: string) => (await examine({ [setting]: path }))[name]
    expect(await found(file)).toMatch(new RegExp(`^fail ${setting}: ${file} is damaged`))
    expect(await found(folder)).toBe(`fail ${setting}: ${folder} is a folder, and must be a file`)
    expect(await found(join(file, 'key'))).toBe(
      `fail ${setting}: ${file}/key cannot be created, since ${file} is a file`,
    )
    expect(await found('/proc/touchstone/key')).toBe(
      `fail ${setting}: /proc/touchstone/key cannot be created, since /proc takes no files`,
    )
    await chmod(file, 0o640)
    expect(await found(file)).toMatch(
      /^fail .*can be read by other users: set its mode to 600 \(chmod 600\)$/,
    )
  },
)

test('behavior: a key that reads is no fault', async () => {
  const path = join(scratch(), 'log-key')
  await writeFile(path, await formatSignerKey('log.example', new Uint8Array(32)), { mode: 0o600 })
  expect((await examine({ LOG_KEY_FILE: path }))['log key']).toBe(
    `ok ${path} is readable, by its owner alone`,
  )
})

test('error: a published key whose file is missing', async () => {
  const found = await examine({}, 'all', { decisions: true, log: false })
  expect(found['signing key']).toMatch(
    /^fail SIGNING_KEY_FILE: .*signing-keys\.json is missing, though its key is published: put it back, or .* --new-keys; then guards that pin the old key refuse/,
  )
  expect(found['log key']).toMatch(/^ok .*is created at the first start$/)
})

test('behavior: a process that never leads needs no key of the log', async () => {
  expect(await examine({ LOG_KEY_FILE: scratch() }, 'api')).not.toHaveProperty('log key')
})

test.each([
  ['is a file', () => join(scratch(), 'file')],
  ['is within a file', () => join(scratch(), 'file', 'data')],
  ['is on a file system that takes no files', () => '/proc'],
  ['is on a file system that takes no files', () => '/proc/touchstone/data'],
])('error: refuses a data folder that %s', async (why, folderOf) => {
  await writeFile(join(scratch(), 'file'), '')
  const folder = folderOf()
  expect((await examine({ DATA_DIR: folder }))['data folder']).toBe(
    `fail DATA_DIR ${folder} ${why}: choose a folder in which the user of the service may write`,
  )
})

test('behavior: says how few files a process may open', () => {
  expect(describeFiles(1024)).toEqual({ level: 'ok', text: 'this process may open 1024 files' })
  expect(describeFiles('unlimited').level).toBe('ok')
  expect(describeFiles(1023)).toEqual({
    level: 'warn',
    text: 'this process may open 1023 files (ulimit -n), and its calls and probes need at least 1024: raise it, by LimitNOFILE of systemd or ulimits of compose',
  })
})
