import { promises as dns } from 'node:dns'
import type { RequestListener } from 'node:http'
import type { LookupFunction } from 'node:net'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { onTestFinished } from 'vitest'
import { listen } from '../../http/testing/listen.ts'
import { createWebhookAdder } from '../../owners/manageWebhooks.ts'
import { startNameServer } from '../../owners/testing/startNameServer.ts'
import { createClaimReader } from '../../probe/createClaimReader.ts'
import { createSampleDeps } from './createSampleDeps.ts'
import { HTML, openPages, samplesOf } from './openPages.ts'
import { SAMPLE_NOW } from './sampleServices.ts'

/** Keys of the receiver that the host offers, and of the one before it. */
export const [receiver, formerReceiver] = [5, 1].map((digit) =>
  privateKeyToAccount(`0x${`${digit}`.repeat(64)}`),
) as [PrivateKeyAccount, PrivateKeyAccount]

const NAME = 'shop.test'
const toLoopback: LookupFunction = (_name, _options, done) =>
  done(null, [{ address: '127.0.0.1', family: 4 }])

/**
 * Serves the pages over one judged host that can be claimed: the host itself and its name server run on loopback ports.
 * @param publicUrl origin of the service
 */
export async function openClaimed(publicUrl = 'https://touchstone.example') {
  const conduct: { answer: RequestListener; asked: string[]; now: number; document: string | null } = {
    document: null,
    answer: (_request, response) => void response.writeHead(404).end(),
    asked: [],
    now: SAMPLE_NOW,
  }
  const records = new Map<string, readonly (readonly string[])[]>()
  const shop = await listen((request, response) => {
    conduct.asked.push(`${request.headers.host}${request.url}`)
    conduct.answer(request, response)
  })
  const host = `${NAME}:${new URL(shop).port}`
  // Its receiver changed six days ago: its owner has an incident to dispute.
  const payTo = (ago: number) => (ago > 6 ? formerReceiver : receiver).address
  const samples = samplesOf('llm.quickinfer.net').map((sample) => ({ ...sample, host, payTo }))
  const deps = await createSampleDeps(samples)
  const clock = { ...deps.clock, now: () => conduct.now }
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  resolver.setServers([await startNameServer(records)])
  const reader = createClaimReader({
    contact: 'test',
    allowPrivate: [host],
    ca: [],
    lookup: toLoopback,
    resolver,
  })
  onTestFinished(reader.close)
  const { store, ids } = deps
  const config = {
    ...deps.config,
    publicUrl,
    disputeDays: 7,
    developmentAllowHosts: [host, 'dev.test:4021'],
  }
  const ctx = { store, clock, config, ids }
  const origin = await openPages([], {
    ...deps,
    ...ctx,
    claimReader: reader,
    addWebhook: createWebhookAdder(ctx),
    readDocument: async () => conduct.document,
  })

  const path = `/owners/${encodeURIComponent(host)}`
  const read = async (): Promise<Offered> => (await fetch(`${origin}${path}.json`)).json()
  /** Sends a form of the owner page. */
  const post = (part: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${origin}${path}/${part}`, { method: 'POST', body: new URLSearchParams(fields), headers })
  const claim = (fields: Record<string, string>) => post('claims', fields)
  const page = async (path: string) => (await fetch(origin + path, HTML)).text()
  /** Serves a text at every path. */
  const publish = (text: string) => {
    conduct.answer = (_request, response) => void response.end(text)
  }
  return {
    origin,
    host,
    path,
    conduct,
    records,
    ctx,
    reader,
    store,
    clock,
    read,
    post,
    claim,
    page,
    publish,
  }
}

/** JSON form of the owner page. */
type Offered = {
  readonly secret: string
  readonly file: { readonly url: string; readonly line: string }
  readonly dns: { readonly name: string; readonly value: string }
  readonly claims: readonly unknown[]
  readonly funding: readonly unknown[]
  readonly announcements: readonly {
    readonly endpoint: string
    readonly validFrom: string
    readonly firstSeenAt: string | null
    readonly text: string
  }[]
}
