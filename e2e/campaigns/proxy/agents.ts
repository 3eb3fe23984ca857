import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Call } from './market.ts'

/** A program that calls endpoints through the proxy and knows nothing of payments. */
export type Agent = { language: string; command: readonly string[] }

/** Final response to an agent's call. */
export type Reply = { status: number; headers: Headers; tries: number }

const pathOf = (name: string) => fileURLToPath(new URL(`agents/${name}`, import.meta.url))

/** Signs with its own payment library, which twenty lines stand for. */
export const SIGNING_AGENT: Agent = { language: 'python', command: ['python3', pathOf('sign.py')] }

/** Prepares the agents whose tools this machine has, and names the languages that it has none for. */
export async function prepareAgents() {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-agents-'))
  const compiled = join(folder, 'agent')
  const agents: readonly (Agent & { tool: readonly string[] })[] = [
    { language: 'python', tool: ['python3', '--version'], command: ['python3', pathOf('agent.py')] },
    { language: 'curl', tool: ['curl', '--version'], command: ['sh', pathOf('agent.sh')] },
    { language: 'node', tool: ['node', '--version'], command: [process.execPath, pathOf('agent.mjs')] },
    {
      language: 'rust',
      tool: ['rustc', '--edition', '2021', '-o', compiled, pathOf('agent.rs')],
      command: [compiled],
    },
  ]
  const runs = ({ tool: [file = '', ...args] }: (typeof agents)[number]) =>
    spawnSync(file, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
  const ready = agents.filter(runs)
  const notRun = agents.filter((agent) => !ready.includes(agent)).map(({ language }) => language)
  return { ready, notRun, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Runs an agent that holds a token and nothing else. Returns its replies by URL, and all that it printed. */
export async function runAgent(
  { command: [file = '', ...args] }: Agent,
  proxy: string,
  token: string,
  calls: readonly Call[],
  atOnce = 1,
) {
  const env = { PATH: process.env.PATH, PROXY: proxy, TOKEN: token, AT_ONCE: String(atOnce) }
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(calls.map(({ method, url, seconds }) => `${method} ${url} ${seconds}\n`).join(''))
  const printed = await text(child.stdout)
  return { printed, replies: readReplies(printed) }
}

/** Reads `@@ METHOD URL` and the response below it, for each try. */
function readReplies(printed: string): Map<string, Reply> {
  const replies = new Map<string, Reply>()
  for (const block of printed.split(/^@@ /m).slice(1)) {
    // After redirects the last response counts.
    const [first = '', ...responses] = block.split(/^HTTP\/1\.1 /m)
    const url = first.trim().split(' ')[1] ?? ''
    const { tries = 0 } = replies.get(url) ?? {}
    const lines = responses.at(-1)?.split(/\r?\n/) ?? ['0', '']
    const status = Number(lines[0]?.slice(0, 3))
    const fields = lines.slice(1, lines.indexOf(''))
    const headers = new Headers(fields.map((field) => field.split(/: ?(.*)/s, 2) as [string, string]))
    replies.set(url, { status, headers, tries: tries + 1 })
  }
  return replies
}
