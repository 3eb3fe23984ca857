import type { Described } from '../commandLine/describeCommand.ts'

/** A command of a table, as its test sees it. */
type Tested = Described & { readonly read: (args: readonly string[]) => unknown }

/**
 * Lists what is wrong with a table of commands: an input that its help lacks, a fault of a command line that is taken or not
 * named, an option that the docs lack. The docs are the text of all of them.
 * @param helpOf prints the help of a command
 */
export async function listCommandFaults(
  commands: readonly Tested[],
  helpOf: (name: string) => Promise<string>,
  docs: string,
): Promise<string[]> {
  const faults = await Promise.all(
    commands.map(async (command) => {
      const help = await helpOf(command.name)
      const lines = help.split('\n')
      const words = Object.values(command.takes).filter(({ kind }) => kind === 'word')
      const own: string[] = help.includes(command.about) ? [] : ['help: has no sentence']
      if (!new RegExp(`(?<![\\w-])${command.name}(?![\\w-])`).test(docs)) own.push('docs: do not name it')
      for (const [key, { kind, value, about }] of Object.entries(command.takes)) {
        const label = kind === 'word' ? value : `--${key}`
        if (!lines.some((line) => line.startsWith(`  ${label}`) && line.endsWith(about)))
          own.push(`help: lacks ${label}`)
        if (kind !== 'word' && !new RegExp(`--${key}(?![\\w-])`).test(docs)) own.push(`docs: lack ${label}`)
      }
      const refuse = (args: readonly string[], reason: string) => {
        const said = messageOf(() => command.read(args))
        if (!said?.includes(reason)) own.push(`${args.join(' ')}: says ${said}, not ${reason}`)
      }
      refuse(['--no-such-option'], `${command.name} has no option --no-such-option; it takes`)
      const surplus = [...words.map(() => 'a'), '0xsecret']
      refuse(surplus, `word${words.length === 0 ? 's' : ''}; got ${surplus.length}`)
      const [required] = Object.values(command.takes).filter(({ isRequired }) => isRequired)
      if (required !== undefined) refuse([], required.about)
      return own.map((fault) => `${command.name}: ${fault}`)
    }),
  )
  return faults.flat()
}

function messageOf(work: () => unknown): string | null {
  try {
    work()
    return null
  } catch (error) {
    return (error as Error).message
  }
}
