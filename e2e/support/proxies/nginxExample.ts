import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeSelfSigned } from '@touchstone402/server/testing'
import { expect, onTestFinished } from 'vitest'
import { isInstalled } from './installed.ts'
import { startProxy } from './startProxy.ts'

const HOST = 'trust.example'

/** Reads a file of the docs. */
export const readDoc = (name: string) =>
  readFile(fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)), 'utf8')

/** Replaces a part of an example that names the operator's machine. Fails if the example has no such part. */
export function replace(text: string, part: string, by: string): string {
  expect(text).toContain(part)
  return text.replaceAll(part, by)
}

/** Answer of the proxy; undefined status if it gave none. */
export type Answer = {
  readonly status: number | undefined
  readonly headers: NodeJS.Dict<string | string[]>
  readonly text: string
}

/** Starts nginx with the documented configuration in front of servers, until the test ends. */
export async function startNginxExample(origins: readonly string[]) {
  if (!isInstalled('nginx', 'nginx-light')) throw new Error('nginx is not installed: apt-get install nginx')
  const certificate = makeSelfSigned([HOST])
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-nginx-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'fullchain.pem'), certificate.cert)
  await writeFile(join(folder, 'privkey.pem'), certificate.key)
  let example = replace(await readDoc('nginx.conf'), '/etc/ssl/trust.example', folder)
  // One line for each, as its comment says.
  const [line = ''] = /^ {2}server 127.*;$/m.exec(example) ?? []
  const servers = origins.map((origin) => replace(line, '127.0.0.1:8402', new URL(origin).host))
  example = replace(example, line, servers.join('\n'))
  const configure = (own: string, _: readonly string[], [tls, plain]: readonly number[]) => {
    const server = replace(
      replace(example, 'listen 443 ssl', `listen 127.0.0.1:${tls} ssl`),
      'listen 80',
      `listen 127.0.0.1:${plain}`,
    )
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${own}/${kind};`,
    )
    return `pid ${own}/nginx.pid; events {} http { access_log off; ${temporary.join(' ')}\n${server}}`
  }
  const command = (own: string, config: string) =>
    ['nginx', '-p', own, '-c', config, '-e', `${own}/error.log`, '-g', 'daemon off;'] as const
  // Its port for TLS, and the one for plain HTTP.
  const proxy = await startProxy({ configure, command }, ['http://tls', 'http://plain'], false)
  onTestFinished(() => proxy.stop())
  const [port = 0, plainPort = 0] = proxy.origins.map((origin) => Number(new URL(origin).port))
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())

  /** Asks over TLS by the name of the example, trusting its certificate. */
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port,
        path,
        method,
        ca: certificate.cert,
        agent,
        servername: HOST,
        headers: { host: HOST, ...headers },
      }
      request(options, (response) => {
        let text = ''
        response
          .setEncoding('utf8')
          .on('data', (chunk) => {
            text += chunk
          })
          .on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }))
      })
        .on('error', reject)
        .end()
    })
  return { ask, plainPort }
}
