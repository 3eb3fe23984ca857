// Puts an archive of each package into a folder: `npm run pack -- <folder>`.
import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ensureBuilt } from '../build.mjs'
import { pnpm, root } from '../setup.mjs'
import { describeInstall } from './describeInstall.mjs'

/** Folders of the packages, each after those that it uses. */
const PACKED = ['transparency', 'shared', 'transfers', 'guard', 'crash-test', 'server']

/** Packs all packages, and prints their archives and the line that installs them. Returns the exit code. */
export async function pack([folder]) {
  if (folder === undefined) {
    process.stderr.write('usage: npm run pack -- <folder>\n')
    return 2
  }
  await ensureBuilt()
  const from = process.env.INIT_CWD ?? process.cwd()
  const target = resolve(from, folder)
  mkdirSync(target, { recursive: true })
  // One call for all, since pnpm takes longer to start than to pack.
  const filters = PACKED.flatMap((name) => ['--filter', `./packages/${name}`])
  const code = await pnpm([...filters, 'pack', '--pack-destination', target], { quiet: true })
  if (code !== 0) return code
  const archives = PACKED.map((name) => join(target, `touchstone402-${name}-${versionOf(name)}.tgz`))
  process.stdout.write(`${archives.join('\n')}\n\nInstall them:\n\n`)
  process.stdout.write(`${describeInstall(target, from, archives)}\n`)
  return 0
}

const versionOf = (name) =>
  JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')).version
