import { readFileSync } from 'node:fs'

/** Returns the Node flags of the Dockerfile's entrypoint. */
export function servingFlags() {
  const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8')
  const [, entrypoint] = /^ENTRYPOINT (.*)$/m.exec(dockerfile)
  return JSON.parse(entrypoint).filter((word) => word.startsWith('--'))
}
