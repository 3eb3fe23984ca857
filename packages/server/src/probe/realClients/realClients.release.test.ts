import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { REAL_CLIENTS } from '../../facts/clientIdentities.ts'
import { challengeV1, cleanUpAfterEach, listen, lookup, serve, start, target } from '../testing/harness.ts'
import { makeSelfSigned } from '../testing/selfSigned.ts'
import { createThreadProber } from '../thread/createThreadProber.ts'
import { createProgramExchanges } from './exchangeByProgram.ts'
import { findRealClients } from './findRealClients.ts'
import type { RealClient } from './realClients.ts'

cleanUpAfterEach()
// Worker threads run the built script.
const BUILT = new URL('../../../dist/proberThread.js', import.meta.url)
const PATH = process.env.PATH ?? ''
const installed = await findRealClients(null, PATH)
const folder = mkdtempSync(join(tmpdir(), 'programs-'))
const OWN_FAULT = { outcome: 'not_measured', cause: 'own_fault', client: '100' }

/** Writes a program, and returns its path. */
function write(name: string, lines: readonly string[]): string {
  const file = join(folder, name)
  writeFileSync(file, ['#!/bin/sh', ...lines, ''].join('\n'))
  chmodSync(file, 0o755)
  return file
}

const paid: RequestListener = (_request, response) => {
  response.writeHead(402, { 'content-type': 'application/json' }).end(JSON.stringify(challengeV1()))
}
const curl = (program: string): RealClient => ({ name: 'curl', program })
const asCurl = { client: REAL_CLIENTS.curl }

describe.skipIf(installed.length === 0)('installed programs', () => {
  test.each(installed.map((client) => [client.name, client] as const))(
    'default: a probe by %s sees the same challenge, and the seller sees the program itself',
    async (name, client) => {
      const agents: (string | undefined)[] = []
      const bodies: string[] = []
      const port = await serve((request, response) => {
        agents.push(request.headers['user-agent'])
        expect(Object.keys(request.headers).filter((header) => header.startsWith('proxy'))).toEqual([])
        let body = ''
        request.on('data', (chunk) => {
          body += chunk
        })
        request.on('end', () => {
          bodies.push(body)
          paid(request, response)
        })
      })
      const prober = start([port], { realClients: [client] }, createProgramExchanges())
      const asked = { client: REAL_CLIENTS[name] }
      const [got, posted, own] = [
        await prober.probe(target(`http://shop.test:${port}/quote?x=1`, asked)),
        await prober.probe(
          target(`http://shop.test:${port}/quote`, { ...asked, method: 'POST', body: '{"q":"x"}' }),
        ),
        await prober.probe(target(`http://shop.test:${port}/quote?x=1`)),
      ]
      const { client: _, latencyMs: __, ...seen } = own
      expect(got).toMatchObject({ ...seen, client: String(REAL_CLIENTS[name]) })
      expect(posted).toMatchObject({ outcome: 'up', method: 'POST' })
      expect(JSON.parse(bodies[1] ?? '')).toEqual({ q: 'x' })
      expect(agents[0]).toMatch(new RegExp(name))
    },
  )

  test('default: TLS is the own one of curl, through the tunnel, and its decoding is ours', async () => {
    const certificate = makeSelfSigned(['shop.test'])
    const port = await listen(
      createTlsServer(certificate, (_request, response) => {
        const body = gzipSync(JSON.stringify(challengeV1()))
        response.writeHead(402, { 'content-encoding': 'gzip', 'x-twice': ['a', 'b'] }).end(body)
      }),
    )
    const ca = join(folder, 'ca.pem')
    writeFileSync(ca, certificate.cert)
    const program = installed.find(({ name }) => name === 'curl')?.program
    const trusting = write('trusting-curl', [`exec ${program} "$@" --cacert ${ca}`])
    const trusts = start([port], { realClients: [curl(trusting)] }, createProgramExchanges())
    expect(await trusts.probe(target(`https://shop.test:${port}/`, asCurl))).toMatchObject({ outcome: 'up' })
    // A certificate that the program does not trust is no fault of the seller that we can tell from its own.
    const stock = start([port], { realClients: [curl(program ?? '')] }, createProgramExchanges())
    expect(await stock.probe(target(`https://shop.test:${port}/`, asCurl))).toMatchObject(OWN_FAULT)
  })

  test('behavior: refused addresses, closed ports and redirects are judged as for every client', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/new' }).end()
      else if (request.url === '/away') response.writeHead(302, { location: 'https://other.example/' }).end()
      else paid(request, response)
    })
    for (const client of installed) {
      const prober = start([port], { realClients: [client] }, createProgramExchanges())
      const probe = (url: string) => prober.probe(target(url, { client: REAL_CLIENTS[client.name] }))
      expect(await probe('http://10.0.0.1/')).toMatchObject({ cause: 'address_refused' })
      expect(await probe(`http://shop.test:${port + 1}/`)).toMatchObject({ cause: 'address_refused' })
      expect(await probe('http://absent.example/')).toMatchObject({ cause: 'dns_failed' })
      expect(await probe(`http://shop.test:${port}/moved`)).toMatchObject({ outcome: 'up' })
      expect(await probe(`http://shop.test:${port}/away`)).toMatchObject({ cause: 'redirect_refused' })
    }
  })

  test('behavior: a body over the limit is too large, as for every client', async () => {
    const port = await serve((_request, response) =>
      response.writeHead(402).end(Buffer.alloc(3_000_000, 'x')),
    )
    for (const client of installed) {
      const prober = start([port], { realClients: [client] }, createProgramExchanges())
      const result = await prober.probe(
        target(`http://shop.test:${port}/`, { client: REAL_CLIENTS[client.name] }),
      )
      expect(['too_large', 'own_fault']).toContain(result.cause)
    }
  })

  test('behavior: programs run from the thread of the prober as well', async () => {
    const port = await serve(paid)
    const prober = createThreadProber(
      {
        contact: 'https://touchstone.test/methodology',
        lookup,
        allowPrivate: [`127.0.0.1:${port}`],
        ca: [],
        realClients: installed,
      },
      { script: BUILT, limits: { processorMs: 5_000, waitMs: 60_000 }, onError: () => {} },
    )
    expect(prober.realClients).toEqual(installed.map(({ name }) => REAL_CLIENTS[name]))
    for (const client of prober.realClients ?? [])
      expect(await prober.probe(target(`http://shop.test:${port}/`, { client }))).toMatchObject({
        outcome: 'up',
        client: String(client),
      })
    await prober.close()
  })

  test('behavior: of many probes at once a few run, and the others wait for them', async () => {
    const port = await serve(paid)
    const prober = start([port], { realClients: installed.slice(0, 1) }, createProgramExchanges())
    const client = prober.realClients?.[0] ?? 0
    const probes = Array.from({ length: 12 }, () =>
      prober.probe(target(`http://shop.test:${port}/`, { client })),
    )
    for (const result of await Promise.all(probes)) expect(result).toMatchObject({ outcome: 'up' })
  })

  test('error: a program that the setting names and that is not there stops the start', async () => {
    expect(await findRealClients(null, folder)).toEqual([])
    expect(await findRealClients([], PATH)).toEqual([])
    await expect(findRealClients(['curl'], folder)).rejects.toThrow('REAL_CLIENTS names curl')
    await expect(findRealClients(['httpx'], folder)).rejects.toThrow('REAL_CLIENTS names httpx')
    const old = mkdtempSync(join(folder, 'old-'))
    writeFileSync(join(old, 'curl'), '#!/bin/sh\necho "curl 7.68.0 (x86_64)"\n')
    chmodSync(join(old, 'curl'), 0o755)
    await expect(findRealClients(['curl'], old)).rejects.toThrow('7.83')
  })
})

describe('programs that fail', () => {
  test.each([
    ['ends with an error', ['exit 7']],
    ['says nothing', ['exit 0']],
    ['writes no JSON', ['echo hello >&2']],
    ['writes another shape', [`echo '{"status":"402","headers":[]}' >&2`]],
    ['writes without an end', ['yes >&2']],
    ['writes a body without an end', ['yes']],
    ['never ends', ['sleep 60']],
  ])("error: one that %s is our own fault, never the seller's", async (name, lines) => {
    const port = await serve(paid)
    const program = write(`program-${name.replaceAll(' ', '-')}`, lines)
    const prober = start([port], { realClients: [curl(program)] }, createProgramExchanges())
    const startedAt = performance.now()
    const asked = target(`http://shop.test:${port}/`, { ...asCurl, deadlineMs: 2_000 })
    expect(await prober.probe(asked)).toMatchObject(OWN_FAULT)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  test('error: one that is not there, or that another machine has, is our own fault', async () => {
    const port = await serve(paid)
    for (const realClients of [[curl(join(folder, 'absent'))], []]) {
      const prober = start([port], { realClients }, createProgramExchanges())
      expect(await prober.probe(target(`http://shop.test:${port}/`, asCurl))).toMatchObject(OWN_FAULT)
    }
  })

  test('behavior: a program gets fixed arguments and an environment without settings of ours', async () => {
    const out = join(folder, 'seen')
    const program = write('seeing', [`env > ${out}; printf '%s\\n' "$@" >> ${out}; exit 1`])
    const prober = start([], { realClients: [curl(program)] }, createProgramExchanges())
    const url = 'http://shop.test/a?b=$(touch%20x)&c=--next'
    expect(await prober.probe(target(url, asCurl))).toMatchObject(OWN_FAULT)
    const { readFileSync } = await import('node:fs')
    const seen = readFileSync(out, 'utf8').split('\n')
    expect(seen.filter((line) => /^(HOME|USER|NODE|VITEST|HTTPS?_PROXY|http_proxy)/.test(line))).toEqual([])
    expect(seen).toContain('-q')
    expect(seen).toContain(url)
  })
})
