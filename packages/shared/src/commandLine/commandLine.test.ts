import { parseArgs } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  CommandLineError,
  defineCommand,
  describeHelp,
  describeUnknown,
  findCommand,
  listGroup,
} from './index.ts'
import { choiceOption, flag, listOption, numberOption, optionalWord, requiredOption, word } from './inputs.ts'

const publish = defineCommand(
  {
    name: 'disputes publish',
    about: 'Publishes a dispute.',
    details: 'Exit code: 0.',
    takes: {
      id: word('ID', 'id of the dispute'),
      place: optionalWord('PLACE', 'where to'),
      answer: requiredOption('TEXT', 'your answer'),
      to: listOption('NAME', 'who is told'),
      role: choiceOption(['api', 'worker'], 'task', 'api'),
      times: numberOption('N', 'how often', { from: 1, to: 9, otherwise: 2 }),
      'dry-run': flag('publishes nothing'),
    },
    run: async (values) => values,
  },
  parseArgs,
)
const list = defineCommand(
  {
    name: 'disputes list',
    about: 'Lists.',
    details: '',
    takes: {},
    run: async () => 'listed',
  },
  parseArgs,
)
const DEFAULTS = { place: undefined, to: undefined, role: 'api', times: 2, 'dry-run': false }

describe('words and options', () => {
  test('default: a command gets typed values, and defaults for what was left out', async () => {
    expect(await publish.run(['a/1', '--answer', 'Yes.'], null)).toEqual({
      id: 'a/1',
      answer: 'Yes.',
      ...DEFAULTS,
    })
  })

  test('behavior: options stand anywhere, with a space or a sign, and a list is repeated', async () => {
    const args = ['--answer=a=b', '--to', 'x', '--dry-run', 'a/1', '--to=-y', '--role', 'worker', '--times=9']
    expect(await publish.run(args, null)).toEqual({
      ...DEFAULTS,
      id: 'a/1',
      answer: 'a=b',
      to: ['x', '-y'],
      role: 'worker',
      times: 9,
      'dry-run': true,
    })
  })

  test('behavior: words after two hyphens, and a hyphen alone, are no options', async () => {
    expect(await publish.run(['-', '--answer=Yes.', '--', '--place'], null)).toMatchObject({
      id: '-',
      place: '--place',
    })
  })

  test.each([
    [[], 'disputes publish needs ID: id of the dispute'],
    [['', '--answer', 'a'], 'disputes publish needs ID: id of the dispute'],
    [['a'], 'disputes publish needs --answer TEXT: your answer'],
    [['a', 'b', 'c', '--answer', 'a'], 'disputes publish takes ID and PLACE and no further word; got 3'],
    [['a', '--answer'], '--answer needs a value: TEXT'],
    [['a', '--answer', '-a'], '--answer needs a value: TEXT; write --answer=TEXT if it begins with a hyphen'],
    [['a', '--answer', 'a', '--answer', 'b'], '--answer is given twice'],
    [['a', '--dry-run=no'], '--dry-run takes no value'],
    [['a', '--answer', 'a', '--role', 'boss'], '--role must be one of api, worker'],
    [['a', '--answer', 'a', '--times', '0'], '--times must be a whole number from 1 to 9'],
    [['a', '--answer', 'a', '--times', '1.5'], '--times must be a whole number from 1 to 9'],
    [
      ['--key=SECRET'],
      'disputes publish has no option --key; it takes --answer, --to, --role, --times, --dry-run',
    ],
    [
      ['--id', 'a'],
      'disputes publish has no option --id; it takes --answer, --to, --role, --times, --dry-run',
    ],
    [
      ['--toString'],
      'disputes publish has no option --toString; it takes --answer, --to, --role, --times, --dry-run',
    ],
    [['-x'], 'disputes publish has no option -x; it takes --answer, --to, --role, --times, --dry-run'],
  ])('error: refuses %j', async (args, message) => {
    await expect(publish.run(args, null)).rejects.toThrow(new CommandLineError(message))
  })

  test('error: a command that takes nothing says so', async () => {
    await expect(list.run(['all'], null)).rejects.toThrow('disputes list takes no words; got 1')
    await expect(list.run(['--all'], null)).rejects.toThrow(
      'disputes list has no option --all; it takes no options',
    )
  })
})

test('default: the help shows what a command takes', () => {
  expect(describeHelp('touch', publish)).toMatchInlineSnapshot(`
    "touch disputes publish ID [PLACE] --answer TEXT [--to NAME]... [--role api|worker] [--times N] [--dry-run]

    Publishes a dispute.

      ID                 id of the dispute
      PLACE              where to
      --answer TEXT      your answer
      --to NAME          who is told
      --role api|worker  task; default api
      --times N          how often, 1 to 9; default 2
      --dry-run          publishes nothing

    Exit code: 0."
  `)
  expect(describeHelp('touch', list)).toBe('touch disputes list\n\nLists.')
})

describe('a table of commands', () => {
  const commands = [{ name: 'proxy' }, { name: 'proxy page' }, list, publish]

  test('default: the longest name counts', () => {
    expect(findCommand(commands, ['proxy', 'page', 'x'])).toEqual({ command: commands[1], rest: ['x'] })
    expect(findCommand(commands, ['proxy', 'x'])).toEqual({ command: commands[0], rest: ['x'] })
    expect(findCommand(commands, ['disputes'])).toBeUndefined()
    expect(listGroup(commands, 'proxy')).toEqual([commands[1]])
    expect(listGroup(commands, undefined)).toEqual([])
  })

  test.each([
    [['disputes'], 'disputes needs one more word: list, publish'],
    [['disputes', '--json'], 'disputes needs one more word: list, publish'],
    [['disputes', 'lst'], 'Unknown command "disputes lst"; nearest: disputes list'],
    [['prxy', 'page'], 'Unknown command "prxy"; nearest: proxy'],
  ])('error: %j names no command', (args, message) => {
    expect(describeUnknown(commands, args)).toBe(message)
  })
})
