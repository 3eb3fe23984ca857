import { parseArgs } from 'node:util'

/** What a process does: answer calls, crawl, or both. */
export type Role = (typeof ROLES)[number]

/** What the command line asks for. */
export type CommandLine = {
  /** The first word; `serve` where there is none. */
  readonly command: string
  readonly role: Role
  /** How many processes answer calls, or crawl where the role is `worker`. */
  readonly processes: number
  /** Words after the command. */
  readonly rest: readonly string[]
}

const ROLES = ['api', 'worker', 'all'] as const
const MOST_PROCESSES = 256

/**
 * Reads the command line of `touchstone-server`.
 * @throws Error in words for its user
 */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      role: { type: 'string', default: 'all' },
      processes: { type: 'string', default: '1' },
    },
  })
  const [command = 'serve', ...rest] = positionals
  const role = ROLES.find((known) => known === values.role)
  if (role === undefined) throw new Error(`--role must be one of ${ROLES.join(', ')}`)
  const processes = Number(values.processes)
  if (!Number.isInteger(processes) || processes < 1 || processes > MOST_PROCESSES) {
    throw new Error(`--processes must be a whole number from 1 to ${MOST_PROCESSES}`)
  }
  return { command, role, processes, rest }
}
