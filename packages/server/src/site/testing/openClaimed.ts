import type { RequestListener } from 'node:http'
import type { LookupFunction } from 'node:net'
import { privateKeyToAccount } from 'viem/accounts'
import { onTestFinished } from 'vitest'
import { createClaimReader } from '../../adapters/probe/createClaimReader.ts'
import { createDisputes } from '../../claims/createDisputes.ts'
import { createHostClaims } from '../../claims/createHostClaims.ts'
import { startNameServer } from '../../claims/testing/startNameServer.ts'
import { listen } from '../../http/testing/listen.ts'
import { createSampleDeps } from './createSampleDeps.ts'
import { HTML, openPages, samplesOf } from './openPages.ts'
import { SAMPLE_NOW } from './sampleServices.ts'

/** Key of the receiver that the host offers. */
export const receiver = privateKeyToAccount(`0x${'5'.repeat(64)}`)

const NAME = 'shop.test'
const toLoopback: LookupFunction = (_name, _options, done) =>
  done(null, [{ address: '127.0.0.1', family: 4 }])

/**
 * Serves the pages over one judged host that can be claimed: the host itself and its name server run on loopback ports.
 * @param publicUrl origin of the service
 */
export async function openClaimed(publicUrl = 'https://touchstone.example') {
  const conduct: { answer: RequestListener; asked: string[]; now: number } = {
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
  const payTo = (ago: number) => (ago > 6 ? `0x${'1'.repeat(40)}` : receiver.address)
  const samples = samplesOf('llm.quickinfer.net').map((sample) => ({ ...sample, host, payTo }))
  const deps = await createSampleDeps(samples)
  const clock = { ...deps.clock, now: () => conduct.now }
  const reader = createClaimReader({
    contact: 'test',
    allowPrivate: [host],
    lookup: toLoopback,
    dnsServers: [await startNameServer(records)],
  })
  onTestFinished(reader.close)
  const documents = deps.store.expiring
  const { store } = deps
  const claims = createHostClaims({ documents, store, reader, clock, publicUrl, developmentHosts: [host] })
  let ids = 0
  const disputes = createDisputes({ documents, clock, newId: () => `d${++ids}` })
  const origin = await openPages(samples, { ...deps, clock, publicUrl, hostClaims: claims, disputes })

  const read = async (): Promise<Offered> => (await fetch(`${origin}/claims?host=${host}`)).json()
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(origin + path, { method: 'POST', body: new URLSearchParams({ host, ...fields }), headers })
  const claim = (fields: Record<string, string>) => post('/claims', fields)
  const page = async (path: string) => (await fetch(origin + path, HTML)).text()
  /** Serves a text at every path. */
  const publish = (text: string) => {
    conduct.answer = (_request, response) => void response.end(text)
  }
  return {
    ...{ origin, host, conduct, records, claims, disputes, store, clock },
    ...{ read, post, claim, page, publish },
  }
}

/** What the page of claims answers to programs. */
export type Offered = {
  readonly secret: string
  readonly token: string
  readonly file: { readonly url: string; readonly line: string }
  readonly dns: { readonly name: string; readonly value: string }
  readonly signature: { readonly date: string; readonly text: string }
  readonly claims: readonly unknown[]
}
