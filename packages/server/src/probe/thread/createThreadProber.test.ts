import { encodeBase64Json } from '@touchstone402/shared'
import { afterEach, describe, expect, test } from 'vitest'
import type { Prober } from '../../lib/prober.ts'
import { challengeV2, cleanUpAfterEach, lookup, serve, start, target } from '../testing/harness.ts'
import { createThreadProber, type ProberThreadOptions } from './createThreadProber.ts'

cleanUpAfterEach()

// Worker threads run the built script.
const BUILT = new URL('../../../dist/proberThread.js', import.meta.url)
const CONTACT = 'https://touchstone.test/methodology'
const OWN_FAULT = { outcome: 'not_measured', cause: 'own_fault', latencyMs: null }

let prober: Prober | undefined
afterEach(() => prober?.close())

const LIMITS = { processorMs: 5_000, waitMs: 60_000 }

function startThread(ports: readonly number[], options: Partial<ProberThreadOptions> = {}): Prober {
  const allowPrivate = ports.map((port) => `127.0.0.1:${port}`)
  prober = createThreadProber(
    { contact: CONTACT, lookup, allowPrivate, ca: [] },
    {
      script: BUILT,
      limits: LIMITS,
      onError: () => {},
      ...options,
    },
  )
  return prober
}

/** Starts a server that never answers. `asked` resolves at its first request. */
async function serveNothing() {
  let tell = () => {}
  const asked = new Promise<void>((resolve) => {
    tell = resolve
  })
  return { port: await serve(() => tell()), asked }
}

describe('createThreadProber', () => {
  test('default: returns what a prober in this thread returns', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/robots.txt') response.end('User-agent: *')
      else response.writeHead(402, { 'payment-required': encodeBase64Json(challengeV2()) }).end('{}')
    })
    const [threaded, here] = [startThread([port]), start([port])]
    expect(threaded.clients).toBe(here.clients)
    const urls = [
      `http://shop.test:${port}/quote`,
      // Refused by policy: a closed port and a private address.
      `http://shop.test:${port + 1}/quote`,
      'http://10.0.0.1/quote',
      // The error code of the look-up distinguishes absent names from temporary failures.
      'http://absent.example/quote',
      'http://again.example/quote',
      'no url',
    ]
    for (const [client, url] of urls.entries()) {
      const [said, expected] = [
        await threaded.probe(target(url, { client })),
        await here.probe(target(url, { client })),
      ]
      expect({ url, ...said, latencyMs: 0 }).toEqual({ url, ...expected, latencyMs: 0 })
    }
    expect(await threaded.document(`http://shop.test:${port}/robots.txt`)).toBe('User-agent: *')
    for (const [url, isOurs] of [
      [`http://shop.test:${port}/quote`, false],
      ['http://again.example/robots.txt', true],
    ] as const) {
      let isOwnFault = false
      const onOwnFault = () => {
        isOwnFault = true
      }
      expect([await threaded.document(url, undefined, onOwnFault), isOwnFault]).toEqual([null, isOurs])
    }
  })

  test('error: throws for an invalid `allowPrivate` entry', () => {
    const options = { contact: CONTACT, allowPrivate: ['http://a b'], ca: [] }
    const thread = { script: BUILT, limits: LIMITS, onError: () => {} }
    expect(() => createThreadProber(options, thread)).toThrow('expected a host')
  })
})

describe('probes that are not measured', () => {
  test('behavior: a cancelled probe', async () => {
    const { port, asked } = await serveNothing()
    const caller = new AbortController()
    const probe = startThread([port]).probe(target(`http://shop.test:${port}/`), caller.signal)
    await asked
    caller.abort()
    expect(await probe).toMatchObject(OWN_FAULT)
  })

  test('behavior: a probe open while the prober closes, and any later one', async () => {
    const { port, asked } = await serveNothing()
    const threaded = startThread([port])
    const probe = threaded.probe(target(`http://shop.test:${port}/`))
    let ownFaults = 0
    const document = threaded.document(`http://shop.test:${port}/`, undefined, () => ownFaults++)
    await asked
    await threaded.close()
    expect(await probe).toMatchObject(OWN_FAULT)
    expect([await document, ownFaults]).toEqual([null, 1])
    expect(await threaded.probe(target(`http://shop.test:${port}/`))).toMatchObject(OWN_FAULT)
  })

  test.each([
    ['dies', 'throw new Error("bad")', 'bad', LIMITS],
    [
      'hangs',
      'for (;;);',
      'The work took more than 20 ms of processor time; the thread was terminated',
      { processorMs: 20, waitMs: 60_000 },
    ],
    [
      'never answers',
      '',
      'No answer within 100 ms: the machine is too busy, or the thread is stuck; it was terminated',
      { processorMs: 5_000, waitMs: 100 },
    ],
  ])(
    'behavior: a probe whose thread %s after its deadline; the next one starts another thread',
    async (_, does, said, limits) => {
      const script = `import { parentPort } from "node:worker_threads"
        parentPort.postMessage({ kind: 'loaded' })
        parentPort.on("message", () => { ${does} })`
      const errors: unknown[] = []
      const threaded = startThread([], {
        script: new URL(`data:text/javascript,${encodeURIComponent(script)}`),
        limits,
        onError: (error) => errors.push((error as Error).message),
      })
      const asked = target('http://shop.test/', { client: 1, deadlineMs: 10 })
      for (let time = 0; time < 2; time++) {
        expect(await threaded.probe(asked)).toMatchObject({ ...OWN_FAULT, client: '1' })
      }
      expect(errors).toEqual([said, said])
    },
  )

  test('behavior: a probe and a document when no thread can be started', async () => {
    const errors: unknown[] = []
    const threaded = startThread([], {
      // The Worker constructor throws, as it does when the system is out of threads.
      script: new URL('http://127.0.0.1/'),
      onError: (error) => errors.push(error),
    })
    let ownFaults = 0
    expect(await threaded.probe(target('http://shop.test/'))).toMatchObject(OWN_FAULT)
    expect(await threaded.document('http://shop.test/', undefined, () => ownFaults++)).toBeNull()
    expect([errors.length, ownFaults]).toEqual([2, 1])
    // A later one during the back-off.
    expect(await threaded.probe(target('http://shop.test/'))).toMatchObject(OWN_FAULT)
    expect(errors).toHaveLength(2)
  })

  test('error: reports a probe that the thread cannot do, and goes on', async () => {
    const errors: unknown[] = []
    const threaded = startThread([], { onError: (error) => errors.push(error) })
    const broken = { ...target('http://shop.test/'), body: (() => {}) as never }
    expect(await threaded.probe(broken)).toMatchObject(OWN_FAULT)
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('could not be cloned') }),
    ])
    expect(await threaded.probe(target('http://10.0.0.1/'))).toMatchObject({ cause: 'address_refused' })
  })
})
