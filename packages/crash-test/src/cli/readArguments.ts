import { parseArgs } from 'node:util'
import { flag, listOption, numberOption, option, readInputs, word } from '@touchstone402/shared/command-line'
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
/** Inputs of a test, which stand before `--`. */
export const TEST = {
  name: 'crash-test',
  takes: {
    only: listOption('CATEGORY', 'this attack alone; can be repeated'),
    timeout: numberOption('SECONDS', 'seconds after which a run is ended', {
      from: 1,
      to: 600,
      otherwise: 30,
    }),
    env: listOption('NAME', 'keeps a variable, such as the API key of a model; can be repeated'),
    certificate: option(
      'FILE',
      `writes the result of a command as a note signed by ${KEY_VARIABLE}, or by a new key`,
    ),
    json: flag('prints the result as JSON'),
  },
}

/** Inputs of `verify`. */
export const VERIFY = {
  name: 'verify',
  takes: {
    file: word('FILE', 'the certificate'),
    key: option('KEY', 'public key that must have signed it'),
  },
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/
const problem = (message: string): Arguments => ({ kind: 'problem', message })

/** Reads a command line. What follows `--` is the command. */
export function readArguments(argv: readonly string[]): Arguments {
  const split = argv.indexOf('--')
  const own = split === -1 ? argv : argv.slice(0, split)
  const command = split === -1 ? [] : argv.slice(split + 1)
  if (own.includes('--help') || own.includes('-h')) return { kind: 'help' }
  if (own.includes('--version')) return { kind: 'version' }
  const [first = '--'] = own
  if (first !== 'verify' && !first.startsWith('-'))
    return problem(
      `Unexpected argument '${first}'. Give a command after --, such as crash-test -- node agent.mjs.`,
    )
  try {
    return first === 'verify'
      ? {
          kind: 'verify',
          ...readInputs(VERIFY, own.slice(1), parseArgs),
        }
      : readTest(own, split === -1 ? null : command)
  } catch (error) {
    return problem(messageOf(error))
  }
}

/** @param command null without the sign behind which it stands */
function readTest(own: readonly string[], command: readonly string[] | null): Arguments {
  const { only, timeout, env: keep = [], json: isJson, certificate } = readInputs(TEST, own, parseArgs)
  const unknown = only?.find((name) => !isCategory(name))
  if (unknown !== undefined)
    return problem(`--only must be one of ${CATEGORIES.join(', ')}, not "${unknown}".`)
  const wrong = keep.find((name) => !VARIABLE.test(name) || name === KEY_VARIABLE)
  // Not echoed: the argument may be NAME=value, with a secret.
  if (wrong !== undefined)
    return problem(
      '--env must be the name of an environment variable, such as OPENAI_API_KEY, without its value.',
    )
  const common = {
    only: only?.filter(isCategory),
    timeoutMs: timeout * 1000,
    isJson,
  }
  if (command === null) {
    const [name] = [...(keep.length > 0 ? ['--env'] : []), ...(certificate ? ['--certificate'] : [])]
    return name === undefined ? { kind: 'league', ...common } : problem(`${name} needs a command after --.`)
  }
  if (command.length === 0)
    return problem('Missing command: give it after --, such as crash-test -- node agent.mjs.')
  return { kind: 'run', command: [...command], keep: [...keep], certificate, ...common }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const isCategory = (name: string): name is Category => CATEGORIES.some((category) => category === name)
