import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'

checksNoAnswers('nothing is started')

const COMMANDS = [
  ['server', 'touchstone-server'],
  ['guard', 'touchstone'],
  ['crash-test', 'crash-test'],
] as const

/** Runs a built command under another version of Node, as far as it can tell. */
async function run(folder: string, name: string, version: string | null, words: readonly string[]) {
  const bin = fileURLToPath(new URL(`../packages/${folder}/bin/${name}.js`, import.meta.url))
  const versions = `{ ...process.versions, node: ${JSON.stringify(version)} }`
  const script = `Object.defineProperty(process, 'versions', { value: ${versions} })`
  const flags = version === null ? [] : ['--import', `data:text/javascript,${encodeURIComponent(script)}`]
  const child = spawn(process.execPath, [...flags, bin, ...words])
  const texts = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (texts.out += String(chunk)))
  child.stderr.on('data', (chunk) => (texts.err += String(chunk)))
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, ...texts }
}

test.each(COMMANDS)('error: the command of %s names the Node that it needs', async (folder, name) => {
  for (const version of ['18.20.0', '20.18.3', '8.17.0'])
    expect(await run(folder, name, version, ['--version'])).toEqual({
      code: 1,
      out: '',
      err: `${name} needs Node 20.19 or newer; this is v${version}.\n`,
    })
})

test.each(COMMANDS)('default: the command of %s prints its version', async (folder, name) => {
  const { default: manifest } = await import(`../packages/${folder}/package.json`, { with: { type: 'json' } })
  expect(manifest.engines.node).toBe('>=20.19')
  for (const version of [null, '20.19.0', '24.0.0'])
    expect(await run(folder, name, version, ['--version'])).toEqual({
      code: 0,
      out: `${manifest.version}\n`,
      err: '',
    })
})
