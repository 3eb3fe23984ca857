import { parseArgs } from 'node:util'
import { CATEGORIES, type Category } from '../types.ts'

/** A command line as read. */
export type Arguments =
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'problem'; message: string }
  | {
      kind: 'run'
      command: string[]
      only: Category[] | undefined
      timeoutMs: number
      keep: string[]
      isJson: boolean
    }

const MAX_TIMEOUT_SECONDS = 600
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/
const problem = (message: string): Arguments => ({ kind: 'problem', message })

/** Reads a command line. What follows `--` is the command. */
export function readArguments(argv: readonly string[]): Arguments {
  const split = argv.indexOf('--')
  const own = split === -1 ? argv : argv.slice(0, split)
  const command = split === -1 ? [] : argv.slice(split + 1)
  let values: ReturnType<typeof parseOptions>
  try {
    values = parseOptions(own)
  } catch (error) {
    return problem(error instanceof Error ? error.message : String(error))
  }
  const { only, timeout = '30', env: keep = [], json: isJson = false } = values
  if (values.help) return { kind: 'help' }
  if (values.version) return { kind: 'version' }
  const unknown = only?.find((name) => !isCategory(name))
  if (unknown !== undefined)
    return problem(`--only must be one of ${CATEGORIES.join(', ')}, not "${unknown}".`)
  const seconds = Number(timeout)
  if (!/^\d{1,3}$/.test(timeout) || seconds < 1 || seconds > MAX_TIMEOUT_SECONDS)
    return problem(`--timeout must be whole seconds from 1 to ${MAX_TIMEOUT_SECONDS}, not "${timeout}".`)
  const wrong = keep.find((name) => !VARIABLE.test(name))
  // Not repeated: somebody may have given NAME=value, with a secret.
  if (wrong !== undefined)
    return problem(
      '--env must be the name of an environment variable, such as OPENAI_API_KEY, without its value.',
    )
  if (command.length === 0)
    return problem('Missing command: give it after --, such as crash-test -- node agent.mjs.')
  return { kind: 'run', command, only: only?.filter(isCategory), timeoutMs: seconds * 1000, keep, isJson }
}

function parseOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      timeout: { type: 'string' },
      env: { type: 'string', multiple: true },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  })
  return values
}

const isCategory = (name: string): name is Category => CATEGORIES.some((category) => category === name)
