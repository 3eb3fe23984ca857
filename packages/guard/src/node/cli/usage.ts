import { ROOT, readField } from '../../decide/fields.ts'
import { COMMANDS, NAME } from './commands.ts'

const NAMES = Object.keys(COMMANDS)

/** Lists the commands of a group such as `map`, or all of them if there is no such group. */
export function describeUsage(group: string | undefined): string[] {
  const listed = namesOf(group)
  const lines = Object.entries(COMMANDS)
    .filter(([name]) => listed.length === 0 || listed.includes(name))
    .map(([, { usage }]) => `  ${NAME} ${usage}`)
  const version = listed.length === 0 ? [`  ${NAME} --version`] : []
  return ['Usage:', ...lines, ...version, '', 'Run a command with --help for details.']
}

/** Says which command is not known, and which is nearest; null for a group alone. */
export function describeUnknown([first = '', second]: readonly string[]): string | null {
  const group = namesOf(first)
  if (group.length === 0) return describeNearest(first, [...new Set(NAMES.map((name) => firstWord(name)))])
  return second === undefined || second.startsWith('-') ? null : describeNearest(`${first} ${second}`, group)
}

const firstWord = (name: string) => name.split(' ', 1)[0] ?? ''

/** Returns the names of a group's commands; none if it is no group. */
function namesOf(group: string | undefined): string[] {
  return NAMES.filter((name) => name !== group && firstWord(name) === group)
}

/** Takes the nearest name from the reader of fields, which reports it of an unknown field. */
function describeNearest(given: string, known: readonly string[]): string {
  const fields = Object.fromEntries(
    known.map((name) => [name, { kind: 'optional', of: { kind: 'flag' } }] as const),
  )
  const problems: string[] = []
  readField({ kind: 'object', fields }, { [given]: true }, ROOT, (_, problem) => problems.push(problem))
  const nearest = problems[0]?.split('nearest: ')[1]
  return `Unknown command ${JSON.stringify(given)}${nearest === undefined ? '' : `; nearest: ${nearest}`}`
}
