import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'

checksNoAnswers('nothing is started')

const COMMANDS = [
  ['server', 'touchstone-server'],
  ['guard', 'touchstone'],
  ['crash-test', 'crash-test'],
] as const

/** Runs the built commands in one process, each under several versions of Node, as far as it can tell. */
async function run(versions: readonly string[], words: readonly string[]) {
  const bins = COMMANDS.map(
    ([folder, name]) => new URL(`../packages/${folder}/bin/${name}.js`, import.meta.url).href,
  )
  // A query makes it another module, which runs again.
  const script = `
    const own = process.versions
    for (const bin of ${JSON.stringify(bins)})
      for (const node of ${JSON.stringify(versions)}) {
        Object.defineProperty(process, 'versions', { value: { ...own, node } })
        await import(bin + '?' + node)
      }`
  // Words follow the name of the program.
  const args = ['--input-type=module', '--eval', script, '--', 'program', ...words]
  const child = spawn(process.execPath, args)
  const texts = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (texts.out += String(chunk)))
  child.stderr.on('data', (chunk) => (texts.err += String(chunk)))
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, ...texts }
}

const lines = (text: string) => text.split('\n').filter(Boolean).sort()

test('error: each command names the Node that it needs', async () => {
  const old = ['18.20.0', '20.18.3', '8.17.0']
  const { code, out, err } = await run(old, ['--version'])
  const expected = COMMANDS.flatMap(([, name]) =>
    old.map((version) => `${name} needs Node 20.19 or newer; this is v${version}.`),
  )
  expect([code, out, lines(err)]).toEqual([1, '', expected.sort()])
})

test('default: each command prints its version', async () => {
  const versions: string[] = []
  for (const [folder] of COMMANDS) {
    const manifest = await import(`../packages/${folder}/package.json`, { with: { type: 'json' } })
    expect(manifest.default.engines.node).toBe('>=20.19')
    versions.push(manifest.default.version)
  }
  // The program behind a command runs once; under the second version it must only not be refused.
  const { code, out, err } = await run(['20.19.0', '24.0.0'], ['--version'])
  expect([code, lines(out), err]).toEqual([0, versions.sort(), ''])
})
