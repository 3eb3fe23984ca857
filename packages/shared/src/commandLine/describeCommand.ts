import type { Input, Inputs } from './inputs.ts'

/** A command as the help shows it. */
export type Described = {
  readonly name: string
  /** One sentence. */
  readonly about: string
  /** Exit codes, fields and examples; empty if there is no more to say. */
  readonly details: string
  readonly takes: Inputs
}

/** Returns an input as a command line has it, such as `--answer TEXT`. */
export function describeInput(key: string, { kind, value }: Input<unknown>): string {
  if (kind === 'word') return value
  return kind === 'flag' ? `--${key}` : `--${key} ${value}`
}

/** Returns how a command is called, such as `disputes publish ID --answer TEXT`. */
export function describeUsage({ name, takes }: Pick<Described, 'name' | 'takes'>): string {
  const inputs = Object.entries(takes).map(([key, input]) => {
    const text = describeInput(key, input)
    return `${input.isRequired ? text : `[${text}]`}${input.isList ? '...' : ''}`
  })
  return [name, ...inputs].join(' ')
}

/** Returns a line for each input, with its sentence. */
export function describeInputs(takes: Inputs): string {
  const rows = Object.entries(takes).map(([key, input]) => [describeInput(key, input), input.about] as const)
  const width = Math.max(0, ...rows.map(([label]) => label.length))
  return rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`).join('\n')
}

/** Returns the help of a command. @param program how the program is called */
export function describeHelp(program: string, command: Described): string {
  const { about, details, takes } = command
  const parts = [`${program} ${describeUsage(command)}`, about, describeInputs(takes), details]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Returns the list of commands, each with its sentence. @param program how the program is called */
export const describeCommands = (program: string, commands: readonly Described[]): string =>
  commands.map((command) => `  ${program} ${describeUsage(command)}\n      ${command.about}`).join('\n')
