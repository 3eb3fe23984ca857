import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@touchstone402/server/testing'
import { writeLeaf } from '@touchstone402/shared/leaves'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checksNoAnswers } from './contract/checksNoAnswers.ts'
import { runServerCommand } from './support/runServerCommand.ts'
import { serve } from './support/serve.ts'

checksNoAnswers('the service never starts')

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-serve-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const COMPLETE = {
  PUBLIC_URL: 'https://trust.example',
  RPC_URLS: 'http://127.0.0.1:9',
  FACILITATOR_URL: 'http://127.0.0.1:9',
  PAY_TO: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  OPERATOR_NAME: 'Example Trust',
  OPERATOR_CONTACT: 'ops@trust.example',
  DIRECTORIES: 'bazaar=http://127.0.0.1:9',
  PORT: '0',
}

/** Starts a facilitator of another network, with which no start succeeds. */
const startOtherNetwork = () =>
  serve((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:137' }],
        extensions: [],
        signers: {},
      }),
    )
  })

describe('touchstone-server', () => {
  it('error: prints one line for each missing setting', async () => {
    const { code, errors } = await runServerCommand([])
    expect(code).toBe(1)
    expect(errors.trim().split('\n')).toEqual([
      expect.stringMatching(/^touchstone-server: PUBLIC_URL is missing/),
      expect.stringMatching(/^touchstone-server: RPC_URLS is missing/),
      expect.stringMatching(/^touchstone-server: FACILITATOR_URL is missing/),
      expect.stringMatching(/^touchstone-server: PAY_TO is missing/),
      expect.stringMatching(/^touchstone-server: OPERATOR_NAME is missing/),
      expect.stringMatching(/^touchstone-server: OPERATOR_CONTACT is missing/),
      expect.stringMatching(/^touchstone-server: DIRECTORIES is missing/),
    ])
  })

  it('error: names invalid settings and what they must be', async () => {
    const { code, errors } = await runServerCommand([], {
      ...COMPLETE,
      PAY_TO: '0x12',
      PORT: '70000',
      DIRECTORIES: 'x=y',
      PRICES: 'trust=0.0001',
    })
    expect(code).toBe(1)
    expect(errors).toMatch(/PAY_TO must be 0x and 40 hexadecimal digits/)
    expect(errors).toMatch(/PORT must be from 0 to 65535/)
    expect(errors).toMatch(/DIRECTORIES "x=y" must be/)
    expect(errors).toMatch(/PRICES .*lowest price is 0.001/)
  })

  it('error: does not start with a facilitator that does not support the network', async () => {
    const { url, stop } = await startOtherNetwork()
    try {
      const { code, errors } = await runServerCommand([], {
        ...COMPLETE,
        FACILITATOR_URL: url,
        DATA_DIR: dataDir,
      })
      expect(code).toBe(1)
      expect(errors).toMatch(/FACILITATOR_URL.*eip155:8453/)
    } finally {
      await stop()
    }
  })

  it('error: makes no new keys in silence for a store whose keys are published', async () => {
    const settings = { ...COMPLETE, DATA_DIR: join(dataDir, 'moved') }
    const store = await openStore({ databaseUrl: null, dataDir: settings.DATA_DIR })
    await store.write(
      'addLeaves',
      ['A'.repeat(43), 'trust.example/log+00000000+AAAA'].map((key) => ({
        ...writeLeaf({ kind: 'key', at: '2026-01-31T12:00:00.000Z', key }, null),
        key: `key ${key}`,
      })),
    )
    await store.close()
    const { code, errors } = await runServerCommand([], settings)
    expect(code).toBe(1)
    expect(errors).toMatch(
      /^touchstone-server: SIGNING_KEY_FILE: .*signing-keys\.json is missing, .*--new-keys/m,
    )
    expect(errors).toMatch(/^touchstone-server: LOG_KEY_FILE: .*log-key is missing, .*--new-keys/m)
    expect(await readdir(settings.DATA_DIR)).not.toEqual(expect.arrayContaining(['signing-keys.json']))

    const doctor = await runServerCommand(['doctor'], settings)
    expect(doctor.output).toMatch(/^fail signing key: SIGNING_KEY_FILE: .* is missing, .*--new-keys/m)
    expect(doctor.output).toMatch(/^fail log key: LOG_KEY_FILE: .* is missing, .*--new-keys/m)

    const { url, stop } = await startOtherNetwork()
    const asked = await runServerCommand(['serve', '--new-keys'], { ...settings, FACILITATOR_URL: url })
    await stop()
    // It comes further.
    expect(asked.errors).toMatch(/FACILITATOR_URL.*eip155:8453/)
    for (const name of ['signing-keys.json', 'log-key'])
      expect(asked.output + asked.errors).toContain(`${name} is missing: the start makes a new key`)
  }, 30_000)
})
