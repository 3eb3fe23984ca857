import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { start } from '@touchstone402/economy'
import { economySettings } from '../support/settings.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The folder that the Dockerfile deploys starts with its entry point, responds, and stops on a signal.
 *
 * Needs no container engine. What else the Dockerfile names is compared with the sources by a test of the server.
 */
export async function run(_options: { short: boolean }) {
  const root = await mkdtemp(join(tmpdir(), 'touchstone-image-'))
  const service = join(root, 'service')
  const economy = await start({ sellers: [], clock: 'real' })
  try {
    const dockerfile = await readFile(join(ROOT, 'Dockerfile'), 'utf8')
    const [deploy = ''] = /pnpm --filter .* deploy .* \/service/.exec(dockerfile) ?? []
    const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
    const command = deploy
      .replace('pnpm', `npx --yes ${manifest.packageManager}`)
      .replace('/service', service)
    const deployed = spawn('sh', ['-c', command], { cwd: ROOT, stdio: ['ignore', 2, 2] })
    const [code] = await once(deployed, 'exit')
    if (code !== 0) throw new Error(`${deploy} exited with ${code}`)
    const [program = '', ...args]: string[] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '[]')
    const { PATH } = process.env
    const env = {
      PATH,
      ...economySettings(economy),
      DIRECTORIES: 'file=/dev/null',
      DATA_DIR: join(root, 'data'),
    }
    const child = spawn(program, args, { cwd: service, env, stdio: ['ignore', 'pipe', 'inherit'] })
    let url = ''
    for await (const line of createInterface({ input: child.stdout })) {
      url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? ''
      if (url !== '') break
    }
    const statusOf = async (path: string) => (await fetch(url + path)).status
    const figures = { healthz: await statusOf('/healthz'), readyz: await statusOf('/readyz') }
    child.kill('SIGTERM')
    const [exitCode] = await once(child, 'exit')
    const isRight = figures.healthz === 200 && figures.readyz === 200 && exitCode === 0
    return { ok: isRight, figures: { ...figures, exitCode } }
  } finally {
    await economy.stop()
    await rm(root, { recursive: true, force: true })
  }
}
