import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { ask, get, open, request, start, startBare, withoutDate } from './testing/repeats.ts'

test('default: what Node has read once it need not read again, and the answer is the same to the byte', async () => {
  const { server, read } = await start()
  const socket = await open(server)
  const first = await ask(socket, request('a'))
  expect(first).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(read()).toBe(1)
  for (let call = 0; call < 3; call++) {
    expect(withoutDate(await ask(socket, request('a')))).toBe(withoutDate(first))
  }
  expect(read()).toBe(1)
  // What does not lie ready is made by way of Node, once.
  for (let call = 0; call < 3; call++) expect(await ask(socket, request('b'))).toContain('http://b.example/')
  expect(read()).toBe(2)
})

test('behavior: what differs in more than its target goes to Node, and is answered as it asks', async () => {
  const { server, read } = await start()
  const socket = await open(server)
  const tag = /^ETag: (.*)\r$/m.exec(await ask(socket, request('a')))?.[1]
  const asked = [`If-None-Match: ${tag}\r\n`, 'Accept: text/html\r\n', `If-None-Match: ${tag}\r\n`]
  const statuses: string[] = []
  for (const headers of asked) statuses.push((await ask(socket, request('a', headers))).slice(9, 12))
  expect(statuses).toEqual(['304', '200', '304'])
  expect(read()).toBe(4)
})

test('behavior: repeats count as calls, and are refused where there are too many', async () => {
  const { server } = await start({ rateLimit: { points: 3, windowSeconds: 60 } })
  const socket = await open(server)
  const statuses: string[] = []
  for (let call = 0; call < 5; call++) statuses.push((await ask(socket, request('a'))).slice(9, 12))
  expect(statuses).toEqual(['200', '200', '200', '429', '429'])
})

test('behavior: a client that is slow to read gets every answer whole', async () => {
  const { server } = await start({ rateLimit: { points: 1_000_000, windowSeconds: 60 } })
  const socket = await open(server)
  const first = withoutDate(await ask(socket, request('a')))
  socket.pause()
  const calls = 4000
  for (let call = 0; call < calls; call++) {
    socket.write(request('a'))
    await nextTurn()
  }
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  socket.resume()
  await expect.poll(() => received.split('HTTP/1.1 200 OK').length - 1, { timeout: 20_000 }).toBe(calls)
  await expect.poll(() => withoutDate(received).length, { timeout: 5000 }).toBe(calls * first.length)
  expect(withoutDate(received)).toBe(first.repeat(calls))
})

test('behavior: nothing overtakes an answer that is on its way', async () => {
  const { socket, get: read } = await startBare()
  expect([await read(get('/a')), await read(get('/a'))]).toEqual(['/a', 'ready'])
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  socket.write(get('/slow'))
  await new Promise((resolve) => setTimeout(resolve, 10))
  socket.write(get('/a'))
  await expect.poll(() => received.split('HTTP/1.1 200').length).toBe(3)
  expect(received).toMatch(/\/slow(.|\s)*\/a$/)
})

test('error: a body that looks like a repeat is a body', async () => {
  const { socket, get: read } = await startBare()
  // It differs from the head before it by its target alone.
  const length = get('/a', 'Content-Length: 00').length
  const body = get('/a', `Content-Length: ${length}`)
  expect(body.length).toBe(length)
  expect(await read(get('/x', `Content-Length: ${length}`))).toBe('/x')
  socket.write(body)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(await read(get('/b'))).toBe('/b')
})

test('error: a header of the same length that says something else is no repeat', async () => {
  const { get: read } = await startBare()
  expect(await read(get('/a'))).toBe('/a')
  expect(await read(get('/a', 'X: 2'))).toBe('/a')
  expect(await read(get('/a', 'X: 2'))).toBe('ready')
})

test('error: what Node drops with an upgrade that it declines is no beginning of what follows', async () => {
  const { server } = await start()
  const socket = await open(server)
  const head = request('a', 'Content-Length: 40\r\nX: ').slice(0, -4)
  await ask(socket, request('a', 'Connection: Upgrade\r\nUpgrade: x\r\n') + head)
  await ask(socket, request('a', ''))
  // It equals the two taken together, and is followed by a body: Node ends the connection after its answer.
  const answer = await ask(socket, head + request('a', ''))
  expect(answer).toMatch(/^Connection: close\r$/m)
})

test('behavior: a connection that is left to Node costs no more memory than one of Node', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heapBytes = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  // Ends of lines between requests are skipped by Node.
  const flood = Buffer.from('\r\n'.repeat(32_000))
  const perConnection = async (isPlain: boolean) => {
    const { server } = await start({}, isPlain)
    const before = heapBytes()
    const calls = 60
    for (let call = 0; call < calls; call++) {
      const socket = await open(server)
      await ask(socket, request('a'))
      socket.write(flood)
      await ask(socket, request('a'))
    }
    return (heapBytes() - before) / calls
  }
  await perConnection(true)
  const plain = await perConnection(true)
  expect(await perConnection(false)).toBeLessThan(plain + 8000)
})

test('behavior: nothing is learned from a head that would take much memory', async () => {
  const { server, read } = await start()
  const socket = await open(server)
  for (let call = 0; call < 3; call++) await ask(socket, request('a', `X: ${'x'.repeat(4000)}\r\n`))
  expect(read()).toBe(3)
})
