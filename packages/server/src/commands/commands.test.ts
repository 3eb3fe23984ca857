import { readFileSync } from 'node:fs'
import { CommandLineError } from '@touchstone402/shared/command-line'
import { describe, expect, test } from 'vitest'
import { STANDARD_STREAMS } from '../lib/output.ts'
import { COMMANDS } from './commands.ts'
import { findServerCommand, runCommand } from './runMain.ts'

const DOCS = ['docs/operations.md', 'docs/transparency.md']
  .map((path) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'))
  .join('\n')

const run = async (...words: string[]) => String(await runCommand(words, {}, STANDARD_STREAMS))

describe.each(COMMANDS.map((command) => [command.name, command] as const))('%s', (name, command) => {
  const inputs = Object.entries(command.takes)
  const words = inputs.flatMap(([, { kind, value }]) => (kind === 'word' ? [value] : []))

  test('default: its help shows all that it takes', async () => {
    const help = await run(...name.split(' '), '--help')
    expect(help).toContain(`touchstone-server ${name}`)
    expect(help).toContain(command.about)
    for (const [key, { kind, value, about }] of inputs)
      expect(help).toMatch(new RegExp(`\n  ${kind === 'word' ? value : `--${key}`}.* ${asPattern(about)}`))
  })

  test('error: a wrong option, a word too many and a missing one are named', () => {
    expect(() => command.read(['--no-such-option'])).toThrow(
      `${name} has no option --no-such-option; it takes`,
    )
    expect(() => command.read([...words, 'surplus'])).toThrow(/takes .*no further word; got "surplus"$/)
    const [required] = inputs.filter(([, { isRequired }]) => isRequired)
    const readNothing = () => command.read([])
    if (required === undefined) expect(readNothing).not.toThrow()
    else
      expect(readNothing).toThrow(
        new CommandLineError(`${name} needs ${required[1].value}: ${required[1].about}`),
      )
  })

  test('default: the docs describe it, and every option of it', () => {
    expect(DOCS).toMatch(new RegExp(`(touchstone-server|serve --|\`) ?\\[?${name}\\b`))
    for (const [key, { kind }] of inputs) if (kind !== 'word') expect(DOCS).toContain(`--${key}`)
  })
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
    const { command, rest = [] } = findServerCommand(['--role', 'api', '--processes=4']) ?? {}
    expect(command?.read(rest)).toEqual({ role: 'api', processes: 4 })
    expect(command?.read([])).toEqual({ role: 'all', processes: 1 })
  })

  test.each([
    [['--role', 'boss'], '--role must be one of api, worker, all'],
    [['--processes', '0'], '--processes must be a whole number from 1 to 256'],
    [['backup', '/x', '--answer', 'a'], 'backup has no option --answer; it takes no options'],
    [['audit'], 'Unknown command "audit"; nearest: '],
    [['log'], 'log needs one more word: recompute, forget, begin'],
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

const asPattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
