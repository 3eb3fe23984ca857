// Runs what takes too long for a push: `npm run nightly [-- PART …]`, one part after the other.
// Each part adds a line to .report/nightly.txt. Parts that passed on the same sources are skipped, so that an interrupted
// night resumes; delete the file to start over.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { ensureNode24 } from './node24.mjs'
import { root } from './setup.mjs'
import { projectsOf } from './suites.mjs'

const REPORT = join(root, '.report/nightly.txt')
/** Limit of one part. */
const LIMIT_MS = 60 * 60_000

/** Folders with a file or a folder for each campaign and each benchmark. */
const FOLDERS = { campaign: 'e2e/campaigns', bench: 'bench' }

/** Options of a campaign that it has at night only. */
const OPTIONS = { kill: ['--busy', '1'] }

/** Lists the campaigns or the benchmarks. */
export function listNames(kind) {
  const home = join(root, FOLDERS[kind])
  return readdirSync(home, { withFileTypes: true })
    .filter((entry) => entry.isFile() || existsSync(join(home, entry.name, 'index.ts')))
    .flatMap(({ name }) => /^([a-z0-9-]+)(\.ts)?$/.exec(name)?.[1] ?? [])
    .filter((name) => name !== 'run')
}

/** Lists the parts by name: the command, and what it needs in its environment. */
function listParts() {
  const vitest = (...args) => ['npx', 'vitest', 'run', ...args]
  const withProperties = git('grep', '-l', "from 'fast-check'", '--', 'packages/*.test.ts').split('\n')
  const named = (kind) =>
    listNames(kind).map((name) => [
      `${kind}-${name}`,
      { command: ['npm', 'run', kind, '--', name, ...(OPTIONS[name] ?? [])] },
    ])
  const on24 = async () => ({ PATH: `${await ensureNode24()}${delimiter}${process.env.PATH}` })
  return new Map([
    ['tests', { command: vitest(...projectsOf('nightly')) }],
    [
      'fuzz',
      {
        command: vitest('--project', 'unit', '--testTimeout=600000', ...withProperties),
        env: () => ({ FUZZ_RUNS: '10000' }),
      },
    ],
    ['node24', { command: vitest(...projectsOf('push', 'release')), env: on24 }],
    ['demo24', { command: ['npm', 'run', 'demo', '--', '--once'], env: on24 }],
    ...named('campaign'),
    ...named('bench'),
  ])
}

function git(...args) {
  return spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim()
}

/** Names the sources as they are: the commit, and what was changed since. */
function describeSources() {
  const changes = git('status', '--porcelain') + git('diff', 'HEAD')
  const digest = createHash('sha256').update(changes).digest('hex').slice(0, 12)
  return git('rev-parse', 'HEAD') + (changes === '' ? '' : ` with changes ${digest}`)
}

/** Runs a part, showing what it prints. Resolves with how it ended and the last line that it printed. */
async function runPart({ command: [program, ...args], env = () => ({}) }) {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...(await env()), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A separate process group, so that the limit also ends child processes of the part.
    detached: true,
  })
  const stop = () => process.kill(-child.pid, 'SIGTERM')
  let isInterrupted = false
  const interrupt = () => {
    isInterrupted = true
    stop()
  }
  const timer = setTimeout(stop, LIMIT_MS)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupt)
  let printed = ''
  child.stdout.on('data', (chunk) => {
    process.stdout.write(chunk)
    printed = (printed + chunk).slice(-20_000)
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(timer)
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt)
  const lines = printed.split('\n').filter((line) => line.trim() !== '')
  // Vitest ends with its duration; the count of tests says more.
  const last = lines.findLast((line) => /^ *Tests /.test(line)) ?? lines.at(-1) ?? ''
  return { passed: code === 0, isInterrupted, last: last.trim() }
}

function readPassed(sources) {
  const lines = existsSync(REPORT) ? readFileSync(REPORT, 'utf8').split('\n') : []
  if (lines[0] !== sources) {
    mkdirSync(join(root, '.report'), { recursive: true })
    writeFileSync(REPORT, `${sources}\n`)
    return new Set()
  }
  return new Set(lines.flatMap((line) => /^passed +(\S+)/.exec(line)?.[1] ?? []))
}

/** Runs the parts. Resolves with the exit code: 1 if a part failed, 2 for an unknown part, 130 if interrupted. */
export async function runNightly(wanted) {
  const parts = listParts()
  const unknown = wanted.filter((name) => !parts.has(name))
  if (unknown.length > 0) {
    process.stderr.write(`unknown part ${unknown.join(', ')}: choose from ${[...parts.keys()].join(', ')}\n`)
    return 2
  }
  await ensureBuilt()
  const passed = readPassed(describeSources())
  const due = wanted.length > 0 ? wanted : [...parts.keys()].filter((name) => !passed.has(name))
  let failures = 0
  for (const name of due) {
    process.stdout.write(`\n== ${name}\n`)
    const startedAt = Date.now()
    const result = await runPart(parts.get(name))
    if (result.isInterrupted) return 130
    if (!result.passed) failures += 1
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    const line = `${result.passed ? 'passed' : 'failed'} ${name} ${seconds} s: ${result.last}`
    appendFileSync(REPORT, `${line}\n`)
    process.stdout.write(`${line}\n`)
  }
  process.stdout.write(
    `\n${due.length - failures} parts passed, ${failures} failed; see .report/nightly.txt\n`,
  )
  return failures === 0 ? 0 : 1
}
