import { describeInput } from './describeCommand.ts'
import type { Input, Inputs, ValuesOf } from './inputs.ts'

/** A command line that does not fit its command. */
export class CommandLineError extends Error {
  override readonly name = 'CommandLineError'
}

/** A command as the parser and the help see it. */
export type Declaration<Takes extends Inputs = Inputs> = { readonly name: string; readonly takes: Takes }

/**
 * Reads the words after a command's name by what the command takes. Written here and not by `parseArgs`, since this package
 * runs anywhere and its errors say what the command takes. `--name=value` and `--name value` are one; `--` ends the options.
 * @throws CommandLineError that names the wrong word or option, and what would be right
 */
export function readInputs<Takes extends Inputs>(
  command: Declaration<Takes>,
  args: readonly string[],
): ValuesOf<Takes> {
  const { name, takes } = command
  const { words, options } = splitWords(command, args)
  const names = Object.keys(takes).filter((key) => takes[key]?.kind === 'word')
  const surplus = words[names.length]
  if (surplus !== undefined) {
    const labels = names.map((key) => takes[key]?.value)
    throw new CommandLineError(
      `${name} takes ${labels.length === 0 ? '' : `${labels.join(' and ')} and `}no further word; got ${JSON.stringify(surplus.slice(0, 64))}`,
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
  if (given.length > 1 && !input.isList) throw new CommandLineError(`--${key} is given twice`)
  try {
    return input.read(given)
  } catch (cause) {
    const subject = input.kind === 'word' ? input.value : `--${key}`
    throw new CommandLineError(`${subject} ${(cause as Error).message}`, { cause })
  }
}

/** Tells words from options. */
function splitWords({ name, takes }: Declaration, args: readonly string[]) {
  const words: string[] = []
  const options = new Map<string, string[]>()
  const queue = [...args]
  for (let arg = queue.shift(); arg !== undefined; arg = queue.shift()) {
    if (arg === '--') return { words: [...words, ...queue], options }
    if (!arg.startsWith('-') || arg === '-') {
      words.push(arg)
      continue
    }
    // What follows the sign may be a secret.
    const [, key = '', value] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? []
    const input = Object.hasOwn(takes, key) ? takes[key] : undefined
    if (input === undefined || input.kind === 'word')
      throw new CommandLineError(`${name} has no option ${arg.split('=', 1)}; ${describeOptions(takes)}`)
    options.set(key, [...(options.get(key) ?? []), readValue(key, input, value, queue)])
  }
  return { words, options }
}

function readValue(key: string, input: Input<unknown>, value: string | undefined, queue: string[]): string {
  if (input.kind === 'flag') {
    if (value !== undefined) throw new CommandLineError(`--${key} takes no value`)
    return ''
  }
  if (value !== undefined) return value
  const [next] = queue
  if (next === undefined) throw new CommandLineError(`--${key} needs a value: ${input.value}`)
  if (next.startsWith('-') && next !== '-')
    throw new CommandLineError(
      `--${key} needs a value: ${input.value}; write --${key}=${input.value} if it begins with a hyphen`,
    )
  return queue.shift() ?? ''
}

function describeOptions(takes: Inputs): string {
  const options = Object.keys(takes).filter((key) => takes[key]?.kind !== 'word')
  return options.length === 0
    ? 'it takes no options'
    : `it takes ${options.map((key) => `--${key}`).join(', ')}`
}
