// Pays TARGET_URL by an agent in Python behind the guard's proxy: the proxy holds the key, the agent a token.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { readPolicy } from './readPolicy.ts'

const { PATH, PRIVATE_KEY, HOME = '.', BUDGET_USD, TOUCHSTONE_URL, TARGET_URL = '' } = process.env
const [agentFile = ''] = process.argv.slice(2)

if (spawnSync('python3', ['--version'], { env: { PATH } }).error) throw new Error('there is no python3')
const policy = join(HOME, `policy-${process.pid}.json`)
await writeFile(policy, JSON.stringify(readPolicy()))
const proxy = spawn(
  process.execPath,
  [
    fileURLToPath(new URL('touchstone.js', import.meta.url)),
    ...['proxy', '--json', '--port', '0', '--policy', policy],
    ...['--allow-host', new URL(TARGET_URL).host, '--task', `agent=${BUDGET_USD}`],
  ],
  {
    env: { PATH, HOME, PRIVATE_KEY, ...(TOUCHSTONE_URL && { TOUCHSTONE_URL }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
const ended = once(proxy, 'exit').then(() => [''])
const [line = ''] = await Promise.race([once(createInterface(proxy.stdout), 'line'), ended])
if (line === '') throw new Error('the proxy did not start')
const { address, tokens } = JSON.parse(line)
const token = (await readFile(tokens[0], 'utf8')).trim()
const agent = spawn('python3', [agentFile], {
  env: { PATH, PROXY_URL: address, PROXY_TOKEN: token, TARGET_URL },
  stdio: ['ignore', 'inherit', 'inherit'],
})
const [code] = await once(agent, 'exit')
proxy.kill()
process.exitCode = code ?? 1
