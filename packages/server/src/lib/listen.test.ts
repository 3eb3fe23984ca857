import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from './listen.ts'

test('default: returns the URL it listens at', async () => {
  const server = createServer()
  onTestFinished(() => void server.close())
  expect(await listen(server, { host: '127.0.0.1', port: 0 }, 'HOST, PORT')).toMatch(
    /^http:\/\/127\.0\.0\.1:\d+$/,
  )
})

test('error: names the settings of an address that is in use', async () => {
  const first = createServer()
  onTestFinished(() => void first.close())
  const port = Number(new URL(await listen(first, { host: '127.0.0.1', port: 0 }, 'HOST, PORT')).port)
  await expect(listen(createServer(), { host: '127.0.0.1', port }, 'METRICS_PORT')).rejects.toThrow(
    `METRICS_PORT: cannot listen at 127.0.0.1:${port}: listen EADDRINUSE`,
  )
})
