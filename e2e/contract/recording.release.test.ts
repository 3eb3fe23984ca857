import { spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { startService } from '@touchstone402/demo'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startEconomy } from '../support/economy.ts'
import { checksNoAnswers } from './checksNoAnswers.ts'
import { refuseViolations, startRecording } from './recording.ts'

checksNoAnswers('each test has a recording of its own, with violations')

type Alter = (request: IncomingMessage, response: ServerResponse) => void

/** A manipulation of the service's responses. */
let alter: Alter = () => {}
let url: string
let stop: () => Promise<void>

/** Wraps the service below the recorder. */
function stepIn(message: unknown) {
  const { server } = message as { server: Server }
  const listeners = server.listeners('request') as Alter[]
  for (const listener of listeners.slice(1)) server.off('request', listener)
  server.on('request', (request, response) => alter(request, response))
  for (const listener of listeners.slice(1)) server.on('request', listener)
}

beforeAll(async () => {
  const economy = await startEconomy({ sellers: [], clock: 'real' })
  subscribe('touchstone402.http.server', stepIn)
  const service = await startService(economy, { settings: { PORT: '0' } })
  url = service.url
  stop = async () => {
    unsubscribe('touchstone402.http.server', stepIn)
    await service.stop()
    await economy.stop()
  }
})
afterAll(() => stop?.())

async function recordCalls(calls: () => Promise<unknown>, change: Alter = () => {}) {
  const recording = startRecording()
  alter = change
  await calls()
  alter = () => {}
  return recording.check()
}

/** Sends raw bytes and waits until the service closes the connection. */
async function send(text: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text))
  socket.on('error', () => {}).resume()
  await once(socket, 'close')
}

test('default: records cached, computed, paid and refused responses, all without violations', async () => {
  const calls: [string, string][] = [
    ['GET', '/status.json'],
    ['GET', '/status.json'],
    ['HEAD', '/status.json'],
    ['GET', '/changes.json?days=0'],
    ['GET', '/trust'],
    ['POST', '/trust'],
    ['OPTIONS', '/trust'],
    ['GET', '/'],
    ['GET', '/services/nobody.example'],
    ['GET', '/incidents.rss'],
    ['GET', '/no/such/path'],
    ['GET', '/%'],
  ]
  const { answers, violations } = await recordCalls(async () => {
    for (const [method, path] of calls) await (await fetch(url + path, { method })).text()
    await send('GARBAGE\r\n\r\n')
  })
  expect(violations).toEqual([])
  expect(answers).toBe(calls.length + 1)
})

const replaceInBody =
  (from: string, to: string): Alter =>
  (_request, response) => {
    const { end } = response
    response.end = ((body: string | Buffer, ...rest: unknown[]) => {
      const text = typeof body === 'string' ? body : body.toString('latin1')
      return Reflect.apply(end, response, [Buffer.from(text.replace(from, to), 'latin1'), ...rest])
    }) as typeof end
  }
const changeStatus =
  (status: number): Alter =>
  (_request, response) => {
    const { writeHead } = response
    response.writeHead = ((_status: number, ...rest: unknown[]) =>
      Reflect.apply(writeHead, response, [status, ...rest])) as typeof writeHead
  }

test.each([
  [
    'a missing field',
    '/status.json',
    replaceInBody('"asOf"', '"asOg"'),
    "GET /status.json 200: data must have required property 'asOf'",
  ],
  [
    'a field of the wrong type',
    '/changes.json?limit=700',
    replaceInBody('"limit":700', '"limit":"7"'),
    'GET /changes.json 200: data/limit must be integer',
  ],
  [
    'an undocumented status',
    '/reports.json',
    changeStatus(418),
    'GET /reports.json 418: status 418 is not documented',
  ],
  [
    'a challenge without terms',
    '/trust',
    replaceInBody('"accepts"', '"acceptz"'),
    "GET /trust 402: data must have required property 'accepts'",
  ],
  ['a wrong status of an unknown path', '/nothing', changeStatus(403), 'GET /nothing 403: status 403'],
  [
    'an invalid HTML page',
    '/reports',
    replaceInBody('<!doctype', '<!DOCTYPE'),
    'GET /reports 200: no <!doctype html><html',
  ],
])('error: %s is a violation that fails the file', async (_, path, change, line) => {
  const headers = { accept: path === '/reports' ? 'text/html' : '*/*', 'accept-encoding': 'identity' }
  const checked = await recordCalls(async () => {
    await (await fetch(url + path, { headers })).text()
  }, change)
  expect(checked.answers).toBe(1)
  expect(checked.violations).toContain(line)
  expect(() => refuseViolations(checked)).toThrow(line)
})

test('behavior: records responses of a child process, even if it is killed', async () => {
  const script = `
    import { channel } from 'node:diagnostics_channel'
    import { createServer } from 'node:http'
    const server = createServer((request, response) => response.writeHead(200).end('x'.repeat(3_000_000)))
    channel('touchstone402.http.server').publish({ server })
    server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
  const checked = await recordCalls(async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    const [port] = await once(child.stdout, 'data')
    expect(await (await fetch(`http://127.0.0.1:${Number(port)}/verify`)).text()).toHaveLength(3_000_000)
    // A client may have all of a response before its server knows that it is sent.
    const written = () => readdirSync(process.env.TOUCHSTONE_ANSWERS ?? '')
    await expect.poll(written).toContainEqual(expect.stringMatching(/\.jsonl$/))
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  expect(checked).toMatchObject({
    answers: 1,
    violations: [expect.stringContaining('ETag'), expect.anything()],
  })
})
