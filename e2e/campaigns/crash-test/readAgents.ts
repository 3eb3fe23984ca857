import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../../../', import.meta.url)

/** An agent that a page prints: its program as a file, and a function that removes the file. */
export type PrintedAgent = { entry: URL; remove: () => Promise<void> }

/**
 * Reads the README's shortest agent, its first TypeScript. Its URL becomes TARGET_URL and its budget BUDGET_USD;
 * nothing else is changed.
 */
export async function readShortestAgent(): Promise<PrintedAgent> {
  const block = await readBlock('README.md', /^```ts\n([\s\S]*?)^```$/m)
  const given = replaceOnce(block, /'https:\/\/[^']*'/g, 'process.env.TARGET_URL as string')
  const agent = replaceOnce(given, /maxTotalUsd: '[\d.]+'/g, 'maxTotalUsd: process.env.BUDGET_USD as string')
  return writeAgent('shortest.ts', agent)
}

/** Reads the agent of docs/losses.md, which needs no service: its owner knows the listing. Nothing is changed. */
export async function readAloneAgent(): Promise<PrintedAgent> {
  return writeAgent('alone.mjs', await readBlock('docs/losses.md', /^```js\n([\s\S]*?)^```$/m))
}

async function readBlock(page: string, pattern: RegExp): Promise<string> {
  const [, block] = pattern.exec(await readFile(new URL(page, ROOT), 'utf8')) ?? []
  if (block === undefined) throw new Error(`${page} prints no agent`)
  return block
}

function replaceOnce(text: string, what: RegExp, by: string): string {
  if (text.match(what)?.length !== 1) throw new Error(`the printed agent has not exactly one ${what}`)
  return text.replace(what, () => by)
}

async function writeAgent(name: string, text: string): Promise<PrintedAgent> {
  // The packages that it imports are found from here.
  const folder = new URL(`e2e/node_modules/.crash-test-${randomUUID()}/`, ROOT)
  await mkdir(folder, { recursive: true })
  const entry = new URL(name, folder)
  await writeFile(entry, text)
  return { entry, remove: () => rm(fileURLToPath(folder), { recursive: true, force: true }) }
}
