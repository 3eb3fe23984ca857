// Sets the next versions by the changesets, and has each Action run that of its package: `npm run bump`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pinVersion } from './pinVersion.mjs'
import { root, run } from './setup.mjs'

/** Actions, and the package that each runs. */
const ACTIONS = { 'action.yml': 'guard', 'packages/crash-test/action.yml': 'crash-test' }

export async function bump() {
  const code = await run('npx', ['changeset', 'version'], { stdout: 1 })
  if (code !== 0) return code
  for (const [file, name] of Object.entries(ACTIONS)) {
    const { version } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
    const path = join(root, file)
    writeFileSync(path, pinVersion(readFileSync(path, 'utf8'), version))
  }
  return 0
}
