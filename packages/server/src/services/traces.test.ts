import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { NO_TRACES, openTraces } from './traces.ts'

/** Starts a collector that keeps what it is sent. */
async function startCollector() {
  const received: { path: string | undefined; body: string }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    received.push({ path: request.url, body: Buffer.concat(chunks).toString() })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

type Sent = {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] }
    scopeSpans: {
      spans: { name: string; attributes: unknown; status: { code: number; message?: string } }[]
    }[]
  }[]
}

test('default: spans reach the collector with their attributes, and how they ended', async () => {
  const collector = await startCollector()
  const { trace, close } = await openTraces(`${collector.url}/`)
  expect(await trace('probe', { 'server.address': 'a.example' }, async () => 7)).toBe(7)
  const failing = trace('settle', {}, () => Promise.reject(new Error('at https://u:S3CRET@pay.example/')))
  await expect(failing).rejects.toThrow('pay.example')
  const denied = async () => ({ cause: new Error('insufficient_funds') })
  await trace('settle', {}, denied, ({ cause }) => cause)
  await close()
  expect(collector.received.map(({ path }) => path)).toEqual(['/v1/traces'])
  const [{ body = '' } = {}] = collector.received
  const [sent] = (JSON.parse(body) as Sent).resourceSpans
  expect(sent?.resource.attributes).toContainEqual({
    key: 'service.name',
    value: { stringValue: 'touchstone' },
  })
  expect(sent?.scopeSpans[0]?.spans).toMatchObject([
    {
      name: 'probe',
      attributes: [{ key: 'server.address', value: { stringValue: 'a.example' } }],
      status: { code: 0 },
    },
    { name: 'settle', status: { code: 2 } },
    { name: 'settle', status: { code: 2, message: 'insufficient_funds' } },
  ])
  expect(body).not.toContain('S3CRET')
})

test('behavior: without a collector nothing is traced', async () => {
  expect(await openTraces(null)).toBe(NO_TRACES)
  expect(await NO_TRACES.trace('probe', {}, async () => 7)).toBe(7)
})

test('error: a collector that is down holds up neither the work nor the end', async () => {
  const { trace, close } = await openTraces('http://127.0.0.1:1')
  expect(await trace('probe', {}, async () => 7)).toBe(7)
  await close()
})
