// Installs and builds when that is due, so that every command works on a fresh clone. Node alone runs this file.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const BUILT = ['packages/shared', 'packages/transfers', 'packages/guard', 'packages/server']

/** Runs a program in the project's folder, its output on stderr unless told otherwise, and resolves with its exit code. */
export function run(command, args, { stdout = 2, env = {}, quiet = false } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = quiet ? 'pipe' : ['inherit', stdout, 2]
    const child = spawn(command, args, { cwd: root, stdio, env: { ...process.env, ...env } })
    const forward = (signal) => child.kill(signal)
    process.on('SIGINT', forward)
    process.on('SIGTERM', forward)
    const printed = []
    child.stdout?.on('data', (chunk) => printed.push(chunk))
    child.stderr?.on('data', (chunk) => printed.push(chunk))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      process.off('SIGINT', forward)
      process.off('SIGTERM', forward)
      if (quiet && code !== 0) process.stderr.write(Buffer.concat(printed))
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1))
    })
  })
}

/** The project's package manager at exactly the version that package.json names. */
export const pnpm = (args, options) => run('npx', ['--yes', manifest.packageManager, ...args], options)

/** Installs from the frozen lockfile unless what is installed came from it. */
export async function ensureInstalled() {
  const digest = digestOf([join(root, 'pnpm-lock.yaml'), join(root, 'pnpm-workspace.yaml')])
  await once('installed', digest, existsSync(join(root, 'node_modules/.pnpm')), 'installing packages', () =>
    pnpm(['install', '--frozen-lockfile', '--prefer-offline'], { quiet: true }),
  )
}

/** Builds the packages unless they were built from the sources as they are. */
export async function ensureBuilt() {
  await ensureInstalled()
  const sources = BUILT.flatMap((folder) => [
    ...filesBelow(join(root, folder, 'src')),
    join(root, folder, 'package.json'),
    join(root, folder, 'tsup.config.ts'),
  ])
  const exists = BUILT.every((folder) => existsSync(join(root, folder, 'dist/index.d.ts')))
  await once(
    'built',
    digestOf([...sources, join(root, 'docs/openapi.json'), join(root, 'pnpm-lock.yaml')]),
    exists,
    'building packages',
    build,
  )
}

/** Builds the packages that others bundle first, then those two at once. */
export async function build() {
  const [shared, transfers, ...rest] = BUILT
  for (const folder of [shared, transfers]) {
    const code = await pnpm(['--dir', folder, 'run', 'build'], { quiet: true })
    if (code !== 0) return code
  }
  const codes = await Promise.all(
    rest.map((folder) => pnpm(['--dir', folder, 'run', 'build'], { quiet: true })),
  )
  return Math.max(...codes)
}

async function once(name, digest, exists, what, work) {
  const stamp = join(root, 'node_modules', `.touchstone-${name}`)
  if (exists && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  const startedAt = Date.now()
  process.stderr.write(`${what} …\n`)
  const code = await work()
  if (code !== 0) {
    process.stderr.write(`${what} failed\n`)
    process.exit(code)
  }
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, digest)
  process.stderr.write(`${what}: done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`)
}

function digestOf(files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}

function filesBelow(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesBelow(path) : [path]))
    .filter((path) => !path.endsWith('.test.ts'))
}
