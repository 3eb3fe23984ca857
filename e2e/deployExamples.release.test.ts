import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeSelfSigned } from '@touchstone402/server/testing'
import { OPERATIONS } from '@touchstone402/shared'
import { expect, onTestFinished, test } from 'vitest'
import { TRUST_PRICE, useMarket } from './support/market.ts'
import { isInstalled } from './support/proxies/installed.ts'
import { startProxy } from './support/proxies/startProxy.ts'
import { signFor } from './support/sign.ts'

const market = useMarket()
const HOST = 'trust.example'

const readDoc = (name: string) => readFile(fileURLToPath(new URL(`../docs/${name}`, import.meta.url)), 'utf8')

/** Replaces a part of an example that names the operator's machine. Fails if the example has no such part. */
function replace(text: string, part: string, by: string): string {
  expect(text).toContain(part)
  return text.replaceAll(part, by)
}

type Answer = { readonly status: number | undefined; readonly headers: NodeJS.Dict<string | string[]> }

/** Asks over TLS by the name of the example, trusting its certificate. */
function askTls(
  port: number,
  ca: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const agent = new Agent({ keepAlive: false })
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      ca,
      agent,
      servername: HOST,
      headers: { host: HOST, ...headers },
    }
    request(options, (response) => {
      response.resume().on('end', () => resolve({ status: response.statusCode, headers: response.headers }))
    })
      .on('error', reject)
      .end()
  })
}

/** Starts nginx with the example in front of a shop. Returns its TLS port and its port for plain HTTP. */
async function startExample(shopOrigin: string, certificate: ReturnType<typeof makeSelfSigned>) {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-nginx-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'fullchain.pem'), certificate.cert)
  await writeFile(join(folder, 'privkey.pem'), certificate.key)
  let example = await readDoc('nginx.conf')
  example = replace(example, '/etc/ssl/trust.example', folder)
  example = replace(example, '127.0.0.1:8402', new URL(shopOrigin).host)
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
  const proxy = await startProxy({ configure, command }, [shopOrigin, shopOrigin], false)
  onTestFinished(() => proxy.stop())
  const [tls = 0, plain = 0] = proxy.origins.map((origin) => Number(new URL(origin).port))
  return { tls, plain }
}

test('default: a payment goes through nginx with the documented configuration, over TLS', async () => {
  if (!isInstalled('nginx', 'nginx-light')) throw new Error('nginx is not installed: apt-get install nginx')
  const limits = { trustProxy: 1, rateLimit: { points: 5, windowSeconds: 60 } }
  const shop = await market.open({ publicUrl: `https://${HOST}`, http: limits })
  const certificate = makeSelfSigned([HOST])
  const { tls, plain } = await startExample(shop.origin, certificate)
  const path = `${OPERATIONS.trust.path}?endpoint=${encodeURIComponent('https://known.example/')}`

  expect((await askTls(tls, certificate.cert, path)).status).toBe(402)
  const { headers } = await signFor(shop.origin + path, market.bot(), 2)
  expect((await askTls(tls, certificate.cert, path, headers)).status).toBe(200)
  expect(await market.earned()).toBe(TRUST_PRICE)

  // The limit follows the connection: a forged X-Forwarded-For does not evade it.
  const statuses: unknown[] = []
  for (let client = 0; client < 7; client++) {
    const headers = { 'x-forwarded-for': `203.0.113.${client}` }
    statuses.push((await askTls(tls, certificate.cert, '/status.json', headers)).status)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])

  const moved = await fetch(`http://127.0.0.1:${plain}/about`, {
    headers: { host: HOST },
    redirect: 'manual',
  })
  expect(moved.status).toBe(308)
})

test('default: the unit starts the service as the container does, and systemd accepts it', async () => {
  const unit = await readDoc('touchstone.service')
  const dockerfile = await readFile(new URL('../Dockerfile', import.meta.url), 'utf8')
  const [, ...words] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '[]')
  expect(unit).toContain(`ExecStart=/usr/bin/node ${words.join(' ')}\n`)
  // Absent in slim containers.
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-unit-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'touchstone.service')
  await writeFile(path, replace(unit, '/usr/bin/node', process.execPath))
  execFileSync('systemd-analyze', ['verify', path], { stdio: 'pipe' })
})
