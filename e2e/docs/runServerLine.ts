import { runServerCommand } from '../support/runServerCommand.ts'

/** Runs a `touchstone-server` line in this process, as a shell would read it. Resolves to its exit code and its output. */
export async function runServerLine(line: string, settings: Readonly<Record<string, string>>) {
  const [program, ...words] = readWords(line)
  if (program !== 'touchstone-server') throw new Error(`no line of touchstone-server: ${line}`)
  const { code, output, errors } = await runServerCommand(words, settings)
  return { code, output: output + errors }
}

/** Splits a line at spaces outside of quotes. */
const readWords = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  )
