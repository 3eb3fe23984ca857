import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findServerCommand } from './commands/runMain.ts'
import { readConfig, SETTINGS } from './config/config.ts'
import { WITNESS_SETTINGS } from './config/logSettings.ts'
import { listen } from './http/testing/listen.ts'
import { startHttpApp } from './http/testing/startHttpApp.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string) => readFileSync(ROOT + path, 'utf8')
const dockerfile = read('Dockerfile')
const compose = read('compose.yaml')
const manifest = JSON.parse(read('package.json'))

/** Returns all matches of a pattern's group. Fails if there are none, because the test would prove nothing then. */
function find(text: string, pattern: RegExp): string[] {
  const found = [...text.matchAll(pattern)].map(([, group = '']) => group)
  expect([pattern, found.length]).not.toEqual([pattern, 0])
  return found
}

const settings = {
  PUBLIC_URL: 'https://trust.example',
  RPC_URLS: 'https://rpc.example',
  FACILITATOR_URL: 'https://facilitator.example',
  PAY_TO: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  OPERATOR_NAME: 'Example Trust',
  OPERATOR_CONTACT: 'ops@trust.example',
  DIRECTORIES: 'bazaar=https://bazaar.example',
}

test('default: scripts, packages and files that the Dockerfile names exist', () => {
  expect(find(dockerfile, /pnpm@([\d.]+)/g)).toEqual([manifest.packageManager.replace('pnpm@', '')])
  for (const script of find(dockerfile, /npm run (\w+)/g))
    expect(Object.keys(manifest.scripts)).toContain(script)
  const server = JSON.parse(read('packages/server/package.json'))
  expect(find(dockerfile, /--filter (\S+)/g)).toEqual([server.name])
  const [entrypoint = '[]'] = find(dockerfile, /^ENTRYPOINT (.*)$/gm)
  const [program, ...words]: string[] = JSON.parse(entrypoint)
  const file = words.find((word) => !word.startsWith('--'))
  expect(program).toBe('node')
  expect(existsSync(`${ROOT}packages/server/${file}`)).toBe(true)
  for (const stage of find(dockerfile, /--from=(\w+)/g))
    expect(dockerfile).toMatch(new RegExp(` AS ${stage}$`, 'm'))
  for (const file of find(dockerfile, /&& node (\S+)/g)) expect(existsSync(ROOT + file)).toBe(true)
  // The newest LTS, which the build asks its base for.
  const versions = find(dockerfile, /^FROM node:(\d+)/gm)
  expect([new Set(versions).size, dockerfile]).toEqual([
    1,
    expect.stringContaining(`startsWith('v${versions[0]}.')`),
  ])
})

test('default: every variable that the containers set is a setting of the service', () => {
  const given = [
    ...find(dockerfile, /^ENV (.*)$/gm).flatMap((line) => find(line, /(\w+)=/g)),
    ...find(compose, /^ {4}([A-Z_]+): /gm),
  ]
  for (const name of given) expect(Object.keys(SETTINGS)).toContain(name)
})

test('default: the service accepts every command and the port of the compose file', () => {
  const answer = readConfig(settings)
  if (!answer.ok) throw new Error(answer.problems.join())
  const { port } = answer.config
  const commands = find(compose, /^ {4}command: \[(.*)\]$/gm).map((words) => words.split(', '))
  const lines = commands.map((words) => {
    const { command, rest } = findServerCommand(words.map((word) => word.replaceAll('"', ''))) ?? {}
    return [command?.name, command?.read(rest ?? [])]
  })
  expect(lines).toEqual([
    ['serve', { role: 'api', processes: 2, 'new-keys': false }],
    ['serve', { role: 'worker', processes: 1, 'new-keys': false }],
    ['witness', {}],
  ])
  expect(find(dockerfile, /^EXPOSE (\d+)$/gm)).toEqual([`${port}`])
  expect(find(compose, /ports: \["127\.0\.0\.1:\d+:(\d+)"\]/g)).toEqual([`${port}`])
  const witnessPort = WITNESS_SETTINGS.WITNESS_PORT?.parse(undefined)
  expect(find(compose, /http:\/\/127\.0\.0\.1:(\d+)/g)).toEqual([`${port}`, `${witnessPort}`])
})

test('default: the compose file declares its volumes and mounts them where the service writes', () => {
  const declared = find(compose.slice(compose.indexOf('\nvolumes:')), /^ {2}(\w+):$/gm)
  const mounts = find(compose, /volumes: \[(.*)\]/g).flatMap((list) => list.split(', '))
  expect([...new Set(mounts.map((mount) => mount.split(':')[0]))].sort()).toEqual(declared.sort())
  const [directory] = find(dockerfile, /DATA_DIR=(\S+)/g)
  expect(mounts).toContain(`api:${directory}`)
  const [keyFile = ''] = find(compose, /SIGNING_KEY_FILE: (\S+)/g)
  expect(mounts).toContain(`keys:${keyFile.slice(0, keyFile.lastIndexOf('/'))}`)
  for (const folder of [directory, '/keys'])
    expect(dockerfile).toMatch(new RegExp(`chown node:node.* ${folder}\\b`))
})

test('behavior: the health check of the image tells a healthy service from a failing and an absent one', async () => {
  const [words = '[]'] = find(dockerfile, /^HEALTHCHECK .*?CMD (\[.*\])$/gm)
  const [program = '', ...args]: string[] = JSON.parse(words)
  const check = async (origin: string) => {
    const { port } = new URL(origin)
    const child = spawn(program, args, { env: { PATH: process.env.PATH, PORT: port }, stdio: 'ignore' })
    const [code] = await once(child, 'exit')
    return code
  }
  expect(await check(await startHttpApp())).toBe(0)
  expect(await check(await listen((_, response) => void response.writeHead(503).end()))).toBe(1)
  expect(await check('http://127.0.0.1:9')).toBe(1)
})

test('behavior: a container that answers no requests has no health check', () => {
  const [, worker = ''] = /^ {2}worker:\n((?: {4}.*\n)+)/m.exec(compose) ?? []
  expect(worker).toMatch(/^ {4}healthcheck:\n {6}disable: true$/m)
})

test('behavior: only the service has a port outside, on this machine alone, and its metrics have none', () => {
  const ports = find(compose, /^ {4}ports: (.*)$/gm)
  expect(ports).toEqual(['["127.0.0.1:8402:8402"]'])
  const [port] = find(compose, /METRICS_PORT: (\d+)/g)
  expect(ports.join()).not.toContain(port)
  // A start with these settings is refused if they contradict each other.
  const given = { ...settings, METRICS_HOST: '0.0.0.0', METRICS_PORT: `${port}`, HOST: '0.0.0.0' }
  expect(readConfig(given).ok).toBe(true)
})

test('error: the image takes in no settings, keys or builds of this machine', () => {
  const ignored = read('.dockerignore').trim().split('\n')
  expect(ignored).toEqual(
    expect.arrayContaining(['**/.env*', '**/.data', '**/node_modules', '**/dist', '.git']),
  )
  expect(ignored.filter((line) => line.startsWith('!'))).toEqual(['!.env.example'])
})

test('default: the documented lines for containers name services of the compose file and commands of the service', () => {
  const lines = find(read('docs/operations/install.md'), /`(docker compose [^`]+)`/g)
  const services = find(
    compose.slice(compose.indexOf('\nservices:'), compose.indexOf('\nvolumes:')),
    /^ {2}(\w+):$/gm,
  )
  const commands = lines.map((line) => {
    const [, verb = '', rest = ''] = /^docker compose (exec|run|stop|start|restart) (.*)$/.exec(line) ?? []
    const words = rest.split(' ').filter((word) => !/^--?(T|rm)$/.test(word))
    if (verb === 'run' && words[0] === '--entrypoint') words.splice(0, 2)
    else if (verb === 'run') {
      const [, ...command] = words
      const found = findServerCommand(command)
      found?.command.read(found.rest)
      expect([line, found?.command.name]).toEqual([
        line,
        expect.stringMatching(/^(doctor|rotate-keys|log begin)$/),
      ])
    }
    for (const service of verb === 'exec' || verb === 'run' ? words.slice(0, 1) : words)
      expect([line, services]).toEqual([line, expect.arrayContaining([service])])
    return verb
  })
  expect(new Set(commands)).toEqual(new Set(['exec', 'run', 'stop', 'start', 'restart']))
})
