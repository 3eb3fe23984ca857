import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readCommandLine } from './app/commandLine.ts'
import { readConfig } from './config/config.ts'

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
  for (const version of find(dockerfile, /^FROM node:(\d+)/gm)) {
    expect(manifest.engines.node).toMatch(new RegExp(`^>=${version}\\.`))
  }
})

test('default: every variable that the containers set is a setting of the service', () => {
  const given = [
    ...find(dockerfile, /^ENV (.*)$/gm).flatMap((line) => find(line, /(\w+)=/g)),
    ...find(compose, /^ {4}([A-Z_]+): /gm),
  ]
  for (const name of given) {
    const answer = readConfig({ ...settings, [name]: '' })
    expect([name, answer]).toEqual([
      name,
      { ok: false, problems: [expect.stringMatching(new RegExp(`^${name} `))] },
    ])
  }
})

test('default: the service accepts every command and the port of the compose file', () => {
  const answer = readConfig(settings)
  if (!answer.ok) throw new Error(answer.problems.join())
  const { port } = answer.config
  const commands = find(compose, /^ {4}command: \[(.*)\]$/gm).map((words) => words.split(', '))
  const lines = commands.map((words) => readCommandLine(words.map((word) => word.replaceAll('"', ''))))
  expect(lines).toEqual([
    { command: 'serve', role: 'api', processes: 2, rest: [] },
    { command: 'serve', role: 'worker', processes: 1, rest: [] },
  ])
  expect(find(dockerfile, /^EXPOSE (\d+)$/gm)).toEqual([`${port}`])
  expect(find(compose, /ports: \["\d+:(\d+)"\]/g)).toEqual([`${port}`])
  expect(find(compose, /http:\/\/127\.0\.0\.1:(\d+)/g)).toEqual([`${port}`])
})

test('default: the compose file declares its volumes and mounts them where the service writes', () => {
  const declared = find(compose.slice(compose.indexOf('\nvolumes:')), /^ {2}(\w+):$/gm)
  const mounts = find(compose, /volumes: \[(.*)\]/g).flatMap((list) => list.split(', '))
  expect(mounts.map((mount) => mount.split(':')[0]).sort()).toEqual(declared.sort())
  const [directory] = find(dockerfile, /DATA_DIR=(\S+)/g)
  expect(mounts).toContain(`api:${directory}`)
  const [keyFile = ''] = find(compose, /SIGNING_KEY_FILE: (\S+)/g)
  expect(mounts).toContain(`keys:${keyFile.slice(0, keyFile.lastIndexOf('/'))}`)
  for (const folder of [directory, '/keys'])
    expect(dockerfile).toMatch(new RegExp(`chown node:node.* ${folder}\\b`))
})
