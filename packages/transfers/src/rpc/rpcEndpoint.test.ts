import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createTransferSource } from '../createTransferSource.ts'

const ok = { result: '0x2105' }

test('behavior: counts the calls of each RPC, and those without a usable answer', async () => {
  const answers: (readonly [number, object] | 'hang')[] = []
  const server = createServer((_request, response) => {
    const answer = answers.shift() ?? [500, {}]
    if (answer !== 'hang') response.writeHead(answer[0]).end(JSON.stringify(answer[1]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://user:S3CRET@127.0.0.1:${port}/v2/S3CRET`
  const source = createTransferSource({ chainId: 8453, urls: [url], now: Date.now })
  onTestFinished(async () => {
    await source.close()
    server.closeAllConnections()
    server.close()
  })
  const [rpc] = source.rpcs
  const ask = (ms = 20_000) =>
    rpc?.call('eth_chainId', [], { deadlineAt: Date.now() + ms }).catch((error: Error) => error.message)
  expect(rpc?.host).toBe(`127.0.0.1:${port}`)
  answers.push([200, ok], [200, { error: { code: 3, message: 'execution reverted' } }])
  expect([await ask(), await ask()]).toEqual(['0x2105', expect.stringContaining('reverted')])
  expect([rpc?.requests(), rpc?.failures()]).toEqual([2, 0])
  answers.push([429, {}], [200, { error: { code: -32005, message: 'limit' } }], 'hang', [200, ok])
  const told = [await ask(), await ask(), await ask(200), await ask()]
  expect([rpc?.requests(), rpc?.failures()]).toEqual([6, 3])
  expect(told.join()).not.toContain('S3CRET')
  answers.push([200, { error: { code: 1, message: { toString: 1, valueOf: 1 } } }])
  expect([await ask(), rpc?.failures()]).toEqual(['RPC 0 refused eth_chainId: ', 4])
})

test('behavior: a refused call of a contract carries the back-off that its RPC asks for', async () => {
  const server = createServer(async (request, response) => {
    const { method } = (await json(request)) as { method: string }
    if (method === 'eth_chainId') response.end(JSON.stringify(ok))
    else response.writeHead(429, { 'retry-after': '7' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const source = createTransferSource({ chainId: 8453, urls: [url], now: Date.now })
  onTestFinished(async () => {
    await source.close()
    server.closeAllConnections()
    server.close()
  })
  const address = `0x${'11'.repeat(20)}` as const
  await expect(source.balanceAt({ token: address, holder: address, block: 1 })).rejects.toMatchObject({
    code: 'unreachable',
    waitMs: 7000,
  })
})
