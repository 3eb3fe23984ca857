import { createServer as createNetServer, type LookupFunction } from 'node:net'
import { expect, test } from 'vitest'
import { challengeV1, cleanUpAfterEach, listen, lookup, serve, start, target } from './testing/harness.ts'

cleanUpAfterEach()

test('behavior: a timeout after slow name resolution is our own fault', async () => {
  const silent = await listen(createNetServer((socket) => void socket.on('error', () => {})))
  const ask = async (resolvingMs: number) => {
    const slow: LookupFunction = (...asked) => void setTimeout(() => lookup(...asked), resolvingMs)
    const prober = start([silent], { lookup: slow })
    return (await prober.probe(target(`http://a.test:${silent}/`, { deadlineMs: 1_400 }))).cause
  }
  expect(await Promise.all([ask(1_100), ask(100)])).toEqual(['own_fault', 'timeout'])
})

test('behavior: a failure during a stall of our process is our own fault, but not a failure after it', async () => {
  // Closes idle connections long before our deadline, as servers do.
  const closing = await listen(
    createNetServer((socket) => void setTimeout(() => socket.on('error', () => {}).destroy(), 100)),
  )
  const paid = await serve((_request, response) => {
    response.writeHead(402).end(JSON.stringify(challengeV1()))
  })
  const prober = start([closing, paid])
  const urls = [`http://a.test:${closing}/`, `http://b.test:${paid}/`]
  const ask = () => Promise.all(urls.map(async (url) => (await prober.probe(target(url))).cause))
  const asked = ask()
  setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_400), 5)
  expect(await asked).toEqual(['own_fault', 'challenge'])
  expect(await ask()).toEqual(['connection_lost', 'challenge'])
})
