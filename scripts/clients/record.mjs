// Records the bytes of stock clients: `node scripts/clients/record.mjs FOLDER [NODE22] [NODE24] [PYTHON]`.
//
// FOLDER has `node_modules` with undici, axios, got and ky; NODE22 and NODE24 are programs of these versions; PYTHON has
// requests and httpx. Each client sends a GET and a POST with JSON to a TLS socket on this machine, since the encodings that
// some accept depend on the scheme, and a GET over plain HTTP. openssl makes the certificate. The requests are written to
// packages/server/src/probe/testing/recordedRequests.json, with which a test compares what the prober writes.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { pathToFileURL } from 'node:url'

const [folder = '.', node22 = 'node', node24 = 'node', python = 'python3'] = process.argv.slice(2)
const OUT = new URL('../../packages/server/src/probe/testing/recordedRequests.json', import.meta.url)
const BODY = '{"q":"x"}'
const PLACE = 'HOST'
const ANSWER = 'HTTP/1.1 402 Payment Required\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'

const { resolve: find } = createRequire(join(resolve(folder), 'index.js'))
const from = (name) => JSON.stringify(pathToFileURL(find(name)).href)
const versionOf = (name) =>
  createRequire(join(resolve(folder), 'index.js'))(`./node_modules/${name}/package.json`).version
const json = `headers: { 'content-type': 'application/json' }`

/** Programs by client: a GET, and a POST with JSON, to the URL of the last argument. */
const NODE = {
  fetch: [`await fetch(url)`, `await fetch(url, { method: 'POST', ${json}, body })`],
  undici: [
    `await (await import(${from('undici')})).request(url)`,
    `await (await import(${from('undici')})).request(url, { method: 'POST', ${json}, body })`,
  ],
  axios: [
    `await (await import(${from('axios')})).default.get(url)`,
    `await (await import(${from('axios')})).default.post(url, JSON.parse(body))`,
  ],
  got: [
    `await (await import(${from('got')})).default(url, { retry: { limit: 0 }, https: { rejectUnauthorized: false } })`,
    `await (await import(${from('got')})).default.post(url, { retry: { limit: 0 }, https: { rejectUnauthorized: false }, json: JSON.parse(body) })`,
  ],
  ky: [
    `await (await import(${from('ky')})).default(url, { retry: 0 })`,
    `await (await import(${from('ky')})).default.post(url, { retry: 0, json: JSON.parse(body) })`,
  ],
}
const PYTHON = {
  httpx: [
    `import httpx; httpx.get(url, verify=False)`,
    `import httpx; httpx.post(url, json={"q": "x"}, verify=False)`,
  ],
  requests: [
    `import requests; requests.get(url, verify=False)`,
    `import requests; requests.post(url, json={"q": "x"}, verify=False)`,
  ],
}

const inNode = (code) => [
  '--input-type=module',
  '-e',
  `const url = process.argv.at(-1), body = ${JSON.stringify(BODY)}\n${code}`,
]
const inPython = (code) => ['-c', `import sys; url = sys.argv[-1]\n${code}`]
const CLIENTS = [
  ['fetch of Node 20', process.execPath, NODE.fetch.map(inNode)],
  ['fetch of Node 22', node22, NODE.fetch.map(inNode)],
  ['fetch of Node 24', node24, NODE.fetch.map(inNode)],
  [`undici ${versionOf('undici')}`, process.execPath, NODE.undici.map(inNode)],
  [`axios ${versionOf('axios')}`, process.execPath, NODE.axios.map(inNode)],
  [`got ${versionOf('got')}`, process.execPath, NODE.got.map(inNode)],
  [`ky ${versionOf('ky')}`, node22, NODE.ky.map(inNode)],
  ['httpx', python, PYTHON.httpx.map(inPython)],
  ['requests', python, PYTHON.requests.map(inPython)],
]

function makeCertificate() {
  const place = mkdtempSync(join(tmpdir(), 'clients-'))
  const [key, cert] = [join(place, 'key.pem'), join(place, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-days', '2']
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject],
    {
      stdio: 'ignore',
    },
  )
  return { key: readFileSync(key), cert: readFileSync(cert) }
}
const CERTIFICATE = makeCertificate()

/** Returns the bytes that a program sends, as text, the host replaced. */
function record(file, args, scheme) {
  return new Promise((done, fail) => {
    let bytes = ''
    const onSocket = (socket) => {
      socket.setEncoding('latin1')
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        bytes += chunk
        const [head, body = ''] = bytes.split('\r\n\r\n')
        const [, length = '0'] = /^content-length: (\d+)$/im.exec(head) ?? []
        if (bytes.includes('\r\n\r\n') && body.length >= Number(length)) socket.end(ANSWER)
      })
    }
    const server =
      scheme === 'https'
        ? createTlsServer({ ...CERTIFICATE, ALPNProtocols: ['http/1.1'] }, onSocket)
        : createServer(onSocket)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      const env = { ...process.env, NO_PROXY: '*', NODE_TLS_REJECT_UNAUTHORIZED: '0' }
      execFile(
        file,
        [...args, `${scheme}://127.0.0.1:${port}/quote?a=1`],
        { env, timeout: 30_000 },
        (error) => {
          server.close()
          if (bytes === '') fail(error ?? new Error('nothing was sent'))
          else done(bytes.replaceAll(`127.0.0.1:${port}`, PLACE))
        },
      )
    })
  })
}

const recorded = {}
for (const [name, file, [get, post]] of CLIENTS) {
  const [first, second] = [await record(file, get, 'https'), await record(file, post, 'https')]
  const plain = await record(file, get, 'http')
  const agent = /^user-agent: python-(\w+)[/-]([\d.]+)$/im.exec(first)
  recorded[agent ? `${agent[1]} ${agent[2]}` : name] = { get: first, post: second, plain }
}
writeFileSync(OUT, `${JSON.stringify(recorded, null, 2)}\n`)
