// Runs the npm scripts. Each installs and builds first if needed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { checkDemonstration } from './agent/checkDemonstration.mjs'
import { ensureBuilt } from './build.mjs'
import { bump } from './bump.mjs'
import { listNames, runNightly } from './nightly.mjs'
import { pack } from './pack/pack.mjs'
import { release } from './release.mjs'
import { run } from './setup.mjs'
import { runSuite } from './suites.mjs'

const [command = '', ...args] = process.argv.slice(2)
const node = (file, rest, options) =>
  run(process.execPath, ['--import', 'tsx', file, ...rest], { stdout: 1, ...options })

const commands = {
  async setup() {
    await ensureBuilt()
    return 0
  },
  async demo() {
    await ensureBuilt({ withTypes: false })
    return node('examples/demo/src/main.ts', args)
  },
  async agent() {
    const [file, ...rest] = args
    if (file === undefined) {
      process.stderr.write('usage: npm run agent -- <script>, with the settings of `npm run demo` in .env\n')
      return 2
    }
    // npm starts scripts in the project's folder; paths are meant from where it was called.
    const cwd = process.env.INIT_CWD ?? process.cwd()
    const problem = await checkDemonstration(cwd)
    if (problem !== undefined) {
      process.stderr.write(`${problem}\n`)
      return 2
    }
    await ensureBuilt({ withTypes: false })
    const imports = [import.meta.resolve('tsx'), new URL('agent/register.mjs', import.meta.url).href]
    const flags = ['--env-file=.env', ...imports.flatMap((url) => ['--import', url])]
    return run(process.execPath, [...flags, resolve(cwd, file), ...rest], { stdout: 1, cwd })
  },
  async test() {
    await ensureBuilt()
    return runSuite('push', args)
  },
  async 'test:release'() {
    await ensureBuilt()
    return runSuite('release', args)
  },
  async serve() {
    await ensureBuilt({ withTypes: false })
    return run(process.execPath, ['packages/server/bin/touchstone-server.js', ...args], { stdout: 1 })
  },
  bench: () => runNamed('bench', 'bench/run.ts'),
  campaign: () => runNamed('campaign', 'e2e/run.ts'),
  nightly: () => runNightly(args),
  bump,
  release: () => release(args),
  async build() {
    if (!(await ensureBuilt())) process.stderr.write('building packages: nothing changed\n')
    return 0
  },
  pack: () => pack(args),
  async check() {
    await ensureBuilt()
    return run(process.execPath, ['scripts/check.mjs', ...args], { stdout: 1 })
  },
}

async function runNamed(kind, file) {
  const [name, ...rest] = args
  const names = listNames(kind)
  if (!names.includes(name)) {
    process.stderr.write(`usage: npm run ${kind} -- <name>, one of ${names.join(', ')}\n`)
    return 2
  }
  await ensureBuilt()
  return node(file, [name, ...rest])
}

// Default ledgers of guards, so that no real budget counts play money.
if (['demo', 'agent', 'bench', 'campaign'].includes(command)) {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-state-'))
  process.env.XDG_STATE_HOME = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
}

if (!Object.hasOwn(commands, command)) {
  process.stderr.write(`unknown command "${command}"\n`)
  process.exit(2)
}
process.exit(await commands[command]())
