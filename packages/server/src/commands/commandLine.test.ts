import { expect, test } from 'vitest'
import { readCommandLine } from './commandLine.ts'

test('default: serves in one process that does everything', () => {
  expect(readCommandLine([])).toEqual({ command: 'serve', role: 'all', processes: 1, rest: [] })
})

test('behavior: reads command, role and processes in any order', () => {
  expect(readCommandLine(['--processes', '4', 'serve', '--role=api', 'more'])).toEqual({
    command: 'serve',
    role: 'api',
    processes: 4,
    rest: ['more'],
  })
})

test('behavior: reads the answer to a dispute', () => {
  expect(readCommandLine(['disputes', 'publish', 'a.example/x', '--answer', 'We saw it.'])).toMatchObject({
    command: 'disputes',
    rest: ['publish', 'a.example/x'],
    answer: 'We saw it.',
  })
})

test('behavior: asks for help at any place', () => {
  for (const args of [['--help'], ['-h'], ['backup', '--help']])
    expect(readCommandLine(args).isHelp).toBe(true)
  expect(readCommandLine(['backup']).isHelp).toBeUndefined()
})

test('error: says nothing of hyphens when an option is unknown', () => {
  expect(() => readCommandLine(['--rolle'])).toThrow(/^Unknown option '--rolle'$/)
})

test.each([
  [['--role', 'boss'], '--role must be one of api, worker, all'],
  [['--processes', '0'], '--processes must be a whole number from 1 to 256'],
  [['--processes', '1.5'], '--processes must be a whole number from 1 to 256'],
  [['backup', '--answer', 'We saw it.'], '--answer belongs to disputes publish'],
  [['--rolle', 'api'], "Unknown option '--rolle'"],
])('error: refuses %j', (args, message) => {
  expect(() => readCommandLine(args)).toThrow(message)
})

test('behavior: asks for the version at any place', () => {
  expect(readCommandLine(['--version']).isVersion).toBe(true)
  expect(readCommandLine(['backup', '--version']).isVersion).toBe(true)
})
