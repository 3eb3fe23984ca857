import { parseArgs } from 'node:util'
import { CATEGORIES, type Category } from '../types.ts'

/** A command line as read. */
export type Arguments =
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'problem'; message: string }
  | ({ kind: 'league' } & Common)
  | ({ kind: 'run'; command: string[]; keep: string[]; certificate: string | undefined } & Common)
  | { kind: 'verify'; file: string; key: string | undefined }

type Common = { only: Category[] | undefined; timeoutMs: number; isJson: boolean }

/** Variable with the key that signs certificates, which no command gets. */
export const KEY_VARIABLE = 'CRASH_TEST_KEY'
const MAX_TIMEOUT_SECONDS = 600
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/
const problem = (message: string): Arguments => ({ kind: 'problem', message })

/** Reads a command line. What follows `--` is the command. */
export function readArguments(argv: readonly string[]): Arguments {
  const split = argv.indexOf('--')
  const own = split === -1 ? argv : argv.slice(0, split)
  const command = split === -1 ? [] : argv.slice(split + 1)
  let parsed: ReturnType<typeof parseOptions>
  try {
    parsed = parseOptions(own)
  } catch (error) {
    return problem(error instanceof Error ? error.message : String(error))
  }
  const { values, positionals } = parsed
  const { only, timeout = '30', env: keep = [], json: isJson = false, certificate, key } = values
  if (values.help) return { kind: 'help' }
  if (values.version) return { kind: 'version' }
  if (own[0] === 'verify') {
    const [, file, ...others] = positionals
    if (file === undefined || others.length > 0) return problem('verify needs one file.')
    return { kind: 'verify', file, key }
  }
  if (key !== undefined) return problem('--key belongs to verify.')
  const [word] = positionals
  if (word !== undefined)
    return problem(
      `Unexpected argument '${word}'. Give a command after --, such as crash-test -- node agent.mjs.`,
    )
  const unknown = only?.find((name) => !isCategory(name))
  if (unknown !== undefined)
    return problem(`--only must be one of ${CATEGORIES.join(', ')}, not "${unknown}".`)
  const seconds = Number(timeout)
  if (!/^\d{1,3}$/.test(timeout) || seconds < 1 || seconds > MAX_TIMEOUT_SECONDS)
    return problem(`--timeout must be whole seconds from 1 to ${MAX_TIMEOUT_SECONDS}, not "${timeout}".`)
  const wrong = keep.find((name) => !VARIABLE.test(name) || name === KEY_VARIABLE)
  // Not echoed: the argument may be NAME=value, with a secret.
  if (wrong !== undefined)
    return problem(
      '--env must be the name of an environment variable, such as OPENAI_API_KEY, without its value.',
    )
  const common = { only: only?.filter(isCategory), timeoutMs: seconds * 1000, isJson }
  if (split === -1) {
    const [name] = [...(keep.length > 0 ? ['--env'] : []), ...(certificate ? ['--certificate'] : [])]
    return name === undefined ? { kind: 'league', ...common } : problem(`${name} needs a command after --.`)
  }
  if (command.length === 0)
    return problem('Missing command: give it after --, such as crash-test -- node agent.mjs.')
  return { kind: 'run', command, keep, certificate, ...common }
}

function parseOptions(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true },
      timeout: { type: 'string' },
      env: { type: 'string', multiple: true },
      json: { type: 'boolean' },
      certificate: { type: 'string' },
      key: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  })
}

const isCategory = (name: string): name is Category => CATEGORIES.some((category) => category === name)
