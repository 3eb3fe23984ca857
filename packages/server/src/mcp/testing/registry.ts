import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A local package registry that serves documents like the real one. */
export type LocalRegistry = {
  readonly url: string
  /** Documents by package name. A missing one is 404; a number is returned as the status. */
  readonly documents: Map<string, unknown>
  readonly downloads: Map<string, number>
  /** Requested paths. */
  readonly asked: string[]
  close(): Promise<void>
}

/** Starts a local registry. */
export async function startRegistry(): Promise<LocalRegistry> {
  const documents = new Map<string, unknown>()
  const downloads = new Map<string, number>()
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    asked.push(path)
    const counted = /^\/downloads\/point\/last-week\/(.+)$/.exec(path)?.[1]
    const document =
      counted === undefined
        ? documents.get(decodeURIComponent(path.slice(1)))
        : downloads.has(counted)
          ? { downloads: downloads.get(counted), package: counted }
          : undefined
    response.setHeader('content-type', 'application/json')
    if (typeof document === 'number') response.writeHead(document).end('{"error":"fault"}')
    else if (document === undefined) response.writeHead(404).end('{"error":"Not found"}')
    else response.end(typeof document === 'string' ? document : JSON.stringify(document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    documents,
    downloads,
    asked,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Creates a package document with one release. */
export function makePackument(
  name: string,
  release: Readonly<Record<string, unknown>> = {},
  more: object = {},
) {
  const version = '1.4.0'
  return {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: {
      '1.3.0': { name, version: '1.3.0' },
      [version]: {
        name,
        version,
        license: 'MIT',
        repository: { type: 'git', url: 'git+https://github.com/acme/server.git' },
        scripts: { build: 'tsc', test: 'vitest' },
        dist: {
          integrity: 'sha512-one',
          signatures: [{ keyid: 'SHA256:one', sig: 'MEUC' }],
          tarball: 'https://registry.example/x.tgz',
          attestations: {
            url: 'https://registry.example/a',
            provenance: { predicateType: 'https://slsa.dev/provenance/v1' },
          },
        },
        ...release,
      },
    },
    time: {
      created: '2024-05-01T00:00:00.000Z',
      modified: '2026-05-01T00:00:00.000Z',
      [version]: '2026-04-01T00:00:00.000Z',
    },
    maintainers: [
      { name: 'zoe', email: 'zoe@acme.example' },
      { name: 'adam', email: 'adam@acme.example' },
    ],
    ...more,
  }
}
