import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Instruction, readDockerfile } from './readDockerfile.ts'

/** Result of a build: what the image runs. */
export type Image = {
  readonly directory: string
  readonly entrypoint: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/** Maps absolute folders of the image to folders below `root`. */
const PLACES = /(?<![\w.])\/(app|service|data|keys)\b/g

/**
 * Executes a Dockerfile without a container engine: commands run in a shell, absolute folders are mapped below `root`,
 * the base image is this machine, and users are ignored.
 * @throws Error that names the failed or unsupported instruction
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
    if (from === undefined || to === undefined) throw new Error(`unsupported instruction: COPY ${text}`)
    const source = text.startsWith('--from') ? place(from) : join(context, from)
    const target = join(directory, to)
    if (source === target) return
    const isWanted = (path: string) => !ignored.has(path.split('/').at(-1) ?? '')
    await cp(source, target, { recursive: true, verbatimSymlinks: true, filter: isWanted })
  }
  const runShell = async (text: string): Promise<void> => {
    const PATH = `${join(prefix, 'bin')}:${process.env.PATH}`
    const env = { ...process.env, PATH, npm_config_prefix: prefix, CI: '1' }
    // The user does not exist on this machine.
    const command = place(text).replaceAll(/ && chown \S+ [^&]+/g, '')
    const child = spawn('sh', ['-c', command], { cwd: directory, env, stdio: ['ignore', 2, 2] })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`RUN ${text} exited with ${code}`)
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
      case 'HEALTHCHECK':
        return
      default:
        throw new Error(`unsupported instruction: ${name}`)
    }
  }
  for (const instruction of readDockerfile(dockerfile).flat()) {
    process.stderr.write(`${instruction.name} ${instruction.text}\n`)
    await follow(instruction)
  }
  return { directory, entrypoint, environment }
}
