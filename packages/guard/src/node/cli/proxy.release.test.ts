import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../testing/listen.ts'
import { NO_STREAMS } from '../../testing/noStreams.ts'
import { askProxy, useProxyHarness } from '../../testing/proxyHarness.ts'
import { proxyFolder } from '../proxy/secrets.ts'
import { run } from './run.ts'

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
/** The built command. */
const BIN = fileURLToPath(new URL('../../../bin/touchstone.js', import.meta.url))
const harness = useProxyHarness()
let home: string
const children: ChildProcess[] = []

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'proxy-'))
  await writeFile(join(home, 'key'), KEY, { mode: 0o600 })
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'close')
    }
  }
  await rm(home, { recursive: true })
})

const environment = () => ({ HOME: home, PRIVATE_KEY_FILE: join(home, 'key'), TOUCHSTONE_LEDGER: '' })

/** Starts the command as a process and waits until it listens. */
async function start(...args: string[]) {
  const host = new URL(harness.seller.url).host
  const words = [BIN, 'proxy', '--json', '--allow-host', host, ...args]
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...environment() },
  })
  children.push(child)
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'close').then(() => Promise.reject(new Error(errors))),
  ])
  const facts: { address: string; folder: string; ledger: string; tokens: string[] } = JSON.parse(line)
  const token = await readFile(facts.tokens[0] ?? '', 'utf8')
  const ask = (path: string) => askProxy(facts.address, path, { headers: { 'Touchstone-Token': token } })
  const stop = async () => {
    child.kill('SIGTERM')
    const [code] = await once(child, 'close')
    return { code, errors }
  }
  return { ...facts, token, ask, stop }
}

async function cli(line: string, env: Record<string, string> = {}) {
  const out: string[] = []
  const err: string[] = []
  const io = { out: (text: string) => out.push(text), err: (text: string) => err.push(text) }
  const code = await run(line.split(' '), { ...NO_STREAMS, ...io, env: { ...environment(), ...env }, fetch })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

describe('touchstone proxy', () => {
  test('default: pays with the ledger of the account, keeps its secrets over restarts, and ends on SIGTERM', async () => {
    const proxy = await start('--port', '0', '--task', 'research=0.02', '--task', 'other=1.00')
    expect((await proxy.ask(`/${harness.seller.url}/weather`)).status).toBe(200)
    for (const file of [
      ...proxy.tokens,
      join(proxy.folder, 'operator'),
      join(proxy.folder, 'address'),
      proxy.ledger,
    ])
      expect([file, await modeOf(file)]).toEqual([file, '600'])
    expect(await modeOf(proxy.folder)).toBe('700')
    const ended = await proxy.stop()
    expect(ended).toEqual({ code: 0, errors: '' })
    // No command looks there any more.
    expect((await cli('approve')).err).toContain('there is none yet')
    const again = await start('--port', '0', '--task', 'research=0.02')
    expect(again.token).toBe(proxy.token)
    const { headers } = await again.ask(`/${harness.seller.url}/weather`)
    expect(headers['touchstone-remaining-usd']).toBe('0')
    expect((await cli('budget')).out).toContain('$0.02 spent')
    expect(await readFile(again.ledger, 'utf8')).not.toContain(again.token)
  })

  test('behavior: listens on a socket that its group may use, and takes over that of a killed proxy', async () => {
    const socket = join(home, 'proxy.sock')
    const group = await groupName()
    const first = await start('--socket', socket, '--group', group)
    expect([first.address, await modeOf(socket)]).toEqual([socket, '660'])
    expect((await stat(socket)).gid).toBe(userInfo().gid)
    expect((await first.ask(`/${harness.seller.url}/weather`)).status).toBe(200)
    expect((await cli(`proxy --socket ${socket}`)).err).toContain(`socket ${socket}: is in use`)
    children[0]?.kill('SIGKILL')
    await once(children[0] as ChildProcess, 'close')
    const second = await start('--socket', socket)
    expect((await second.ask(`/${harness.seller.url}/weather`)).status).toBe(200)
    expect((await cli('approve')).out).toBe('Nothing waits.')
  })

  test('default: approve lists what waits, and answers it', async () => {
    const proxy = await start('--port', '0')
    const path = `/${harness.seller.url}/weather`
    await proxy.ask(path)
    harness.seller.character = { terms: [{ amount: '90000' }] }
    const { status, text } = await proxy.ask(path)
    const { id, why } = JSON.parse(text).approval
    expect([status, why]).toEqual([403, 'PRICE_NOT_USUAL'])
    const listed = (await cli('approve')).out
    expect(listed).toMatch(new RegExp(`^${id}  task default\\n  Price now: \\$0\\.09 `))
    expect(listed).toMatch(/\n {2}Price before: usually \$0\.01, last on [\d-]{10}\n/)
    expect(listed).toMatch(/\n {2}Call: GET http\S+\/weather\n/)
    expect((await cli(`approve ${id}`)).out).toBe(
      `${id} is approved. An equal call is paid once, until ten minutes after the question.`,
    )
    expect((await proxy.ask(path)).status).toBe(200)
    expect(await cli(`approve ${id} --refuse`)).toMatchObject({
      code: 64,
      err: expect.stringContaining('expired'),
    })
  })

  test('default: proxy page prints the password of this start, which is in no file and nothing else that is printed', async () => {
    const first = await start('--port', '0')
    const { url, password } = JSON.parse((await cli('proxy page --json')).out)
    expect(url).toBe(`${first.address}/`)
    const open = (address: string) => {
      const authorization = `Basic ${Buffer.from(`me:${password}`).toString('base64')}`
      return askProxy(address, '/', { headers: { authorization } })
    }
    expect((await open(first.address)).status).toBe(200)
    const files = await readdir(home, { recursive: true, withFileTypes: true })
    for (const file of files.filter((one) => one.isFile()))
      expect(await readFile(join(file.parentPath, file.name), 'utf8')).not.toContain(password)
    expect((await first.stop()).errors).not.toContain(password)
    const second = await start('--port', '0')
    expect((await open(second.address)).status).toBe(401)
  })

  test('error: another listener at the port of a killed proxy gets no secret', async () => {
    const proxy = await start('--port', '0')
    children[0]?.kill('SIGKILL')
    await once(children[0] as ChildProcess, 'close')
    const heard: string[] = []
    const squatter = createServer((request, response) => {
      heard.push(JSON.stringify([request.url, request.rawHeaders]))
      response.end('{"pending":[]}')
    })
    await new Promise<void>((resolve) =>
      squatter.listen(Number(new URL(proxy.address).port), '127.0.0.1', resolve),
    )
    for (const line of ['approve', 'approve 0123456789ab', 'proxy page'])
      expect(await cli(line)).toMatchObject({ code: 64, err: expect.stringContaining('NOT_THE_PROXY') })
    squatter.close()
    const secret = await readFile(join(proxy.folder, 'operator'), 'utf8')
    expect(heard).toHaveLength(3)
    expect(heard.join()).not.toContain(secret)
  })

  test.each([
    ['--task', 'research', '--task: expected a name and dollars such as research=2.00, got "research"'],
    ['--task', 'a/b=1.00', '--task: expected a name and dollars'],
    ['--task', 'a=0', '--task: expected a name and dollars'],
    ['--port', 'x', '--port: expected a number up to 65535'],
    ['--port', '65536', '--port: expected a number up to 65535'],
    ['--allow-host', 'http://x', '--allow-host: expected a host such as 127.0.0.1:8080, got "http://x"'],
    ['--group', 'users', '--group: needs --socket'],
  ])('error: %s %s is refused', async (option, value, message) => {
    expect(await cli(`proxy ${option} ${value}`)).toMatchObject({
      code: 64,
      err: expect.stringContaining(message),
    })
  })

  test('error: refuses secrets that others can read, a used port, another file as a socket, and an unknown group', async () => {
    const taken = await listen(() => {})
    const { port } = new URL(taken.url)
    expect((await cli(`proxy --port ${port}`)).err).toContain(`port ${port}: is in use`)
    await taken.stop()
    const socket = join(home, 's')
    expect((await cli(`proxy --socket ${socket} --group no-such`)).err).toContain(
      '--group: no group "no-such"',
    )
    expect((await cli(`proxy --socket ${join(home, 'key')}`)).err).toContain('is in use')
    expect(await readFile(join(home, 'key'), 'utf8')).toBe(KEY)
    const folder = proxyFolder(environment(), privateKeyToAccount(KEY).address)
    await chmod(join(folder, 'operator'), 0o644)
    expect((await cli('proxy')).err).toContain('operator: other users can read it; set its mode to 600')
  })

  test('behavior: warns that other processes can read a key in the environment', async () => {
    const warning = 'Every process of this user can read PRIVATE_KEY in the environment'
    const withKey = await cli('proxy --socket /nowhere/s', { PRIVATE_KEY: KEY })
    expect(withKey.err).toContain(warning)
    expect(withKey.err).not.toContain(KEY.slice(2))
    expect((await cli('proxy --socket /nowhere/s')).err).not.toContain(warning)
  })

  test('error: approve says where it looked for a proxy', async () => {
    expect(await cli('approve')).toMatchObject({
      code: 64,
      err: expect.stringContaining('there is none yet'),
    })
    expect(await cli('approve xyz')).toMatchObject({
      code: 64,
      err: expect.stringContaining('Expected the id'),
    })
  })
})

async function groupName(): Promise<string> {
  const lines = (await readFile('/etc/group', 'utf8')).split('\n').map((line) => line.split(':'))
  return lines.find(([, , gid]) => Number(gid) === userInfo().gid)?.[0] ?? ''
}
