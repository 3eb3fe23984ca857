// Publishes the packages whose version the registry does not have, and tags them: `npm run release [-- --dry-run]`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { pnpm, root, run } from './setup.mjs'

/** Folders of the packages that are published. */
export const PUBLISHED = ['transparency', 'guard', 'crash-test']

export async function release(args) {
  await ensureBuilt()
  const isDry = args.includes('--dry-run')
  for (const name of PUBLISHED) {
    const cwd = join(root, 'packages', name)
    const code = isDry ? await tryPublishing(cwd) : await nameRepository(cwd, name)
    if (code !== 0) return code
  }
  return isDry ? 0 : run('npx', ['changeset', 'publish'], { stdout: 1 })
}

/** Prints what would be published, and checks that the changelog has an entry for the version. */
async function tryPublishing(cwd) {
  const { name, version } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))
  const changelog = readFileSync(join(cwd, 'CHANGELOG.md'), 'utf8')
  if (!changelog.includes(`\n## ${version}\n`)) {
    process.stderr.write(`CHANGELOG.md of ${name} has no entry for ${version}\n`)
    return 1
  }
  return pnpm(['publish', '--dry-run', '--no-git-checks'], { cwd })
}

/** Names the repository of the workflow in a package: provenance proves that the package was built there. */
async function nameRepository(cwd, name) {
  const repository = process.env.GITHUB_REPOSITORY
  if (repository === undefined) return 0
  const fields = [
    'repository.type=git',
    `repository.url=git+https://github.com/${repository}.git`,
    `repository.directory=packages/${name}`,
  ]
  return run('npm', ['pkg', 'set', ...fields], { cwd })
}
