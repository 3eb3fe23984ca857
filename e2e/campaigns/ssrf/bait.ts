import type { ServerResponse } from 'node:http'
import { encodeBase64Json } from '@touchstone402/shared'
import { serve } from '../../support/serve.ts'

/** A malicious seller and a directory that lists it. */
export type Bait = {
  /** The only private port that the service may dial. */
  readonly sellerPort: number
  /** Base URL of `/discovery/resources`. */
  readonly directoryUrl: string
  /** Endpoints of the seller that redirect to the URLs, and those whose challenge names them as the resource. */
  readonly redirects: readonly string[]
  readonly resources: readonly string[]
  /** Paths requested from the seller. */
  readonly asked: ReadonlySet<string>
  close(): Promise<void>
}

const terms = {
  scheme: 'exact',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 60,
}

/** Starts a seller whose redirects and challenges name each URL, and a directory that lists the URLs and the seller. */
export async function openBait(urls: readonly string[]): Promise<Bait> {
  const asked = new Set<string>()
  const seller = await serve((request, response) => {
    asked.add(request.url ?? '')
    const [, kind, index] = (request.url ?? '').split('/')
    const url = urls[Number(index)]
    if (url === undefined || (kind !== 'redirect' && kind !== 'resource')) response.writeHead(404).end()
    else if (kind === 'redirect') redirect(response, url)
    else challenge(response, url)
  })
  const sellerPort = seller.port
  // One host each, because a host is probed one endpoint at a time.
  const paths = (kind: string) =>
    urls.map((_url, index) => `http://${kind}${index}.seller.test:${sellerPort}/${kind}/${index}`)
  const redirects = paths('redirect')
  const resources = paths('resource')
  const items = [...urls, ...redirects, ...resources].map((resource) => ({
    resource,
    type: 'http',
    x402Version: 2,
    accepts: [{ ...terms, network: 'eip155:8453', amount: '10000' }],
    lastUpdated: new Date().toISOString(),
  }))
  const directory = await serve((request, response) => {
    const offset = Number(new URL(request.url ?? '/', 'http://local').searchParams.get('offset'))
    const page = { items: items.slice(offset, offset + 50), pagination: { total: items.length } }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(page))
  })
  return {
    sellerPort,
    directoryUrl: directory.url,
    redirects,
    resources,
    asked,
    async close() {
      await seller.stop()
      await directory.stop()
    },
  }
}

function redirect(response: ServerResponse, url: string): void {
  // Encoded, because Node writes headers as Latin-1 and some URLs are not.
  response.writeHead(307, { location: Buffer.from(url, 'utf8').toString('latin1') }).end()
}

function challenge(response: ServerResponse, url: string): void {
  const v2 = {
    x402Version: 2,
    resource: { url },
    accepts: [{ ...terms, network: 'eip155:8453', amount: '10000' }],
  }
  const v1 = {
    x402Version: 1,
    accepts: [{ ...terms, network: 'base', maxAmountRequired: '10000', resource: url }],
  }
  response.writeHead(402, { 'payment-required': encodeBase64Json(v2), 'content-type': 'application/json' })
  response.end(JSON.stringify(v1))
}
