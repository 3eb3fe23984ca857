// Installs and builds on demand, so that every command works on a fresh clone. Runs before anything is installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const BUILT = [
  'packages/shared',
  'packages/transfers',
  'packages/guard',
  'packages/crash-test',
  'packages/server',
]

/** Runs a program, in the project's folder by default, with its output on stderr by default. Resolves with the exit code. */
export function run(command, args, { stdout = 2, env = {}, quiet = false, cwd = root } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = quiet ? 'pipe' : ['inherit', stdout, 2]
    const child = spawn(command, args, { cwd, stdio, env: { ...process.env, ...env } })
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

/** Runs pnpm at the version pinned in package.json. */
export const pnpm = (args, options) => run('npx', ['--yes', manifest.packageManager, ...args], options)

/** Installs from the frozen lockfile unless it is installed already. */
export async function ensureInstalled() {
  const digest = () => digestOf([join(root, 'pnpm-lock.yaml'), join(root, 'pnpm-workspace.yaml')])
  if (existsSync(join(root, 'node_modules/.pnpm')) && readStamp('installed') === digest()) return
  await work('installed', digest, 'installing packages', () =>
    pnpm(['install', '--frozen-lockfile', '--prefer-offline'], { quiet: true }),
  )
}

/** Builds the packages unless their sources are unchanged since the last build. */
export async function ensureBuilt() {
  await ensureInstalled()
  const exists = BUILT.every((folder) => existsSync(join(root, folder, 'dist/index.d.ts')))
  if (!exists || readStamp('built') !== digestOfSources()) await build()
}

/** Builds the packages and records which sources they were built from. */
export async function build() {
  await work('built', digestOfSources, 'building packages', async () => {
    // Bundles resolve the built files of the packages below: transfers needs shared, and server needs both.
    const shared = await buildPackage('packages/shared')
    if (shared !== 0) return shared
    const [server, guard, crashTest] = await Promise.all([
      buildPackage('packages/transfers').then((code) => code || buildPackage('packages/server')),
      buildPackage('packages/guard'),
      buildPackage('packages/crash-test'),
    ])
    return server || guard || crashTest
  })
}

const buildPackage = (folder) => pnpm(['--dir', folder, 'run', 'build'], { quiet: true })

const stampPath = (name) => join(root, 'node_modules', `.touchstone-${name}`)
const readStamp = (name) => (existsSync(stampPath(name)) ? readFileSync(stampPath(name), 'utf8') : undefined)

/** Runs a step and stamps it with its digest; exits if the step fails. */
async function work(name, digest, title, step) {
  const startedAt = Date.now()
  // Taken first: an edit during the step is not part of its result.
  const before = digest()
  process.stderr.write(`${title} …\n`)
  const code = await step()
  if (code !== 0) {
    process.stderr.write(`${title} failed\n`)
    process.exit(code)
  }
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  writeFileSync(stampPath(name), before)
  process.stderr.write(`${title}: done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`)
}

function digestOfSources() {
  const sources = BUILT.flatMap((folder) => [
    ...filesBelow(join(root, folder, 'src')),
    ...readdirSync(join(root, folder))
      .filter((name) => /\.(json|[cm]?[jt]s)$/.test(name))
      .sort()
      .map((name) => join(root, folder, name)),
  ])
  // The guard's client types are generated from the OpenAPI document.
  return digestOf([...sources, join(root, 'docs/openapi.json'), join(root, 'pnpm-lock.yaml')])
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
