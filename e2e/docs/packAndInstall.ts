import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../scripts/docs/shellLines.ts'
import { runLine } from '../../scripts/docs/startLine.ts'
import { startRegistry } from './localRegistry.ts'
import { type NpmPlace, npmSettings } from './npmSettings.ts'
import { takeLines } from './takeLines.ts'

/** The packed packages, installed once for all files of a run. Tests only read the folder. */
export type Install = NpmPlace & {
  /** Project folder with all packages as they are published, and the peers of the guard. */
  readonly folder: string
  /** Archive of each package, by its name without the scope. */
  readonly archives: Readonly<Record<string, string>>
  /** The line that `npm run pack` prints to install what it packed. */
  readonly printed: string
  /** Documented lines that run the installed service. */
  readonly commands: readonly string[]
  /** Documented lines of packing and installing that were not run. */
  readonly left: readonly string[]
}

/** Packs and installs by the documented lines. @throws Error with the output of a line that fails */
export async function packAndInstall(): Promise<{ install: Install; remove(): Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'touchstone-packed-'))
  const folder = join(home, 'my-agent')
  const cache = join(home, 'cache')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const registry = await startRegistry(join(ROOT, 'packages/guard'))
  const remove = async () => {
    await registry.stop()
    await rm(home, { recursive: true, force: true })
  }
  try {
    const { take, left } = takeLines('packedServer')
    const archives: Record<string, string> = {}
    let printed = ''
    for (const line of take(/^npm run pack /)) {
      const output = await run(line.replace('../my-agent', folder))
      for (const [path = '', name = ''] of output.matchAll(/^\/\S+\/touchstone402-([a-z-]+)-\d\S*\.tgz$/gm))
        archives[name] = path
      printed = /^cd .+ && npm install .+$/m.exec(output)?.[0] ?? ''
    }
    const env = { ...npmSettings({ registry: registry.url, cache }), HOME: home }
    for (const line of take(/^npm install /)) await run(line, { cwd: folder, env })
    const commands = take(/^npx touchstone-server/)
    const install = { folder, archives, printed, commands, registry: registry.url, cache, left: left() }
    return { install, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function run(...given: Parameters<typeof runLine>): Promise<string> {
  const { code, output } = await runLine(...given)
  if (code !== 0) throw new Error(`${given[0]} ended with ${code}:\n${output}`)
  return output
}
