import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { keyAt } from '@touchstone402/economy'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { type ProxyProcess, startProxyProcess, type User } from './support/proxyProcess.ts'
import { openQuickSeller, type QuickSeller, RECEIVER } from './support/seller.ts'

checksNoAnswers('the guard without a service')

const KEY = keyAt(170)
/** Users and groups by number: they need no accounts. */
const OWNER: User = { uid: 65_301, gid: 65_310 }
const AGENT: User = { uid: 65_302, gid: OWNER.gid }
const OUTSIDER: User = { uid: 65_303, gid: 65_303 }
const isRoot = process.getuid?.() === 0
const EXAMPLES = new URL('../docs/examples/', import.meta.url)

let seller: QuickSeller
let proxy: ProxyProcess
let socket: string
/** Arguments of the proxy in the examples. */
let words: readonly string[]

beforeAll(async () => {
  const unit = await readFile(new URL('touchstone-proxy.service', EXAMPLES), 'utf8')
  words = /^ExecStart=\S+ proxy (.*)$/m.exec(unit)?.[1]?.split(' ') ?? []
  seller = await openQuickSeller(() => [RECEIVER, '100'])
  proxy = await startProxyProcess({
    key: KEY,
    ...(isRoot && { user: OWNER }),
    args: (home) => {
      socket = join(home, 'proxy.sock')
      const args = words.map((word) => word.replace('/run/touchstone', home))
      return [...args, '--allow-host', new URL(seller.url).host]
    },
  })
})
afterAll(async () => {
  await proxy?.stop()
  await seller?.stop()
})

/** Runs a program as an agent: with a token, and nothing of the environment of the test. */
async function runAs(user: User | undefined, file: string, ...args: string[]) {
  const env = { PATH: process.env.PATH, TOUCHSTONE_TOKEN: proxy.tokens.research }
  const child = spawn(file, args, { ...user, env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { out, errors }
}

const pay = (user?: User) => {
  // The token comes by standard input, since every user sees the arguments of a process.
  const call = `printf 'Touchstone-Token: %s' "$TOUCHSTONE_TOKEN" | curl -sS -H @- --unix-socket "$0" -w '%{http_code}' "$1"`
  return runAs(user, 'sh', '-c', call, socket, `http://localhost/${seller.url}/weather?as=${user?.uid}`)
}

/** Returns what becomes of opening each path: `open`, or the code of the error. */
async function openAs(user: User | undefined, paths: readonly string[]): Promise<Record<string, string>> {
  const program = `
    import { closeSync, openSync, readlinkSync } from 'node:fs'
    const [mode, ...paths] = process.argv.slice(1)
    const open = (path) => {
      try {
        if (/\\/fd\\/\\d+$/.test(path)) readlinkSync(path)
        else closeSync(openSync(path, mode))
        return 'open'
      } catch (error) {
        return error.code
      }
    }
    console.log(JSON.stringify(Object.fromEntries(paths.map((path) => [path, open(path)]))))`
  const args = ['--input-type=module', '--eval', program, '--', 'r', ...paths]
  const { out, errors } = await runAs(user, process.execPath, ...args)
  expect(errors).toBe('')
  return JSON.parse(out)
}

/** Lists what holds a secret of the proxy, or leads to one. */
async function listSecretPlaces(): Promise<string[]> {
  const { pid, home, folder, ledger } = proxy
  const files = ['operator', 'tokens', 'tokens/research', 'tokens/shopping'].map((name) => join(folder, name))
  const descriptors = (await readdir(`/proc/${pid}/fd`)).map((name) => `fd/${name}`)
  const entries = ['environ', 'mem', 'maps', 'auxv', ...descriptors].map((name) => `/proc/${pid}/${name}`)
  return [join(home, 'key'), ledger, `${ledger}.payments`, folder, ...files, ...entries]
}

// A skipped test counts as a failed one, and what a machine lacks is no fault.
const describeIf = (isPossible: boolean, name: string, run: () => void) =>
  isPossible ? describe(name, run) : undefined
const testIf = (isPossible: boolean, name: string, run: () => void | Promise<void>) =>
  isPossible ? test(name, run) : undefined

describeIf(isRoot, 'an agent of another user', () => {
  test('default: in the group of the socket it pays, and opens no key, ledger, token or memory', async () => {
    expect(await pay(AGENT)).toEqual({ out: 'sunny200', errors: '' })
    const asOwner = Object.entries(await openAs(OWNER, await listSecretPlaces()))
    // Some machines close the memory of each process to all but root, its owner included.
    const own = '/proc/self/environ'
    const isClosed = (await openAs(OWNER, [own]))[own] !== 'open'
    const mayBeShut = (place: string) => place.includes('/fd/') || (isClosed && place.startsWith('/proc/'))
    // All are there, except descriptors of connections that have ended meanwhile.
    expect(asOwner.filter(([place, result]) => result !== 'open' && !mayBeShut(place))).toEqual([])
    const places = asOwner.flatMap(([place, result]) => (result === 'open' ? [place] : []))
    const seen = Object.entries(await openAs(AGENT, places))
    expect(seen.filter(([, result]) => !['EACCES', 'EPERM'].includes(result))).toEqual([])
  })

  test('behavior: it cannot put a socket of its own in the place of that of the proxy', async () => {
    expect((await runAs(AGENT, 'rm', '-f', socket)).errors).toMatch(/denied|not permitted/)
    expect((await pay(AGENT)).out).toBe('sunny200')
  })

  test('error: outside of the group the socket is shut, with a token too', async () => {
    const { out, errors } = await pay(OUTSIDER)
    expect([out, errors]).toEqual(['000', expect.stringMatching(/couldn't connect/i)])
  })
})

// The same user can read the memory of the proxy, whatever its files and its environment hold.
describeIf(process.platform === 'linux', 'the process of the proxy', () => {
  test('default: has no secret in its arguments and its environment, nor has that of an agent', async () => {
    expect((await pay()).out).toBe('sunny200')
    const { operator, tokens, pid } = proxy
    const secrets = [KEY.slice(2), operator, ...Object.values(tokens)]
    const own = secrets.filter((secret) => secret !== tokens.research)
    const [args, environment] = await Promise.all(
      ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')),
    )
    expect(args).toContain('proxy')
    expect(environment).toContain('PRIVATE_KEY_FILE=')
    const { out } = await runAs(undefined, 'env')
    expect(out).toContain('TOUCHSTONE_TOKEN=')
    expect(secrets.filter((secret) => `${args}${environment}`.includes(secret))).toEqual([])
    expect(own.filter((secret) => out.includes(secret))).toEqual([])
  })

  test('behavior: writes no core dump, and cannot allow itself to', async () => {
    const limits = await readFile(`/proc/${proxy.pid}/limits`, 'utf8')
    expect(limits).toMatch(/^Max core file size +0 +0 /m)
  })
})

const has = (file: string, ...args: string[]) => spawnSync(file, args).status === 0

describe('the examples', () => {
  testIf(has('systemd-analyze', '--version'), 'default: systemd reads the unit', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'touchstone-unit-'))
    const unit = await readFile(new URL('touchstone-proxy.service', EXAMPLES), 'utf8')
    const file = join(folder, 'touchstone-proxy.service')
    // A program that this machine has, which systemd looks for.
    await writeFile(file, unit.replace('/usr/bin/touchstone', process.execPath))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    await rm(folder, { recursive: true })
    expect([status, stderr]).toEqual([0, ''])
  })

  test('default: the container runs the command of the unit', async () => {
    const compose = await readFile(new URL('proxy-compose.yaml', EXAMPLES), 'utf8')
    expect(compose).toContain(`command: [proxy, ${words.join(', ')}]`)
  })

  testIf(has('docker', 'compose', 'version'), 'default: Compose reads the containers', () => {
    const file = fileURLToPath(new URL('proxy-compose.yaml', EXAMPLES))
    const { status, stderr } = spawnSync('docker', ['compose', '-f', file, 'config', '--quiet'], {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, expect.not.stringMatching(/error/i)])
  })
})
