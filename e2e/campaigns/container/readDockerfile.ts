/** An instruction of a Dockerfile: its keyword and its text. */
export type Instruction = { readonly name: string; readonly text: string }

/** Parses the instructions of each stage. Drops comments and joins continued lines. */
export function readDockerfile(text: string): Instruction[][] {
  const stages: Instruction[][] = []
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n')
  for (const line of lines.filter((one) => one.trim() !== '' && !one.startsWith('#'))) {
    const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    if (name === '') throw new Error(`no instruction: ${line}`)
    if (name === 'FROM') stages.push([])
    stages.at(-1)?.push({ name, text: rest })
  }
  return stages
}
