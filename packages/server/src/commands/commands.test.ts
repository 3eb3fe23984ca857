import { readFileSync } from 'node:fs'
import { listCommandFaults } from '@touchstone402/shared/testing'
import { describe, expect, test } from 'vitest'
import { STANDARD_STREAMS } from '../lib/output.ts'
import { COMMANDS } from './commands.ts'
import { findServerCommand, runCommand } from './runMain.ts'

const PAGES = ['install', 'monitor', 'recover', 'reference', 'run'].map(
  (name) => `docs/operations/${name}.md`,
)
const DOCS = ['docs/operations.md', ...PAGES, 'docs/transparency.md']
  .map((path) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'))
  .join('\n')

const run = async (...words: string[]) => String(await runCommand(words, {}, STANDARD_STREAMS))

test('default: help and docs show what each command takes, and its faults are named', async () => {
  expect(await listCommandFaults(COMMANDS, (name) => run(...name.split(' '), '--help'), DOCS)).toEqual([])
  // Docs of nothing show that the check bites.
  expect((await listCommandFaults(COMMANDS, async () => '', '')).length).toBeGreaterThan(3 * COMMANDS.length)
})

test('default: every line of the docs is read', () => {
  const lines = [...DOCS.matchAll(/^ *(?:touchstone-server|npm run serve --) ([^[\]\n]+)$/gm)].map(
    ([, line = '']) =>
      [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ''),
  )
  expect(lines.length).toBeGreaterThan(12)
  for (const words of lines) {
    const found = findServerCommand(words)
    expect(() => found?.command.read(found.rest), words.join(' ')).not.toThrow()
    expect(found, words.join(' ')).toBeDefined()
  }
})

describe('a command line', () => {
  test('default: without a command it serves', () => {
    expect(findServerCommand([])).toMatchObject({ command: { name: 'serve' }, rest: [] })
    const { command, rest = [] } = findServerCommand(['--role', 'api', '--processes=4', '--new-keys']) ?? {}
    expect(command?.read(rest)).toEqual({ role: 'api', processes: 4, 'new-keys': true })
    expect(command?.read([])).toEqual({ role: 'all', processes: 1, 'new-keys': false })
  })

  test.each([
    [['--role', 'boss'], '--role must be one of api, worker, all'],
    [['--processes', '0'], '--processes must be a whole number from 1 to 256'],
    [['backup', '/x', '--answer', 'a'], 'backup has no option --answer; it takes no options'],
    [['audit'], 'Unknown command "audit"; nearest: '],
    [['log'], 'log needs one more word: recompute, forget, begin'],
    [['--role', 'api', 'serve'], 'put the command before its options: touchstone-server serve …'],
  ])('error: refuses %j', async (words, message) => {
    await expect(run(...words)).rejects.toThrow(message)
  })

  test.each([[['--help']], [['-h']], [['help']]])('behavior: %j lists every command', async (words) => {
    const help = await run(...words)
    for (const { name, about } of COMMANDS) {
      expect(help).toContain(`touchstone-server ${name}`)
      expect(help).toContain(about)
    }
  })

  test('behavior: a group lists its own commands, and the version is printed at any place', async () => {
    const help = await run('log', '--help')
    expect(help).toContain('log forget INDEX')
    expect(help).not.toContain('disputes')
    expect(await run('--version')).toMatch(/^\d+\.\d+\.\d+/)
    expect(await run('backup', '--version')).toBe(await run('--version'))
  })
})
