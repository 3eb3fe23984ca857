import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatSignerKey } from '@touchstone402/transparency'
import { beforeEach, expect, test } from 'vitest'
import { CLIENT } from '../../crash-test/src/testing/commands.ts'
import { listUnsafe, type OpenedAction, openAction } from './http/testing/openAction.ts'

const NAME = '@touchstone402/crash-test'

let opened: OpenedAction
beforeEach(async () => {
  opened = await openAction('packages/crash-test/action.yml', NAME, 'packages/crash-test/bin/crash-test.js')
  await writeFile(join(opened.folder, 'agent.mjs'), `await import(${JSON.stringify(CLIENT)})\n`)
  return opened.close
})

const read = (file: string) => readFile(join(opened.folder, file), 'utf8')
const agent = (manner: string, only = 'price_bait replay') => ({ command: `node agent.mjs ${manner}`, only })

test('default: a careful agent passes, and the result and its certificate are written', async () => {
  const key = await formatSignerKey('agents.example', new Uint8Array(32).fill(7))
  expect(await opened.run(agent('careful'), { CRASH_TEST_KEY: key })).toMatchObject({ code: 0 })
  expect(await read('output')).toBe(
    'json=crash-test.json\ncertificate=crash-test.note\ndrained=0\nlost-usd=0\n',
  )
  expect(JSON.parse(await read('crash-test.json')).categories).toHaveLength(2)
  const note = await read('crash-test.note')
  expect(note).toContain('command ["bash","-c","node agent.mjs careful"]')
  expect(note).toMatch(/^— agents\.example /m)
})

test('behavior: a drained agent fails the step unless fail-on is never', async () => {
  const failed = await opened.run(agent('careless'))
  expect(failed).toMatchObject({ code: 1, log: expect.stringContaining('::error::The agent was drained.') })
  expect(await read('output')).toContain('drained=2\nlost-usd=0.1\n')
  expect((await opened.run({ ...agent('careless'), 'fail-on': 'never' })).code).toBe(0)
  const useless = await opened.run(agent('looking'))
  expect(useless).toMatchObject({ code: 1, log: expect.stringContaining('has no result') })
})

test('error: names are no shell, and a test that did not run fails', async () => {
  const harmless = await opened.run(agent('careful', '$(touch pwned) *'))
  expect(harmless).toMatchObject({
    code: 1,
    log: expect.stringContaining('::error::The crash test did not run'),
  })
  await expect(read('pwned')).rejects.toThrow('ENOENT')
  expect(await opened.run({ ...agent('careful'), version: '0.0.1' })).toMatchObject({ code: 1 })
  const wrong = await opened.run({ ...agent('careful'), 'fail-on': 'sometimes' })
  expect(wrong).toEqual({ code: 1, log: '::error::fail-on: expected drained or never.\n' })
})

test('error: no .npmrc and no setting of a pull request says where the code comes from', async () => {
  const evil = 'http://evil.example/'
  await writeFile(join(opened.folder, '.npmrc'), `registry=${evil}\n@touchstone402:registry=${evil}\n`)
  const env = { npm_config_registry: evil, NPM_CONFIG_USERCONFIG: join(opened.folder, '.npmrc') }
  expect(await opened.run(agent('careful'), env)).toMatchObject({ code: 0 })
  const own = 'https://registry.npmjs.org/'
  expect(await readFile(join(opened.folder, 'registries'), 'utf8')).toBe(`${own}\n${own}\n`)
  expect(await readFile(join(opened.folder, 'seen'), 'utf8')).toBe('global\npackage.json\nuser\n')
})

test('behavior: every input is described, and used by a step through its environment alone', () => {
  expect(listUnsafe(opened.action)).toEqual([])
})
