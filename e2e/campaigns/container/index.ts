import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { start } from '@touchstone402/economy'
import { buildStages, type Image } from './buildStages.ts'

const CONTEXT = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Executes the Dockerfile without a container engine and runs the result.
 *
 * The bar: every instruction works on a copy of the sources, and the service starts, responds and stops on a signal.
 */
export async function run(_options: { short: boolean }) {
  const root = await mkdtemp(join(tmpdir(), 'touchstone-image-'))
  const economy = await start({ sellers: [], clock: 'real' })
  try {
    const read = (name: string) => readFile(join(CONTEXT, name), 'utf8')
    const ignored = new Set((await read('.dockerignore')).split('\n').map((line) => line.replace('**/', '')))
    const image = await buildStages(CONTEXT, await read('Dockerfile'), ignored, root)
    const figures = await runImage(image, {
      ...image.environment,
      PUBLIC_URL: 'https://trust.example',
      HOST: '127.0.0.1',
      PORT: '0',
      RPC_URLS: economy.chain.rpcUrl,
      FACILITATOR_URL: economy.facilitator.url,
      PAY_TO: economy.wallets.service.address,
      DIRECTORIES: `bazaar=${economy.directories.bazaarUrl}`,
    })
    return { ok: figures.healthz === 200 && figures.readyz === 200 && figures.exitCode === 0, figures }
  } finally {
    await economy.stop()
    await rm(root, { recursive: true, force: true })
  }
}

async function runImage({ directory, entrypoint }: Image, environment: Record<string, string>) {
  const [command = '', ...args] = entrypoint
  const env = { PATH: process.env.PATH, ...environment }
  const child = spawn(command, args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = once(child, 'exit')
  try {
    const url = await new Promise<string>((resolve, reject) => {
      void gone.then(() => reject(new Error('the service ended before it listened')))
      createInterface({ input: child.stdout }).on('line', (line) => {
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
        if (found !== undefined) resolve(found)
      })
    })
    const statusOf = async (path: string) => (await fetch(url + path)).status
    const figures = { healthz: await statusOf('/healthz'), readyz: await statusOf('/readyz') }
    child.kill('SIGTERM')
    const [exitCode] = await gone
    return { ...figures, exitCode }
  } finally {
    child.kill('SIGKILL')
  }
}
