import { describeInput } from './describeCommand.ts'
import type { Input, Inputs, ValuesOf } from './inputs.ts'

/** A command line that does not fit its command. */
export class CommandLineError extends Error {
  override readonly name = 'CommandLineError'
}

/** A command as the parser and the help see it. */
export type Declaration<Takes extends Inputs = Inputs> = { readonly name: string; readonly takes: Takes }

/** A part of a command line, as Node tells it from the others. */
type Token =
  | {
      readonly kind: 'option'
      readonly name: string
      readonly rawName: string
      readonly value: string | undefined
      readonly inlineValue: boolean | undefined
    }
  | { readonly kind: 'positional'; readonly value: string }
  | { readonly kind: 'option-terminator' }

/** `parseArgs` of `node:util`. It is given, since this package imports no Node modules. */
export type ParseArgs = (config: {
  args: string[]
  options: Record<string, { type: 'string' | 'boolean'; multiple: boolean }>
  strict: false
  allowPositionals: true
  tokens: true
}) => { readonly tokens: readonly Token[] }

/**
 * Reads the words after a command's name by what the command takes.
 * @throws CommandLineError that names the wrong word or option, and what would be right
 */
export function readInputs<Takes extends Inputs>(
  command: Declaration<Takes>,
  args: readonly string[],
  parseArgs: ParseArgs,
): ValuesOf<Takes> {
  const { name, takes } = command
  const { words, options } = splitWords(command, args, parseArgs)
  const names = Object.keys(takes).filter((key) => takes[key]?.kind === 'word')
  if (words.length > names.length) {
    const labels = names.map((key) => takes[key]?.value)
    // A surplus word is not shown: it may be a key, or the end of a header that was not quoted.
    throw new CommandLineError(
      `${name} takes ${labels.length === 0 ? 'no words' : `${labels.join(' and ')} and no further word`}; got ${words.length}`,
    )
  }
  const values = Object.entries(takes).map(([key, input]) => {
    const place = names.indexOf(key)
    const given = input.kind === 'word' ? words.slice(place, place + 1) : (options.get(key) ?? [])
    return [key, readOne(name, key, input, given)]
  })
  return Object.fromEntries(values) as ValuesOf<Takes>
}

function readOne(command: string, key: string, input: Input<unknown>, given: readonly string[]): unknown {
  const label = describeInput(key, input)
  // Scripts pass a variable that is not set as an empty text.
  if (input.isRequired && !given[0]) throw new CommandLineError(`${command} needs ${label}: ${input.about}`)
  if (given.length > 1 && input.kind === 'option' && !input.isList)
    throw new CommandLineError(`--${key} is given twice`)
  try {
    return input.read(given)
  } catch (cause) {
    const subject = input.kind === 'word' ? input.value : `--${key}`
    throw new CommandLineError(`${subject} ${(cause as Error).message}`, { cause })
  }
}

/** Tells words from options. */
function splitWords({ name, takes }: Declaration, args: readonly string[], parseArgs: ParseArgs) {
  const known = Object.entries(takes).filter(([, { kind }]) => kind !== 'word')
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      known.map(([key, { kind }]) => [key, { type: kind === 'flag' ? 'boolean' : 'string', multiple: true }]),
    ),
    // Its own errors do not say what the command takes.
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const words: string[] = []
  const options = new Map<string, string[]>()
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const input = known.find(([key]) => key === token.name)?.[1]
    // A value may be a secret.
    if (input === undefined)
      throw new CommandLineError(`${name} has no option ${token.rawName}; ${describeOptions(takes)}`)
    options.set(token.name, [...(options.get(token.name) ?? []), readValue(token.name, input, token)])
  }
  return { words, options }
}

function readValue(
  key: string,
  input: Input<unknown>,
  { value, inlineValue }: Pick<Extract<Token, { kind: 'option' }>, 'value' | 'inlineValue'>,
): string {
  if (input.kind === 'flag') {
    if (value !== undefined) throw new CommandLineError(`--${key} takes no value`)
    return ''
  }
  if (value === undefined) throw new CommandLineError(`--${key} needs a value: ${input.value}`)
  if (inlineValue !== true && value.startsWith('-') && value !== '-')
    throw new CommandLineError(
      `--${key} needs a value: ${input.value}; write --${key}=${input.value} if it begins with a hyphen`,
    )
  return value
}

function describeOptions(takes: Inputs): string {
  const options = Object.keys(takes).filter((key) => takes[key]?.kind !== 'word')
  return options.length === 0
    ? 'it takes no options'
    : `it takes ${options.map((key) => `--${key}`).join(', ')}`
}
