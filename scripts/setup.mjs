// Installs on demand, so that every command works on a fresh clone. Runs before anything is installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
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

const STAMP = join(root, 'node_modules/.touchstone-installed')

/** Installs from the frozen lockfile unless it is installed already. */
export async function ensureInstalled() {
  const hash = createHash('sha256')
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(root, name)))
  const digest = hash.digest('hex')
  const isInstalled = existsSync(join(root, 'node_modules/.pnpm')) && existsSync(STAMP)
  if (isInstalled && readFileSync(STAMP, 'utf8') === digest) return
  const startedAt = Date.now()
  process.stderr.write('installing packages …\n')
  const code = await pnpm(['install', '--frozen-lockfile', '--prefer-offline'], { quiet: true })
  if (code !== 0) {
    process.stderr.write('installing packages failed\n')
    process.exit(code)
  }
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  writeFileSync(STAMP, digest)
  process.stderr.write(`installing packages: done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`)
}
