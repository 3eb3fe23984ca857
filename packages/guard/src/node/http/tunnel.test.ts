import dns from 'node:dns'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { outcomeOf, setUpFetch } from '../../testing/exchanges.ts'
import { replaceBuiltin } from '../../testing/replaceBuiltin.ts'
import { createPublicFetch } from '../publicFetch.ts'
import { openTunnel } from './tunnel.ts'

const target = 'https://8.8.8.8/'

/** Starts a proxy whose tunnels lead where `answer` says, until the end of the test. */
async function startProxy(answer: (socket: Duplex, target: string) => void) {
  const asked: string[] = []
  const proxy = createServer().on('connect', ({ url = '' }, socket) => {
    asked.push(url)
    socket.on('error', () => {})
    answer(socket, url)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void proxy.close())
  const { port } = proxy.address() as AddressInfo
  const at = `127.0.0.1:${port}`
  return { url: new URL(`http://${at}`), env: { HTTPS_PROXY: at, HTTP_PROXY: at }, asked }
}

/** Leads a tunnel to a server. */
function lead(socket: Duplex, url: string) {
  socket.write('HTTP/1.1 200 x\r\n\r\n')
  socket.pipe(connect(Number(new URL(url).port), '127.0.0.1')).pipe(socket)
}

test.each<[string, (socket: Duplex) => void]>([
  ['that says nothing', () => {}],
  ['that leads to a silent host', (socket) => socket.write('HTTP/1.1 200 x\r\n\r\n')],
])(
  'behavior: a proxy %s is left after the time limit, and by an abort',
  async (_, answer) => {
    const { env } = await startProxy(answer)
    expect(await outcomeOf(createPublicFetch({ env, timeoutMs: 100 })(target))).toBe('TimeoutError')
    const signal = AbortSignal.timeout(100)
    expect(await outcomeOf(createPublicFetch({ env })(target, { signal }))).toBe('TimeoutError')
  },
  2000,
)

test.each<[string, (socket: Duplex) => void]>([
  ['that closes', (socket) => socket.destroy()],
  ['that closes the tunnel', (socket) => socket.end('HTTP/1.1 200 x\r\n\r\n')],
])(
  'error: a proxy %s is a failed call at once',
  async (_, answer) => {
    const { env } = await startProxy(answer)
    await expect(createPublicFetch({ env })(target)).rejects.toThrow('fetch failed')
  },
  2000,
)

test.each([
  ['answers 502', (socket: Duplex) => void socket.end('HTTP/1.1 502 x\r\n\r\n')],
  ['closes', (socket: Duplex) => void socket.destroy()],
])('behavior: tries every address of a host in order, where the proxy %s for IPv6', async (_, fail) => {
  const addresses = [
    { address: '2606:4700::1111', family: 6 },
    { address: '2606:4700::1001', family: 6 },
    { address: '1.1.1.1', family: 4 },
  ]
  replaceBuiltin(dns.promises, 'lookup', () => async () => addresses)
  const { url } = await setUpFetch((response) => void response.end('reached'))
  const { env, asked } = await startProxy((socket, to) => {
    if (to.startsWith('[')) fail(socket)
    else lead(socket, url)
  })
  const fetch = createPublicFetch({ env })
  expect(await outcomeOf(fetch('http://both.example/'))).toBe('reached')
  expect(asked).toEqual(['[2606:4700::1111]:80', '[2606:4700::1001]:80', '1.1.1.1:80'])
})

test('behavior: a redirect from http to https of the same host is followed', async () => {
  const { url } = await setUpFetch(
    (response) => void response.writeHead(302, { location: 'https://8.8.8.8/' }).end(),
  )
  const { env, asked } = await startProxy((socket, to) => {
    if (to.endsWith(':443')) socket.destroy()
    else lead(socket, url)
  })
  const fetch = createPublicFetch({ env })
  await expect(fetch('http://8.8.8.8/')).rejects.toThrow('fetch failed')
  expect(asked).toEqual(['8.8.8.8:80', '8.8.8.8:443'])
})

test('behavior: an address that a proxy does not reach leaves time for the next', async () => {
  const proxy = await startProxy((socket, to) => {
    if (!to.startsWith('[')) socket.write('HTTP/1.1 200 x\r\n\r\n')
  })
  const addresses = [
    { address: '2606:4700::1111', family: 6 },
    { address: '1.1.1.1', family: 4 },
  ]
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { signal } = new AbortController()
    const opening = openTunnel(proxy.url, new URL('http://both.example'), addresses, signal)
    while (proxy.asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(5000)
    const socket = await opening
    // The limit of an attempt ends with it.
    vi.advanceTimersByTime(60_000)
    await new Promise((resolve) => setImmediate(resolve))
    expect(socket.destroyed).toBe(false)
    socket.destroy()
  } finally {
    vi.useRealTimers()
  }
})
