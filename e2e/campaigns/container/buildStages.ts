import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Instruction, readDockerfile } from './readDockerfile.ts'

/** What a Dockerfile leaves to be run. */
export type Image = {
  readonly directory: string
  readonly entrypoint: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/** Folders of the image, which here are folders below another one. */
const PLACES = /(?<![\w.])\/(app|service|data|keys)\b/g

/**
 * Does what a Dockerfile says, without an engine: its commands run in a shell, its absolute folders are put below
 * `root`, the base image is this machine, and users are left as they are.
 * @throws Error that names the instruction which failed, or which is unknown here
 */
export async function buildStages(
  context: string,
  dockerfile: string,
  ignored: ReadonlySet<string>,
  root: string,
): Promise<Image> {
  const place = (text: string) => text.replaceAll(PLACES, (path) => join(root, path))
  const prefix = join(root, 'global')
  const environment: Record<string, string> = {}
  let directory = root
  let entrypoint: string[] = []

  const copy = async (text: string): Promise<void> => {
    const [, from, to] = /^(?:--from=\w+ )?(\S+) (\S+)$/.exec(text) ?? []
    if (from === undefined || to === undefined) throw new Error(`COPY ${text} is not understood`)
    const source = text.startsWith('--from') ? place(from) : join(context, from)
    const target = join(directory, to)
    if (source === target) return
    const isWanted = (path: string) => !ignored.has(path.split('/').at(-1) ?? '')
    await cp(source, target, { recursive: true, verbatimSymlinks: true, filter: isWanted })
  }
  const runShell = async (text: string): Promise<void> => {
    const PATH = `${join(prefix, 'bin')}:${process.env.PATH}`
    const env = { ...process.env, PATH, npm_config_prefix: prefix, CI: '1' }
    // There is no such user here.
    const command = place(text).replaceAll(/ && chown \S+ [^&]+/g, '')
    const child = spawn('sh', ['-c', command], { cwd: directory, env, stdio: ['ignore', 2, 2] })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`RUN ${text} ended with ${code}`)
  }
  const follow = async ({ name, text }: Instruction): Promise<void> => {
    switch (name) {
      case 'WORKDIR':
        directory = place(text)
        await mkdir(directory, { recursive: true })
        return
      case 'COPY':
        return copy(text)
      case 'RUN':
        return runShell(text)
      case 'ENV':
        for (const pair of text.split(' ')) {
          const [key = '', value = ''] = pair.split('=')
          environment[key] = place(value)
        }
        return
      case 'ENTRYPOINT':
        entrypoint = JSON.parse(text)
        return
      case 'FROM':
      case 'USER':
      case 'VOLUME':
      case 'EXPOSE':
        return
      default:
        throw new Error(`${name} is not understood`)
    }
  }
  for (const instruction of readDockerfile(dockerfile).flat()) {
    process.stderr.write(`${instruction.name} ${instruction.text}\n`)
    await follow(instruction)
  }
  return { directory, entrypoint, environment }
}
