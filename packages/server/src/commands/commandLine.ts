import { parseArgs } from 'node:util'
import { messageOf } from '../errors.ts'

/** Task of a process: answer requests, crawl, or both. */
export type Role = (typeof ROLES)[number]

/** A parsed command line. */
export type CommandLine = {
  /** The first word. @default serve */
  readonly command: string
  readonly role: Role
  /** Number of processes that answer requests, or that crawl if the role is `worker`. */
  readonly processes: number
  /** Asks for the list of commands. */
  readonly isHelp?: boolean
  /** Asks for the version. */
  readonly isVersion?: boolean
  /** Answer to a dispute. */
  readonly answer?: string
  /** Words after the command. */
  readonly rest: readonly string[]
}

const ROLES = ['api', 'worker', 'all'] as const
/** Commands that read their options themselves. */
const OWN_OPTIONS = ['restore', 'log begin', 'log recompute']
const MOST_PROCESSES = 256

/**
 * Parses the command line of `touchstone-server`.
 * @throws Error that names the wrong option
 */
export function readCommandLine(args: readonly string[]): CommandLine {
  const [first = '', second = ''] = args
  if (OWN_OPTIONS.includes(first) || OWN_OPTIONS.includes(`${first} ${second}`))
    return { command: first, role: 'all', processes: 1, rest: args.slice(1) }
  const { values, positionals } = parse(args)
  const [command = 'serve', ...rest] = positionals
  if (values.help) return { command, role: 'all', processes: 1, rest, isHelp: true }
  if (values.version) return { command, role: 'all', processes: 1, rest, isVersion: true }
  const role = ROLES.find((known) => known === values.role)
  if (role === undefined) throw new Error(`--role must be one of ${ROLES.join(', ')}`)
  const processes = Number(values.processes)
  if (!Number.isInteger(processes) || processes < 1 || processes > MOST_PROCESSES) {
    throw new Error(`--processes must be a whole number from 1 to ${MOST_PROCESSES}`)
  }
  const { answer } = values
  if (answer !== undefined && command !== 'disputes') throw new Error('--answer belongs to disputes publish')
  return { command, role, processes, rest, ...(answer !== undefined && { answer }) }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        role: { type: 'string', default: 'all' },
        processes: { type: 'string', default: '1' },
        answer: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    // Node goes on with a hint about words that begin with a hyphen, which no command takes.
    throw new Error(messageOf(error).split('. ')[0], { cause: error })
  }
}
