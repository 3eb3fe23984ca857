import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const CLI = fileURLToPath(new URL('../../packages/guard/bin/touchstone.js', import.meta.url))

/** A user of this machine, by number; needs no account. */
export type User = { readonly uid: number; readonly gid: number }

/** A running `touchstone proxy`: the built command, in a separate process. */
export type ProxyProcess = {
  readonly pid: number
  /** Home of its user, with the key file `key`. Others may enter it. */
  readonly home: string
  /** A URL, or the path of the socket. */
  readonly address: string
  readonly folder: string
  readonly ledger: string
  /** By task. */
  readonly tokens: Readonly<Record<string, string>>
  /** Secret of the operator's commands. */
  readonly operator: string
  /** Password of the page, of this start. */
  readonly pagePassword: string
  /** All that it has printed. */
  printed(): string
  /** Ends it with SIGTERM, and removes its home. Resolves to its exit code. */
  stop(): Promise<number | null>
}

/** Options of {@link startProxyProcess}. */
export type ProxyProcessOptions = {
  readonly key: string
  /** Returns the arguments, given the home. */
  args(home: string): readonly string[]
  /** Runs it as another user, which root can. @default the user of this process */
  readonly user?: User
}

/** Asks the proxy of a folder for the password of its page. */
async function readPagePassword(folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    CLI,
    'proxy',
    'page',
    '--json',
    '--folder',
    folder,
  ])
  return JSON.parse(stdout).password
}

/** Starts a proxy as documented: no core dumps, the key in a file, and nothing else in its environment. */
export async function startProxyProcess({ key, args, user }: ProxyProcessOptions): Promise<ProxyProcess> {
  const home = await mkdtemp(join(tmpdir(), 'touchstone-proxy-'))
  const keyFile = join(home, 'key')
  await writeFile(keyFile, key, { mode: 0o600 })
  await chmod(home, 0o755)
  if (user !== undefined) for (const path of [home, keyFile]) await chown(path, user.uid, user.gid)
  const words = [process.execPath, CLI, 'proxy', '--json', ...args(home)]
  const child = spawn('/bin/sh', ['-c', 'ulimit -c 0; exec "$0" "$@"', ...words], {
    ...user,
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, PRIVATE_KEY_FILE: keyFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  child.stderr.on('data', (chunk) => {
    printed += chunk
  })
  const ended = once(child, 'close')
  const lines = createInterface(child.stdout)
  const failed = ended.then(() => Promise.reject(new Error(`the proxy ended: ${printed}`)))
  failed.catch(() => {})
  lines.on('line', (line) => {
    printed += `${line}\n`
  })
  const [first] = await Promise.race([once(lines, 'line'), failed])
  const { tokens: files, ...facts }: { address: string; folder: string; ledger: string; tokens: string[] } =
    JSON.parse(first)
  const read = async (file: string) => [basename(file), await readFile(file, 'utf8')] as const
  return {
    ...facts,
    home,
    pid: Number(child.pid),
    tokens: Object.fromEntries(await Promise.all(files.map(read))),
    operator: await readFile(join(facts.folder, 'operator'), 'utf8'),
    pagePassword: await readPagePassword(facts.folder),
    printed: () => printed,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await ended
      await rm(home, { recursive: true, force: true })
      return code
    },
  }
}
