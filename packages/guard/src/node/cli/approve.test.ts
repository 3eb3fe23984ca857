import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { listen } from '../../testing/listen.ts'
import { NO_STREAMS } from '../../testing/noStreams.ts'
import { askProxy, OPERATOR, useProxyHarness } from '../../testing/proxyHarness.ts'
import { HONEST } from '../../testing/seller.ts'
import { termOf } from '../../testing/service.ts'
import type { ProxyOptions } from '../proxy/startProxy.ts'
import { run } from './run.ts'

const harness = useProxyHarness()
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'approve-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Writes the folder of a proxy that listens at an address. */
async function publish(address: string, secret = OPERATOR) {
  await writeFile(join(folder, 'address'), address)
  await writeFile(join(folder, 'operator'), secret, { mode: 0o600 })
}

async function cli(...words: string[]) {
  const printed: string[] = []
  const print = (line: string) => void printed.push(line)
  const io = { ...NO_STREAMS, out: print, err: print, env: { XDG_STATE_HOME: folder }, fetch }
  return { code: await run([...words, '--folder', folder], io), text: printed.join('\n') }
}

/** Starts a proxy in which one order waits. */
async function startAsked(body = 'one pencil', change: Partial<ProxyOptions> = {}) {
  const { service, seller } = harness
  const terms = [termOf(HONEST, '10000', { method: 'POST' })]
  service.decisions.set(`${seller.url}/orders`, { verdict: 'caution', probes: 9, terms })
  const proxy = await harness.start(change)
  await publish(proxy.address)
  const order = () => proxy.ask(`/${seller.url}/orders?key=1`, { method: 'POST', body })
  const id: string = JSON.parse((await order()).text).approval.id
  return { proxy, order, id }
}

type Heard = { method: string | undefined; url: string | undefined; headers: IncomingMessage['headers'] }

/** Listens where a proxy has listened, and answers its requests. */
async function squat(answer: (request: Heard) => unknown = () => ({ pending: [] })) {
  const heard: Heard[] = []
  const server = await listen(async ({ method, url, headers }, response) => {
    heard.push({ method, url, headers })
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify(await answer({ method, url, headers })))
  })
  onTestFinished(server.stop)
  await publish(server.url)
  return { url: server.url, heard }
}

test('default: lists what waits, shows the whole of it, and approves it', async () => {
  const { order, id } = await startAsked('one pencil\nPrice now: $0\u001b[2J')
  const listed = await cli('approve')
  expect(listed.code).toBe(0)
  expect(listed.text).toContain(`${id}  task research\n  Price now: $0.01 (token `)
  expect(listed.text).toContain('  Body begins: one pencil\\nPrice now: $0\\u{1b}[2J\n')
  expect(listed.text).toContain(`  All of it: touchstone approve ${id} --show`)
  const shown = await cli('approve', id, '--show')
  expect(shown.text).toMatch(/\n {2}The whole body:\n {2}\| one pencil\n {2}\| Price now: \$0\\u\{1b\}\[2J$/)
  expect((await order()).status).toBe(403)
  expect(await cli('approve', id)).toEqual({
    code: 0,
    text: `${id} is approved. An equal call is paid once, until ten minutes after the question.`,
  })
  expect((await order()).status).toBe(200)
  expect(await cli('approve', id)).toMatchObject({ code: 64, text: expect.stringContaining('expired') })
  expect((await cli('approve')).text).toBe('Nothing waits.')
})

test('behavior: refuses what waits', async () => {
  const { order, id } = await startAsked()
  expect((await cli('approve', id, '--refuse')).text).toBe(`${id} is refused.`)
  expect((await order()).status).toBe(402)
})

test('default: proxy page prints a password that opens the page of this start', async () => {
  const { proxy } = await startAsked()
  const { text } = await cli('proxy', 'page', '--json')
  const { url, password } = JSON.parse(text)
  expect(url).toBe(`${proxy.address}/`)
  expect(password).not.toContain(OPERATOR)
  const authorization = `Basic ${Buffer.from(`me:${password}`).toString('base64')}`
  expect((await askProxy(proxy.address, '/', { headers: { authorization } })).status).toBe(200)
  expect((await cli('proxy', 'page')).text).toBe(`Page: ${url} (any user name)\nPassword: ${password}`)
})

const SECRETS = [['approve'], ['approve', '0123456789ab'], ['proxy', 'page']]

test.each(SECRETS)(
  'error: %s %s sends no secret to another listener, and believes nothing of it',
  async (...words) => {
    const { heard, url } = await squat()
    const { code, text } = await cli(...words)
    expect([code, text]).toEqual([
      64,
      expect.stringContaining(`NOT_THE_PROXY: what listens at ${url} cannot prove`),
    ])
    expect(heard).toHaveLength(1)
    expect(JSON.stringify(heard)).not.toContain(OPERATOR)
    expect(heard[0]?.headers).not.toHaveProperty('authorization')
  },
)

test('error: a listener that relays to the proxy proves nothing, since it listens elsewhere', async () => {
  const { proxy, id, order } = await startAsked()
  const relay = await squat(async ({ method = '', url = '', headers }) => {
    const own = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('touchstone-')))
    return JSON.parse(
      (await askProxy(proxy.address, url, { method, headers: own as Record<string, string> })).text,
    )
  })
  const { code, text } = await cli('approve', id)
  expect([code, text]).toEqual([64, expect.stringContaining('NOT_THE_PROXY')])
  expect(relay.heard.map(({ url }) => url)).toEqual(['/operator'])
  expect((await order()).status).toBe(403)
})

test('error: who has taken over the socket changes no answer, and uses no command twice', async () => {
  const [socket, moved] = [join(folder, 'proxy.sock'), join(folder, 'moved.sock')]
  const { id } = await startAsked('one pencil', { place: { socket, gid: null } })
  await rename(socket, moved)
  const asked = { method: 'POST', body: 'one pencil' }
  const order = () => askProxy(moved, `/${harness.seller.url}/orders?key=1`, asked)
  const seen: Heard[] = []
  const forward = async ({ method = '', url = '', headers }: Heard) => {
    const own = Object.entries(headers).filter(([name]) => name.startsWith('touchstone-'))
    return askProxy(moved, url, { method, headers: Object.fromEntries(own) as Record<string, string> })
  }
  let isHonest = false
  const server = createServer(async ({ method, url, headers: given }, response) => {
    const heard = { method, url, headers: given }
    seen.push(heard)
    const { status, text, headers } = await forward(heard)
    response.writeHead(status, { 'touchstone-proof': headers['touchstone-proof'] ?? '' })
    response.end(isHonest ? text : text.replace('one pencil', 'two pencils'))
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  onTestFinished(() => void server.close())
  expect((await cli('approve')).text).toContain('NOT_THE_PROXY')
  expect(seen.map(({ url }) => url)).toEqual(['/operator', '/operator/approvals'])
  isHonest = true
  expect((await cli('approve', id)).text).toContain('is approved')
  expect((await order()).status).toBe(200)
  expect((await order()).status).toBe(403)
  // The same bytes again, and those of the list for an approval.
  for (const heard of seen) expect((await forward(heard)).status).toBe(heard.url === '/operator' ? 200 : 401)
  const { id: next } = JSON.parse((await order()).text).approval
  const other = { ...(seen[1] as Heard), method: 'POST', url: `/operator/approvals/${next}/approve` }
  expect((await forward(other)).status).toBe(401)
})

test('error: nothing listens, or what listens does not speak HTTP', async () => {
  await publish('http://127.0.0.1:9')
  expect(await cli('approve')).toEqual({ code: 64, text: 'The proxy at http://127.0.0.1:9 does not answer.' })
})

test.each([
  [['approve', 'xyz'], 'Expected the id'],
  [['approve', '--show'], '--show: needs the id of an approval'],
  [['approve', '--refuse'], '--refuse: needs the id of an approval'],
  [['approve', '0123456789ab', '--show', '--refuse'], '--show and --refuse: give one of them'],
  [['approve'], 'There is no proxy in'],
])('error: %j is refused', async (words, message) => {
  expect(await cli(...words)).toMatchObject({ code: 64, text: expect.stringContaining(message) })
})
