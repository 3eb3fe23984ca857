import { createServer } from 'node:http'
import type { TestProject } from 'vitest/node'
import { packAndInstall } from './docs/packAndInstall.ts'
import { listen } from './support/serve.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the packed packages of the run, for `openInstall`. */
    install: string
  }
}

/** Offers the packed and installed packages to all files of a run. The first that asks for them waits. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let packed: ReturnType<typeof packAndInstall> | undefined
  const server = await listen(
    createServer((_, response) => {
      packed ??= packAndInstall()
      packed.then(
        ({ install }) => response.end(JSON.stringify(install)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      )
    }),
  )
  provide('install', server.url)
  return async () => {
    await server.stop()
    const done = await packed?.catch(() => undefined)
    await done?.remove()
  }
}
