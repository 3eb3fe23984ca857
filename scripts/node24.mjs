// Installs Node 24 from the npm registry, once, and prints the folder of its executable.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root, run } from './setup.mjs'

const VERSION = '24.21.0'

/**
 * Returns the folder of Node 24's executable, to be put first in PATH.
 * @throws Error if the package cannot be installed
 */
export async function ensureNode24() {
  // The package holds the executable itself, so that no install script has to run.
  const name = `node-${process.platform}-${process.arch}`
  const prefix = join(root, 'node_modules/.cache/node24')
  const folder = join(prefix, 'node_modules', name, 'bin')
  if (!existsSync(join(folder, 'node'))) {
    const flags = ['--silent', '--no-save', '--no-audit', '--no-fund', '--prefix', prefix]
    const code = await run('npm', ['install', ...flags, `${name}@${VERSION}`])
    if (code !== 0) throw new Error(`Node ${VERSION} cannot be installed: npm install exited with ${code}`)
  }
  return folder
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) process.stdout.write(`${await ensureNode24()}\n`)
